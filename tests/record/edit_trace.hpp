// A trace taken apart into chunks and sections and put together again with right checksums, as a
// program of a later version or a forger would write it.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "bytes/crc32.hpp"
#include "record/trace/chunk.hpp"

namespace cairn::edit {

struct Section {
  std::string tag, payload;
};

struct Chunk {
  std::uint32_t type = 0;
  std::vector<Section> sections;
};

inline std::uint64_t u64_at(const std::string& bytes, std::size_t at) {
  std::uint64_t x = 0;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

inline std::vector<Section> sections(const std::string& payload) {
  std::vector<Section> found;
  for (std::size_t at = 0; at < payload.size();) {
    const auto length = static_cast<std::size_t>(u64_at(payload, at + 4));
    found.push_back({payload.substr(at, 4), payload.substr(at + record::section_head, length)});
    at += record::section_head + length;
  }
  return found;
}

inline std::string joined(const std::vector<Section>& sections) {
  std::string payload;
  for (const Section& section : sections) {
    const std::uint64_t length = section.payload.size();
    payload += section.tag;
    payload.append(reinterpret_cast<const char*>(&length), sizeof length);
    payload += section.payload;
  }
  return payload;
}

inline std::vector<Chunk> chunks(const std::string& trace) {
  std::vector<Chunk> found;
  for (std::size_t at = record::file_head; at < trace.size();) {
    const auto length = static_cast<std::size_t>(u64_at(trace, at + 4));
    Chunk chunk;
    std::memcpy(&chunk.type, trace.data() + at, sizeof chunk.type);
    chunk.sections = sections(trace.substr(at + record::chunk_head, length));
    found.push_back(std::move(chunk));
    at += record::chunk_head + length + record::chunk_tail;
  }
  return found;
}

// The head of `trace` and other chunks after it.
inline std::string with_chunks(const std::string& trace, const std::vector<Chunk>& chunks) {
  std::string bytes = trace.substr(0, record::file_head);
  for (const Chunk& chunk : chunks) {
    const std::size_t begin = bytes.size();
    const std::string payload = joined(chunk.sections);
    const std::uint64_t length = payload.size();
    bytes.append(reinterpret_cast<const char*>(&chunk.type), sizeof chunk.type);
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += payload;
    const auto* body = reinterpret_cast<const std::uint8_t*>(bytes.data()) + begin;
    const std::uint32_t sum = bytes::crc32({body, bytes.size() - begin});
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }
  return bytes;
}

// A section that no reader knows in every chunk, each time at another place.
inline std::string with_unknown_sections(const std::string& trace) {
  std::vector<Chunk> all = chunks(trace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& list = all[i].sections;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(i % (list.size() + 1)),
                {"NEWS", std::string(i, 'x')});
  }
  return with_chunks(trace, all);
}

}  // namespace cairn::edit
