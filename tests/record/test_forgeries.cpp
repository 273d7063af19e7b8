// check_trace() against forgeries: one thing of a recording is changed, its checksums are right,
// and check names what was changed. Honest recordings of all small scenes under all schemes pass.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "record/check/check.hpp"
#include "record/sample.hpp"

namespace cairn::test_forgeries {
namespace {

using sample::Folder;
using Lie = std::function<void(StepReport&, State&)>;

// A ball that falls on a floor, bounces and slides, one that rests, and a bob on a rod and a
// spring.
constexpr const char* scene_text = R"({
  "cairn": 1, "name": "forgeries", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.3, "restitution": 0.4}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "ball", "mass": 1, "position": [0, 0, 0.52], "velocity": [2, 0.5, 0],
     "angular_velocity": [0, 0, 3], "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"name": "rest", "mass": 2, "position": [5, 0, 0.25], "shapes": [{"type": "sphere", "radius": 0.25}]},
    {"name": "bob", "mass": 2, "position": [3, 0, 2], "velocity": [0, 1, 0],
     "shapes": [{"type": "sphere", "radius": 0.25}]}],
  "joints": [{"type": "distance", "bodies": ["world", "bob"], "anchors": [[2, 0, 2], [0, 0, 0]]}],
  "forces": [{"type": "spring", "bodies": ["world", "bob"], "anchors": [[2, 0, 4], [0, 0, 0]],
              "stiffness": 10, "rest_length": 1, "damping": 0.5}],
  "simulation": {"scheme": {"type": "euler"}, "step": 0.01, "duration": 0.4}
})";

Scene scene_with(const std::vector<std::string>& changes) {
  const Result<Scene> scene = parse_scene(scene_text, "forgeries.json", changes);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

ImpulseMemory& first_of(State& s, Role role) {
  const auto i = std::find_if(s.impulses.begin(), s.impulses.end(),
                              [&](const ImpulseMemory& m) { return m.key.role == role; });
  return *i;
}

// Runs `scene` and records it under the text of `claimed`; `lie` changes the first step after the
// fifth in which a contact carries an impulse. Returns the number of that step.
std::int64_t record(const std::string& file, const Scene& scene, const Scene& claimed, int steps,
                    const Lie& lie = nullptr) {
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  Result<TraceWriter> writer = TraceWriter::create(file, claimed.resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene.initial));
  std::int64_t changed = 0;
  for (int i = 1; i <= steps; ++i) {
    StepReport report = simulator.step(scene.simulation.step);
    if (report.failed()) break;
    State state = simulator.state();
    const bool presses = std::any_of(report.contacts.begin(), report.contacts.end(),
                                     [](const ContactReport& c) { return c.impulse[0] > 0; });
    if (lie && changed == 0 && i > 5 && presses) {
      changed = i;
      lie(report, state);
    }
    EXPECT_TRUE(writer->append(report, state));
  }
  EXPECT_TRUE(writer->finish());
  return changed;
}

CheckReport check(const std::string& file) {
  const Result<CheckReport> report = check_trace(file);
  EXPECT_TRUE(report);
  return report.value_or(CheckReport{});
}

// Some finding has the code and says what was forged; `step` 0: in any step.
void expect_named(const CheckReport& report, std::int64_t step, FindingCode code,
                  const std::string& what, const std::string& forgery) {
  EXPECT_FALSE(report.ok) << forgery;
  const bool named =
      std::any_of(report.findings.begin(), report.findings.end(), [&](const CheckFinding& f) {
        return f.code == code && (step == 0 || f.step == step) &&
               f.what.find(what) != std::string::npos;
      });
  std::string all;
  for (const CheckFinding& f : report.findings)
    all += std::string(name(f.code)) + ": " + f.what + "\n";
  EXPECT_TRUE(named) << forgery << ": expected " << name(code) << " \"" << what << "\", found\n"
                     << all.substr(0, 600);
}

ContactReport& pressing(StepReport& r) {
  return *std::find_if(r.contacts.begin(), r.contacts.end(),
                       [](const ContactReport& c) { return c.impulse[0] > 0; });
}

struct FrameForgery {
  const char* name;
  FindingCode code;
  const char* what;
  Lie lie;
};

const std::vector<FrameForgery>& frame_forgeries() {
  static const std::vector<FrameForgery> list = {
      {"impulse of a contact", FindingCode::reported, "impulse",
       [](StepReport& r, State&) { pressing(r).impulse *= 1.5; }},
      {"point", FindingCode::contact, "point",
       [](StepReport& r, State&) { pressing(r).contact.p_WC.x() += 1e-9; }},
      {"normal", FindingCode::contact, "normal",
       [](StepReport& r, State&) {
         Contact& c = pressing(r).contact;
         const Quat turn = exp_rotation(Vec3(1e-6, 0, 0));
         c.n_W = turn * c.n_W, c.t1_W = turn * c.t1_W, c.t2_W = turn * c.t2_W;
       }},
      {"gap", FindingCode::contact, "",
       [](StepReport& r, State&) { pressing(r).contact.gap += 1e-9; }},
      {"velocity of a contact", FindingCode::reported, "velocity",
       [](StepReport& r, State&) { pressing(r).velocity[1] += 1e-6; }},
      {"mode", FindingCode::reported, "mode",
       [](StepReport& r, State&) {
         ContactMode& mode = pressing(r).mode;
         mode = mode == ContactMode::slip ? ContactMode::stick : ContactMode::slip;
       }},
      {"collision of a contact", FindingCode::reported, "collision",
       [](StepReport& r, State&) { pressing(r).colliding = !pressing(r).colliding; }},
      {"friction of a contact", FindingCode::law, "friction",
       [](StepReport& r, State&) { pressing(r).contact.friction = 0.9; }},
      {"half a joule from friction to impact", FindingCode::ledger, "friction",
       [](StepReport& r, State&) { r.ledger.friction -= 0.5, r.ledger.impact += 0.5; }},
      {"work of applied forces", FindingCode::ledger, "applied",
       [](StepReport& r, State&) { r.ledger.work_applied += 0.5, r.ledger.integrator -= 0.5; }},
      {"work of dampers", FindingCode::ledger, "dampers",
       [](StepReport& r, State&) { r.ledger.passive -= 0.5, r.ledger.solver += 0.5; }},
      {"remembered impulse of a contact", FindingCode::warm_start, "contacts",
       [](StepReport&, State& s) { first_of(s, Role::contact).impulse *= 1.5; }},
      {"remembered impulse of a joint", FindingCode::warm_start, "joints",
       [](StepReport&, State& s) { first_of(s, Role::joint).impulse *= 1.5; }},
      {"forgotten contact", FindingCode::warm_start, "contacts",
       [](StepReport&, State& s) {
         std::erase_if(s.impulses,
                       [](const ImpulseMemory& m) { return is_of_contact(m.key.role); });
       }},
      {"mass", FindingCode::mass, "mass",
       [](StepReport& r, State&) { r.solves[0].problem.bodies[0].A[0][0] *= 1 + 1e-9; }},
      {"momentum", FindingCode::force, "forces",
       [](StepReport& r, State&) { r.solves[0].problem.k[2] += 1e-6; }},
      {"facets", FindingCode::law, "facets",
       [](StepReport& r, State&) {
         for (Constraint& c : r.solves[0].problem.constraints)
           if (c.law == Law::coulomb) c.facets = 4;
       }},
      {"friction of a row", FindingCode::law, "friction",
       [](StepReport& r, State&) {
         for (Constraint& c : r.solves[0].problem.constraints)
           if (c.law == Law::coulomb) c.mu *= 1.5;
       }},
      {"b of a row", FindingCode::row, "b of",
       [](StepReport& r, State&) { r.solves[0].problem.constraints.back().b[0] -= 1e-6; }},
      {"row of J", FindingCode::row, "row",
       [](StepReport& r, State&) {
         for (Constraint& c : r.solves[0].problem.constraints)
           if (c.law == Law::coulomb) c.J[0][1][4] += 1e-6;
       }},
      {"worst solve", FindingCode::count, "worst solve",
       [](StepReport& r, State&) { r.worst_solve = (r.worst_solve + 1) % r.solves.size(); }},
      {"active contacts", FindingCode::count, "active contacts",
       [](StepReport& r, State&) { ++r.active_contacts; }},
      {"added pairs", FindingCode::count, "added pairs",
       [](StepReport& r, State&) { ++r.added_pairs; }},
      {"collisions", FindingCode::count, "collisions",
       [](StepReport& r, State&) { ++r.collisions; }},
      {"guard corrections", FindingCode::count, "guard corrections",
       [](StepReport& r, State&) { ++r.guard_corrections; }},
      {"nonlinear iterations", FindingCode::count, "nonlinear iterations",
       [](StepReport& r, State&) { ++r.nonlinear_iterations; }},
      {"nonlinear fallback", FindingCode::count, "nonlinear fallback",
       [](StepReport& r, State&) { ++r.nonlinear_fallback; }},
      {"discarded solves", FindingCode::count, "discarded solves",
       [](StepReport& r, State&) { ++r.discarded_solves; }},
      {"corrections", FindingCode::count, "corrections",
       [](StepReport& r, State&) { ++r.corrections; }},
      {"contact projections", FindingCode::count, "contact projections",
       [](StepReport& r, State&) { ++r.contact_projections; }},
      {"uncertified projections", FindingCode::projection, "uncertified",
       [](StepReport& r, State&) { ++r.uncertified_projections; }},
      {"filtered contacts", FindingCode::count, "filtered contacts",
       [](StepReport& r, State&) { ++r.filtered_contacts; }},
      {"revised pairs", FindingCode::count, "revised pairs",
       [](StepReport& r, State&) { ++r.revised_pairs; }},
      {"parts", FindingCode::count, "parts", [](StepReport& r, State&) { ++r.parts; }},
      {"sequential impacts", FindingCode::count, "sequential impacts",
       [](StepReport& r, State&) { ++r.sequential_impacts; }},
      {"unfinished sequences", FindingCode::count, "unfinished sequences",
       [](StepReport& r, State&) { ++r.unfinished_sequences; }},
  };
  return list;
}

TEST(Forgeries, OfAFrameAreNamed) {
  const Folder folder;
  const Scene scene = scene_with({});
  for (const FrameForgery& f : frame_forgeries()) {
    const std::int64_t step = record(folder.file("trace"), scene, scene, 30, f.lie);
    ASSERT_GT(step, 0);
    expect_named(check(folder.file("trace")), step, f.code, f.what, f.name);
  }
}

struct SceneForgery {
  const char* name;
  std::vector<std::string> run;  // changes of the scene that was run under the text of the other
  FindingCode code;
  const char* what;
};

TEST(Forgeries, ARunOfAnotherSceneIsNamed) {
  const std::vector<SceneForgery> list = {
      {"friction", {"materials.default.friction=0.9"}, FindingCode::law, "friction"},
      {"restitution", {"materials.default.restitution=0.8"}, FindingCode::law, "restitution"},
      {"force",
       {R"(forces=[{"type":"force","body":"ball","value":[1,0,0]}])"},
       FindingCode::force,
       "ball"},
      {"relaxed law",
       {R"(simulation.scheme={"type":"relaxed","restitution":"completed"})"},
       FindingCode::law,
       "law"},
      {"pyramid", {"simulation.scheme.facets=4"}, FindingCode::law, "facets"},
      {"gravity", {"gravity=[0,0,-9.8]"}, FindingCode::force, "momentum"},
      {"mass", {"bodies[1].mass=1.1"}, FindingCode::mass, "ball"},
      {"radius", {"bodies[1].shapes[0].radius=0.505"}, FindingCode::contact, "ball"},
      {"joint", {R"(joints[0].anchors=[[2,0,1.9],[0,0,0]])"}, FindingCode::row, "joint"},
      {"no contact", {R"(no_contact=[["floor","ball"]])"}, FindingCode::missing, "ball"},
  };
  const Folder folder;
  const Scene claimed = scene_with({});
  for (const SceneForgery& f : list) {
    const Scene scene = scene_with(f.run);
    record(folder.file("trace"), scene, claimed, 40);
    expect_named(check(folder.file("trace")), 0, f.code, f.what, f.name);
  }
}

// Contacts of cylinders: on their side, on their ends, side on side. Honest runs pass.
TEST(Forgeries, ContactsOfCylindersAreNamed) {
  const std::set<std::string> geometric = {"point", "normal", "gap"};
  const Folder folder;
  for (const char* name : {"wheel", "cylinders", "log_pile"}) {
    const auto load = [&](const std::vector<std::string>& changes) {
      const Result<Scene> scene =
          load_scene(CAIRN_SOURCE_DIR "/scenes/" + std::string(name) + ".json", changes);
      EXPECT_TRUE(scene) << name;
      return *scene;
    };
    const Scene scene = load({});
    record(folder.file("trace"), scene, scene, 10);
    EXPECT_TRUE(check(folder.file("trace")).ok) << name;
    for (const FrameForgery& f : frame_forgeries()) {
      if (!geometric.contains(f.name)) continue;
      // Along the line of two sides, and to first order around them, the point may be anywhere.
      if (std::string(name) == "log_pile" && std::string(f.name) == "point") continue;
      const std::int64_t step = record(folder.file("trace"), scene, scene, 10, f.lie);
      ASSERT_GT(step, 0) << name;
      expect_named(check(folder.file("trace")), step, f.code, f.what,
                   std::string(name) + ", " + f.name);
    }
  }
}

// The same under the other schemes, where solves have origins of their own.
TEST(Forgeries, UnderOtherSchemesAreNamed) {
  const Folder folder;
  const std::set<std::string> common = {
      "impulse of a contact", "velocity of a contact", "mass",  "momentum",
      "active contacts",      "corrections",           "parts", "filtered contacts"};
  for (const char* scheme : {"relaxed", "trapezoidal", "hybrid"}) {
    const Scene scene =
        scene_with({std::string(R"(simulation.scheme={"type":")") + scheme + "\"}",
                    "materials.default.restitution=0", "bodies[1].position=[0,0,0.5]"});
    for (const FrameForgery& f : frame_forgeries()) {
      if (!common.contains(f.name)) continue;
      const std::int64_t step = record(folder.file("trace"), scene, scene, 12, f.lie);
      ASSERT_GT(step, 0) << scheme;
      expect_named(check(folder.file("trace")), step, f.code, f.what,
                   std::string(scheme) + ", " + f.name);
    }
    const Scene other =
        scene_with({std::string(R"(simulation.scheme={"type":")") + scheme + "\"}",
                    "materials.default.restitution=0", "bodies[1].position=[0,0,0.5]",
                    "materials.default.friction=0.7", "gravity=[0,0,-9.8]"});
    record(folder.file("trace"), other, scene, 12);
    const CheckReport report = check(folder.file("trace"));
    expect_named(report, 0, FindingCode::law, "friction", scheme);
    expect_named(report, 0, FindingCode::force, "momentum", scheme);
  }
}

// A ball alone, whose first contact is an impact.
std::vector<std::string> ball_alone(const std::string& scheme, const std::string& law) {
  return {R"(bodies=[{"name":"floor","fixed":true,"shapes":[{"type":"halfspace","normal":[0,0,1]}]},
             {"name":"ball","mass":1,"position":[0,0,0.52],"velocity":[2,0.5,0],
              "angular_velocity":[0,0,3],"shapes":[{"type":"sphere","radius":0.5}]}])",
          "joints=[]", "forces=[]", "simulation.scheme=" + scheme,
          "materials.default.restitution_law=\"" + law + "\""};
}

// Impacts before the forces of a step and under option nonlinear (E523).
TEST(Forgeries, OfImpactsAreNamed) {
  const std::vector<FrameForgery> list = {
      {"impulse of an impact", FindingCode::reported, "impulse",
       [](StepReport& r, State&) { pressing(r).impulse *= 1.001; }},
      {"friction of an impact", FindingCode::reported, "impulse",
       [](StepReport& r, State&) { pressing(r).impulse[1] *= -1; }},
      {"losses of an impact", FindingCode::ledger, "lost",
       [](StepReport& r, State&) { r.ledger.impact += 0.01, r.ledger.solver += 0.01; }},
      {"stabilisation for an impact", FindingCode::ledger, "stabilisation",
       [](StepReport& r, State&) { r.ledger.impact += 0.01, r.ledger.stabilisation += 0.01; }}};
  const Folder folder;
  for (const char* scheme :
       {R"({"type":"euler"})", R"({"type":"relaxed","restitution":"completed"})",
        R"({"type":"euler","nonlinear":true})"})
    for (const char* law : {"newton", "poisson", "stronge"}) {
      const Scene scene = scene_with(ball_alone(scheme, law));
      record(folder.file("trace"), scene, scene, 30);
      const CheckReport honest = check(folder.file("trace"));
      EXPECT_TRUE(honest.ok) << scheme << law << (honest.ok ? "" : honest.findings.front().what);
      const bool nonlinear = std::string(scheme).find("nonlinear") != std::string::npos;
      for (const std::string& what : honest.unverified) {
        const bool impact = what.find("impact") != std::string::npos;
        EXPECT_TRUE(nonlinear || !impact) << scheme << law << ": " << what;
      }
      for (const FrameForgery& f : list) {
        // Rows of the end of a step have other frames than the impact at its beginning.
        if (nonlinear && f.code == FindingCode::reported) continue;
        const std::int64_t step = record(folder.file("trace"), scene, scene, 30, f.lie);
        ASSERT_GT(step, 0);
        expect_named(check(folder.file("trace")), step, f.code, f.what,
                     std::string(scheme) + ", " + law + ", " + f.name);
      }
    }
}

// (E524).
TEST(Forgeries, OfSteadyContactsAreNamed) {
  const std::vector<FrameForgery> list = {
      {"forgotten steady contact", FindingCode::warm_start, "not recorded as steady",
       [](StepReport&, State& s) { s.pending.clear(); }},
      {"steady contact from nowhere", FindingCode::warm_start, "recorded as steady",
       [](StepReport&, State& s) {
         ContactKey key = s.pending.back();
         key.feature.b += 1;
         s.pending.push_back(key);
       }}};
  const Folder folder;
  const Scene scene = scene_with({R"(simulation.scheme={"type":"hybrid"})"});
  for (const FrameForgery& f : list) {
    const std::int64_t step = record(folder.file("trace"), scene, scene, 12, f.lie);
    ASSERT_GT(step, 0);
    expect_named(check(folder.file("trace")), step, f.code, f.what, f.name);
  }
}

TEST(Forgeries, HonestRecordingsOfAllSmallScenesPass) {
  const Folder folder;
  int recordings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAIRN_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".json") continue;
    const Result<Scene> own = load_scene(entry.path().string());
    ASSERT_TRUE(own) << entry.path();
    if (own->model->bodies.size() > 24) continue;
    const std::vector<SchemeOptions> schemes = {own->simulation.scheme,
                                                Euler{},
                                                Euler{.nonlinear = true},
                                                Relaxed{},
                                                Trapezoidal{},
                                                Hybrid{},
                                                Penalty{}};
    for (std::size_t k = 0; k < schemes.size(); ++k) {
      if (!accepts(schemes[k], *own->model)) continue;
      // The text of the scene has the scheme's name and defaults.
      const std::string assignment =
          k == 2 ? R"(simulation.scheme={"type":"euler","nonlinear":true})"
                 : std::string(R"(simulation.scheme={"type":")") + name(schemes[k]) + "\"}";
      const Result<Scene> scene =
          load_scene(entry.path().string(),
                     k == 0 ? std::vector<std::string>{} : std::vector<std::string>{assignment});
      if (!scene) continue;
      record(folder.file("trace"), *scene, *scene, 20);
      const CheckReport report = check(folder.file("trace"));
      for (std::size_t i = 0; i < std::min<std::size_t>(3, report.findings.size()); ++i)
        ADD_FAILURE() << entry.path().filename() << " " << name(schemes[k]) << " step "
                      << report.findings[i].step << ": " << report.findings[i].what;
      ++recordings;
    }
  }
  EXPECT_GT(recordings, 150);
}

}  // namespace
}  // namespace cairn::test_forgeries
