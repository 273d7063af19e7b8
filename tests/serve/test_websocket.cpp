// Frames of WebSocket: the examples of RFC 6455 and FIPS 180, and what a client must not send.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "serve/command.hpp"
#include "serve/web/sha1.hpp"
#include "serve/web/websocket.hpp"

namespace cairn::test_websocket {
namespace {

std::string hex(const std::array<std::uint8_t, 20>& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string masked(int first, std::string_view data) {
  std::string frame(1, static_cast<char>(first));
  const std::string size = serve::message_header(serve::Opcode::text, data.size()).substr(1);
  frame += static_cast<char>(size[0] | 0x80);
  frame += size.substr(1) + "key!";
  for (std::size_t i = 0; i < data.size(); ++i) frame += static_cast<char>(data[i] ^ "key!"[i % 4]);
  return frame;
}

int fault_of(const std::string& bytes) {
  serve::MessageReader reader;
  reader.add(bytes);
  while (reader.next()) {
  }
  return reader.fault();
}

TEST(Sha1, ExamplesOfTheStandard) {
  EXPECT_EQ(hex(serve::sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(serve::sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(serve::sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(serve::sha1(std::string(1000000, 'a'))),
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(WebSocket, AnswersTheKeyOfTheStandard) {
  EXPECT_EQ(serve::accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_TRUE(serve::is_key("dGhlIHNhbXBsZSBub25jZQ=="));
  EXPECT_FALSE(serve::is_key("dGhlIHNhbXBsZSBub25jZQ="));
  EXPECT_FALSE(serve::is_key("dGhlIHNhbXBsZSBub2\r\njZQ=="));
}

TEST(WebSocket, HeadersHaveTheShortestLength) {
  EXPECT_EQ(serve::message_header(serve::Opcode::text, 5), "\x81\x05");
  EXPECT_EQ(serve::message_header(serve::Opcode::binary, 126), std::string("\x82\x7e\x00\x7e", 4));
  EXPECT_EQ(serve::message_header(serve::Opcode::binary, 65535),
            std::string("\x82\x7e\xff\xff", 4));
  EXPECT_EQ(serve::message_header(serve::Opcode::binary, 65536),
            std::string("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

// "Hello" of RFC 6455, 5.7, byte by byte and in two fragments with a ping between them.
TEST(WebSocket, ReadsMessagesHoweverTheyAreCut) {
  const std::string hello("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
  serve::MessageReader reader;
  for (std::size_t i = 0; i + 1 < hello.size(); ++i) {
    reader.add(hello.substr(i, 1));
    EXPECT_FALSE(reader.next());
  }
  reader.add(hello.substr(hello.size() - 1));
  EXPECT_EQ(reader.next()->text, "Hello");

  reader.add(masked(0x01, "Hel") + masked(0x89, "are you there?") + masked(0x80, "lo"));
  const auto ping = reader.next();
  EXPECT_EQ(ping->opcode, serve::Opcode::ping);
  EXPECT_EQ(ping->text, "are you there?");
  EXPECT_EQ(reader.next()->text, "Hello");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.fault(), 0);
}

TEST(WebSocket, RefusesWhatTheStandardForbids) {
  EXPECT_EQ(fault_of(std::string("\x81\x05Hello")), 1002);           // not masked
  EXPECT_EQ(fault_of(masked(0xc1, "x")), 1002);                      // an extension we do not speak
  EXPECT_EQ(fault_of(masked(0x83, "x")), 1002);                      // an opcode that is reserved
  EXPECT_EQ(fault_of(masked(0x80, "x")), 1002);                      // more of nothing
  EXPECT_EQ(fault_of(masked(0x01, "a") + masked(0x81, "b")), 1002);  // two messages in one
  EXPECT_EQ(fault_of(masked(0x09, "x")), 1002);                      // a ping in parts
  EXPECT_EQ(fault_of(masked(0x89, std::string(126, 'x'))), 1002);
  EXPECT_EQ(fault_of(masked(0x82, "x")), 1003);  // bytes: we take text
}

// Refused from its header: memory is never taken for it.
TEST(WebSocket, RefusesWhatIsTooLarge) {
  EXPECT_EQ(fault_of(masked(0x81, std::string(serve::MessageReader::limit, 'x'))), 0);
  EXPECT_EQ(fault_of(masked(0x81, std::string(serve::MessageReader::limit + 1, 'x'))), 1009);
  EXPECT_EQ(fault_of(std::string("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10)), 1009);
  std::string parts = masked(0x01, std::string(40000, 'x'));
  parts += masked(0x00, std::string(40000, 'x'));
  EXPECT_EQ(fault_of(parts), 1009);
}

// Damaged messages, cut anywhere: each reader says yes or no, and no more memory is taken than
// came.
TEST(WebSocket, SurvivesNoise) {
  std::mt19937 random(7);
  const std::string good = masked(0x01, R"({"do":"grab","body":1,"point":[0,0,0],)") +
                           masked(0x89, "?") + masked(0x80, R"("target":[0,0,1]})");
  int understood = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (unsigned i = 0; i < random() % 4; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    serve::MessageReader reader;
    while (!bytes.empty()) {
      const std::size_t cut = 1 + random() % bytes.size();
      reader.add(bytes.substr(0, cut));
      bytes.erase(0, cut);
      while (const auto message = reader.next()) {
        EXPECT_LE(message->text.size(), good.size());
        if (message->opcode == serve::Opcode::text)
          ++(serve::read_command(message->text) ? understood : refused);
      }
    }
  }
  EXPECT_GT(understood, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cairn::test_websocket
