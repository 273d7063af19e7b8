// Problems, solutions and the keys of contacts as bytes, for frames of a trace and states.
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

constexpr std::size_t key_bytes = 24, constraint_key_bytes = key_bytes + 6;
void write_key(const ContactKey& key, bytes::ByteWriter& out);
ContactKey read_key(bytes::ByteReader& in);
void write_key(const ConstraintKey& key, bytes::ByteWriter& out);
ConstraintKey read_constraint_key(bytes::ByteReader& in);

// Sizes and indices are in their ranges, laws and rows go together.
bool well_formed(const Problem& problem);

// The reader of a damaged one is not ok() afterwards.
void write_problem(const Problem& problem, bytes::ByteWriter& out);
void read_problem(bytes::ByteReader& in, Problem& problem);
void write_solution(const Solution& solution, bytes::ByteWriter& out);
void read_solution(bytes::ByteReader& in, const Problem& problem, Solution& solution,
                   std::string& method);

}  // namespace cairn::record
