// Problems, solutions and the keys of contacts as bytes, for frames of a trace and states.
#pragma once

#include "cairn/trace.hpp"
#include "record/bytes.hpp"

namespace cairn {

constexpr std::size_t key_bytes = 20;
void write_key(const ContactKey& key, ByteWriter& out);
ContactKey read_key(ByteReader& in);

// The reader of a damaged one is not ok() afterwards.
void write_problem(const Problem& problem, ByteWriter& out);
void read_problem(ByteReader& in, Problem& problem);
void write_solution(const Solution& solution, ByteWriter& out);
void read_solution(ByteReader& in, const Problem& problem, Solution& solution, std::string& method);

}  // namespace cairn
