// What is packed can be read back, within the errors that are told; the page is safe.
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <zlib.h>

#include "bytes/text_form.hpp"
#include "play/pack.hpp"
#include "play/player.hpp"
#include "play/player_files.hpp"

namespace cairn::test_pack {
namespace {

using Json = nlohmann::json;

constexpr const char* hostile = R"({
  "cairn": 1, "name": "</script><script>alert(1)</script>", "gravity": [0, 0, -9.81],
  "bodies": [
    {"name": "<img src=x onerror=alert(2)>", "fixed": true,
     "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "ball", "mass": 1, "position": [0, 0, 1], "shapes": [{"type": "sphere", "radius": 1}]},
    {"name": "cube", "mass": 1, "position": [5, 0, 1],
     "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
  "simulation": {"step": 0.01, "duration": 1}
})";

// A second reader of the format, written from docs/viewer.md.
struct Unpacked {
  Json header;
  std::string bytes;
  std::size_t start = 0;

  explicit Unpacked(const std::string& all) : bytes(all) {
    EXPECT_EQ(bytes.substr(0, 8), "CairnClp");
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + 8, 8);
    header = Json::parse(bytes.substr(16, size));
    start = (16 + size + 7) / 8 * 8;
  }
  const char* section(const std::string& name) const {
    for (const Json& s : header["sections"])
      if (s["name"] == name) return bytes.data() + start + s["offset"].get<std::size_t>();
    ADD_FAILURE() << name;
    return nullptr;
  }
  std::size_t count(const std::string& name) const {
    for (const Json& s : header["sections"])
      if (s["name"] == name) return s["count"];
    return 0;
  }
  template <class Number>
  Number at(const std::string& name, std::size_t i) const {
    Number x;
    std::memcpy(&x, section(name) + i * sizeof x, sizeof x);
    return x;
  }
  // Number i of a list of n whose low bytes come first.
  int difference(const char* list, std::size_t n, std::size_t i) const {
    const int z = static_cast<unsigned char>(list[i]) | static_cast<unsigned char>(list[n + i])
                                                            << 8;
    return z % 2 ? -(z + 1) / 2 : z / 2;
  }
  std::vector<std::vector<double>> curves() const {
    const std::size_t frames = header["frames"], all = count("curves") / 2;
    const char* list = section("curves");
    std::vector<std::vector<double>> result(count("lo"));
    std::size_t k = 0;
    for (std::size_t c = 0; c < result.size(); ++c) {
      const double lo = at<double>("lo", c), quantum = at<double>("quantum", c);
      int x = 0;
      for (std::size_t f = 0; f < frames; ++f) {
        if (quantum > 0) x = (x + difference(list, all, k++)) & 0xffff;
        result[c].push_back(lo + quantum * x);
      }
    }
    EXPECT_EQ(k, all);
    return result;
  }
};

// The ball runs around a circle and turns over and over; contacts come and go.
struct Made {
  Scene scene;
  std::optional<play::Clip> clip;
  std::vector<std::vector<ContactReport>> contacts;
  static constexpr int steps = 90;

  Made() {
    Result<Scene> read = parse_scene(hostile, "hostile.json");
    EXPECT_TRUE(read);
    scene = *read;
    clip.emplace(scene);
    clip->add_initial(*scene.initial);
    contacts.emplace_back();
    for (int n = 1; n <= steps; ++n) {
      const double t = 0.01 * n;
      State state = *scene.initial;
      state.step = n;
      state.t = t;
      state.poses[1].p = Vec3(40 * std::cos(9 * t), 1e-3 * t, 40 * std::sin(9 * t));
      state.poses[1].R = Quat(Eigen::AngleAxisd(30 * t, Vec3(1, 2, 3).normalized()));
      StepReport report;
      report.step = n;
      report.h = 0.01;
      report.t = t;
      report.certificate = 1e-9 * n;
      for (int i = 0; i < n % 5; ++i) report.contacts.push_back(contact(n, i));
      contacts.push_back(report.contacts);
      clip->add(report, state);
    }
  }
  static ContactReport contact(int n, int i) {
    ContactReport c;
    c.contact.key = {BodyId{i < 2 ? 0 : 1},
                     BodyId{2 - i / 3},
                     ShapeId{0},
                     ShapeId{1},
                     {0, static_cast<std::uint32_t>(i)}};
    if (i == 3)
      c.contact.key = {
          BodyId{1}, BodyId{2}, ShapeId{1}, ShapeId{2}, {0, static_cast<std::uint32_t>(i)}};
    c.contact.p_WC = Vec3(0.1 * n, -i, 3);
    c.contact.n_W = Vec3(std::sin(n), std::cos(n), i - 1.5).normalized();
    const Tangents t = tangents(c.contact.n_W);
    c.contact.t1_W = t.t1;
    c.contact.t2_W = t.t2;
    c.impulse = Vec3(1 + i, 0.1 * n, -0.2);
    c.mode = i % 2 ? ContactMode::slip : ContactMode::stick;
    c.colliding = i == 0;
    return c;
  }
};

TEST(Pack, CurvesAreReadBackWithinTheErrorTold) {
  const Made made;
  const play::PackedClip packed = play::pack(*made.clip);
  const Unpacked read(packed.bytes);
  const auto curves = read.curves();
  const auto frames = made.clip->frames();
  ASSERT_EQ(read.header["frames"], frames.size());
  ASSERT_EQ(curves.size(), 26u);  // ball and cube
  double worst_p = 0, worst_angle = 0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    EXPECT_EQ(read.at<double>("time", f), frames[f]->t);
    const play::ClipBody& ball = frames[f]->bodies[0];
    double p2 = 0;
    for (std::size_t k = 0; k < 3; ++k) p2 += std::pow(curves[k][f] - ball.position[k], 2);
    worst_p = std::max(worst_p, std::sqrt(p2));
    const Quat q(curves[3][f], curves[4][f], curves[5][f], curves[6][f]);
    const Quat exact(ball.orientation[0], ball.orientation[1], ball.orientation[2],
                     ball.orientation[3]);
    worst_angle = std::max(worst_angle, q.normalized().angularDistance(exact));
    // A body that rests is exact.
    EXPECT_EQ(curves[13][f], 5.0);
  }
  EXPECT_LE(worst_p, packed.errors.position);
  EXPECT_LE(worst_angle, packed.errors.angle);
  // 80 m in 2^16 steps, in two directions: the figure told is not far too large either.
  EXPECT_LT(packed.errors.position, 1.5 * 80 / 65535);
  EXPECT_EQ(read.header["errors"]["position"], packed.errors.position);
}

TEST(Pack, ContactsAreReadBack) {
  const Made made;
  const play::PackedClip packed = play::pack(*made.clip);
  const Unpacked read(packed.bytes);
  const std::size_t total = read.count("contact_flags");
  const char *bodies = read.section("contact_bodies"), *columns = read.section("contact_columns");
  const auto word = [&](std::size_t base, std::size_t i) {
    std::uint32_t x = 0;
    for (std::size_t k = 0; k < 4; ++k)
      x |= std::uint32_t{static_cast<unsigned char>(bodies[base + k * total + i])} << (8 * k);
    return x;
  };
  struct Seen {
    std::uint32_t a, b;
    std::array<int, 8> row;
  };
  std::vector<Seen> before, now;
  std::size_t i = 0;
  for (std::size_t f = 0; f < made.contacts.size(); ++f) {
    ASSERT_EQ(read.at<std::uint32_t>("contact_count", f), made.contacts[f].size());
    const double scale = read.at<float>("force_scale", f);
    now.clear();
    std::uint32_t a = 0, b = 0;
    std::vector<bool> used(before.size());
    for (const ContactReport& expected : made.contacts[f]) {
      Seen seen{a += word(0, i), b += word(4 * total, i), {}};
      // The first contact of the same bodies in the frame before that is not taken yet.
      std::array<int, 8> base = {};
      for (std::size_t j = 0; j < before.size(); ++j)
        if (!used[j] && before[j].a == a && before[j].b == b) {
          base = before[j].row;
          used[j] = true;
          break;
        }
      for (std::size_t k = 0; k < 8; ++k)
        seen.row[k] = (base[k] + read.difference(columns + 2 * k * total, total, i)) & 0xffff;
      const auto signed_value = [&](std::size_t k) {
        return static_cast<double>(static_cast<std::int16_t>(seen.row[k]));
      };
      EXPECT_EQ(a, static_cast<std::uint32_t>(expected.contact.key.body_a));
      EXPECT_EQ(b, static_cast<std::uint32_t>(expected.contact.key.body_b));
      Vec3 p, force;
      for (std::size_t k = 0; k < 3; ++k) {
        p[static_cast<Eigen::Index>(k)] =
            read.header["contact_lo"][k].get<double>() +
            read.header["contact_quantum"][k].get<double>() * seen.row[k];
        force[static_cast<Eigen::Index>(k)] = signed_value(5 + k) / 32767 * scale;
      }
      EXPECT_LE((p - expected.contact.p_WC).norm(), packed.errors.contact * (1 + 1e-9));
      // The octahedron unfolded.
      const double u = signed_value(3) / 2047, v = signed_value(4) / 2047;
      Vec3 n(u, v, 1 - std::abs(u) - std::abs(v));
      if (n.z() < 0)
        n = Vec3(std::copysign(1 - std::abs(v), u), std::copysign(1 - std::abs(u), v), n.z());
      n.normalize();
      EXPECT_LE((n - expected.contact.n_W).norm(), 3.0 / 2047);
      const Contact& c = expected.contact;
      const Vec3& l = expected.impulse;
      const Vec3 exact = (c.n_W * l[0] + c.t1_W * l[1] + c.t2_W * l[2]) / 0.01;
      // Half a step in each component, and the rounding of float.
      EXPECT_LE((force - exact).norm(), scale / 32767 + 1e-6 * scale);
      EXPECT_LE(exact.cwiseAbs().maxCoeff(), scale);
      const int flags = read.section("contact_flags")[i];
      EXPECT_EQ(flags, static_cast<int>(expected.mode) + (expected.colliding ? 4 : 0));
      now.push_back(seen);
      ++i;
    }
    std::swap(before, now);
  }
  EXPECT_EQ(i, total);
}

TEST(Pack, EmptyClipsAndFixedScenesArePacked) {
  Result<Scene> scene = parse_scene(hostile, "hostile.json");
  ASSERT_TRUE(scene);
  play::Clip nothing(*scene);
  EXPECT_EQ(Unpacked(play::pack(nothing).bytes).header["frames"], 0);
  play::Clip one(*scene);
  one.add_initial(*scene->initial);
  const Unpacked read(play::pack(one).bytes);
  EXPECT_EQ(read.header["frames"], 1);
  EXPECT_EQ(read.count("curves"), 0u);  // nothing moves
}

// The vectors of RFC 4648, section 10.
TEST(TextForm, Base64) {
  const char* pairs[][2] = {{"", ""},
                            {"f", "Zg=="},
                            {"fo", "Zm8="},
                            {"foo", "Zm9v"},
                            {"foob", "Zm9vYg=="},
                            {"fooba", "Zm9vYmE="},
                            {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) EXPECT_EQ(bytes::base64(bytes), text);
  EXPECT_EQ(bytes::base64(std::string_view("\xff\xfe\x00", 3)), "//4A");
}

TEST(TextForm, DeflatedBytesInflateToThemselves) {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i * i % 251);
  for (const std::string& text : {std::string(), bytes}) {
    const std::string small = bytes::deflated(text);
    std::string back(text.size() + 1, '\0');
    uLongf size = back.size();
    ASSERT_EQ(::uncompress(reinterpret_cast<Bytef*>(back.data()), &size,
                           reinterpret_cast<const Bytef*>(small.data()), small.size()),
              Z_OK);
    EXPECT_EQ(back.substr(0, size), text);
  }
}

// Whatever the names are, the page has one script that runs, and the policy allows it alone.
TEST(PlayerPage, OnlyThePlayerRuns) {
  const Made made;
  const play::PlayerParts parts = play::player_parts(*made.clip);
  const std::string page = play::player_page(parts);
  EXPECT_EQ(page.find("alert("), std::string::npos);
  EXPECT_EQ(page.find("onerror="), std::string::npos);
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 2u);  // the clip, which is text, and the player
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-" +
                      bytes::base64(play::player_script_sha256()) + "'"),
            std::string::npos);
  // The policy comes before anything that it governs.
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<style"));
  for (const char* attribute : {" src=", " href=", "@import", "url("})
    EXPECT_EQ(std::string(play::player_style()).find(attribute), std::string::npos);
  // Nothing in the script ends the element that holds it.
  EXPECT_EQ(play::player_script().find("</script"), std::string_view::npos);
  EXPECT_EQ(play::player_script().find("<!--"), std::string_view::npos);
  EXPECT_NE(play::player_script().find("Permission is hereby granted, free of charge"),
            std::string_view::npos);
}

}  // namespace
}  // namespace cairn::test_pack
