// Damage: what editors, disks and enemies do to files.
#include "fuzz/mutate.hpp"

#include <array>
#include <cctype>
#include <cstring>
#include <span>
#include <vector>

#include "bytes/crc32.hpp"
#include "record/trace/chunk.hpp"

namespace cairn::fuzz {
namespace {

struct Token {
  std::size_t begin = 0, size = 0;
};

bool starts_number(char c) {
  return c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool in_number(char c) {
  return starts_number(c) || c == '.' || c == 'e' || c == 'E' || c == '+';
}

// Numbers and strings, quotes included.
std::vector<Token> tokens(const std::string& text, bool numbers) {
  std::vector<Token> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text[i] == '"') {
      for (++end; end < text.size() && text[end] != '"'; ++end)
        if (text[end] == '\\') ++end;
      end = std::min(end + 1, text.size());
      if (!numbers) found.push_back({i, end - i});
    } else if (starts_number(text[i])) {
      while (end < text.size() && in_number(text[end])) ++end;
      if (numbers) found.push_back({i, end - i});
    }
    if (end > i) i = end - 1;
  }
  return found;
}

constexpr std::array<const char*, 38> numbers = {"0",
                                                 "-0",
                                                 "1",
                                                 "-1",
                                                 "2",
                                                 "0.5",
                                                 "1e-3",
                                                 "1e-6",
                                                 "1e-9",
                                                 "1e-12",
                                                 "1e-15",
                                                 "1e-30",
                                                 "1e-31",
                                                 "1e-100",
                                                 "1e-300",
                                                 "5e-324",
                                                 "10",
                                                 "100",
                                                 "1000",
                                                 "1e6",
                                                 "1e9",
                                                 "1e15",
                                                 "1e29",
                                                 "1e30",
                                                 "1e31",
                                                 "1e150",
                                                 "1e300",
                                                 "1.7e308",
                                                 "-1e30",
                                                 "-1e300",
                                                 "1e999",
                                                 "2147483647",
                                                 "2147483648",
                                                 "-2147483649",
                                                 "4294967296",
                                                 "9007199254740993",
                                                 "3.14159265358979",
                                                 "0.1"};

constexpr std::array<const char*, 12> strings = {
    "\"\"",    "\"world\"",   "\"default\"",  "\"1e300*t\"",
    "\"1/t\"", "\"log(t)\"",  "\"t^t^t\"",    "\"x y z rx ry rz\"",
    "\"x\"",   "\"\\u0000\"", "\"sqrt(-1)\"", "\"halfspace\""};

std::string some_number(const std::string& old, Random& random) {
  switch (random.below(4)) {
    case 0:
      return old.front() == '-' ? old.substr(1) : "-" + old;
    case 1: {  // near it, or far away by powers of ten
      const std::string digits = old.substr(0, old.find_first_of("eE"));
      return digits + "e" + std::to_string(static_cast<int>(random.below(25)) - 12);
    }
    default:
      return numbers[random.below(numbers.size())];
  }
}

void damage_token(std::string& text, Random& random) {
  const bool number = !random.chance(4);
  const std::vector<Token> all = tokens(text, number);
  if (all.empty()) return;
  const Token at = all[random.below(all.size())];
  const std::string old = text.substr(at.begin, at.size);
  std::string replacement;
  if (random.chance(4)) {  // another value of the file, so that names and types change places
    const Token other = all[random.below(all.size())];
    replacement = text.substr(other.begin, other.size);
  } else {
    replacement = number ? some_number(old, random) : strings[random.below(strings.size())];
  }
  text.replace(at.begin, at.size, replacement);
}

void damage_bytes(std::string& text, Random& random) {
  if (text.empty()) return;
  const std::size_t at = random.below(text.size());
  const std::size_t size = 1 + random.below(std::min<std::size_t>(64, text.size() - at));
  switch (random.below(5)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 1:
      text.erase(at, size);
      break;
    case 2:
      text.insert(random.below(text.size()), text.substr(at, size));
      break;
    case 3:
      text.insert(at, 1, static_cast<char>(random.below(256)));
      break;
    default:
      text.resize(at);
  }
}

struct Chunk {
  std::size_t begin = 0, length = 0;  // of the whole, of the payload
};

std::vector<Chunk> chunks(const std::string& bytes, std::size_t head) {
  std::vector<Chunk> found;
  for (std::size_t at = head; at + record::chunk_head + record::chunk_tail <= bytes.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, sizeof length);
    if (length > bytes.size() - at - record::chunk_head - record::chunk_tail) break;
    found.push_back({at, static_cast<std::size_t>(length)});
    at += record::chunk_head + static_cast<std::size_t>(length) + record::chunk_tail;
  }
  return found;
}

// Overwrites some bytes of the chunk, most often with a whole number or a float that is extreme.
void damage_payload(std::string& bytes, const Chunk& chunk, Random& random) {
  if (chunk.length < 8) return;
  static constexpr std::array<std::uint64_t, 10> words = {
      0,          1,          0xFFFFFFFFu,           0x7FFFFFFFu,           ~std::uint64_t{0},
      1ull << 32, 1ull << 62, 0x7FF0000000000000ull, 0x7FF8000000000000ull, 0xBFF0000000000000ull};
  char* const payload = bytes.data() + chunk.begin + record::chunk_head;
  for (std::size_t n = 1 + random.below(3); n > 0; --n) {
    const std::size_t at = random.below(chunk.length - 7);
    const std::uint64_t word = random.chance(3) ? random.bits() : words[random.below(words.size())];
    std::memcpy(payload + at, &word, std::size_t{1} << random.below(4));
  }
}

void make_good(std::string& bytes, const Chunk& chunk) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data()) + chunk.begin;
  const std::uint32_t sum = bytes::crc32({data, record::chunk_head + chunk.length});
  std::memcpy(bytes.data() + chunk.begin + record::chunk_head + chunk.length, &sum, sizeof sum);
}

// The sections of a payload, heads included; what is left of a damaged one is the last.
std::vector<std::string> sections(const std::string& payload) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < payload.size();) {
    std::uint64_t length = 0;
    if (payload.size() - at >= record::section_head)
      std::memcpy(&length, payload.data() + at + 4, sizeof length);
    const std::size_t size =
        record::section_head +
        static_cast<std::size_t>(std::min<std::uint64_t>(length, payload.size()));
    found.push_back(payload.substr(at, size));
    at += size;
  }
  return found;
}

void damage_sections(std::vector<std::string>& all, Random& random) {
  const std::size_t i = random.below(all.size());
  const auto place = all.begin() + static_cast<std::ptrdiff_t>(i);
  switch (random.below(6)) {
    case 0:  // is lost
      all.erase(place);
      break;
    case 1:  // comes again
      all.insert(place, std::string(*place));
      break;
    case 2:  // has another tag
      (*place)[random.below(4)] = static_cast<char>(random.below(256));
      break;
    case 3:  // has another place
      std::swap(*place, all[random.below(all.size())]);
      break;
    case 4:  // gets an unknown neighbour
      all.insert(place, std::string("NEWS") + std::string(8, '\0'));
      break;
    default:  // is longer or shorter than its length says
      place->resize(random.below(2 * place->size()));
  }
}

}  // namespace

std::string mutated_text(std::string text, Random& random) {
  const bool rough = random.chance(5);
  for (std::size_t n = 1 + random.below(rough ? 2 : 4); n > 0; --n)
    rough ? damage_bytes(text, random) : damage_token(text, random);
  return text;
}

std::string mutated_chunks(std::string bytes, std::size_t head, Random& random) {
  const std::vector<Chunk> all = chunks(bytes, head);
  if (all.empty() || random.chance(4)) {
    damage_bytes(bytes, random);
    return bytes;
  }
  const Chunk chunk = all[random.below(all.size())];
  switch (random.below(4)) {
    case 0:  // a chunk is lost
      bytes.erase(chunk.begin, record::chunk_head + chunk.length + record::chunk_tail);
      break;
    case 1:  // or comes again
      bytes.insert(chunk.begin, bytes.substr(chunk.begin, record::chunk_head + chunk.length +
                                                              record::chunk_tail));
      break;
    default:
      damage_payload(bytes, chunk, random);
      make_good(bytes, chunk);
  }
  return bytes;
}

std::string mutated_trace(std::string bytes, Random& random) {
  const std::vector<Chunk> all = chunks(bytes, record::file_head);
  if (all.empty() || !random.chance(3))
    return mutated_chunks(std::move(bytes), record::file_head, random);
  Chunk chunk = all[random.below(all.size())];
  std::vector<std::string> parts =
      sections(bytes.substr(chunk.begin + record::chunk_head, chunk.length));
  if (parts.empty()) return bytes;
  damage_sections(parts, random);
  std::string payload;
  for (const std::string& part : parts) payload += part;
  bytes.replace(chunk.begin + record::chunk_head, chunk.length, payload);
  chunk.length = payload.size();
  const std::uint64_t length = chunk.length;
  std::memcpy(bytes.data() + chunk.begin + 4, &length, sizeof length);
  make_good(bytes, chunk);
  return bytes;
}

}  // namespace cairn::fuzz
