// SPDX-License-Identifier: Apache-2.0

// Memory of a path: objects with bytes, and cells for what is more than bytes (terms, addresses).
//
// A cell lies over the bytes of its object and never overlaps another. A load that fits a cell gives
// its value; one that covers parts of cells joins bytes, of which those of addresses become opaque.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "smt/expr_context.h"
#include "symbolic/executor/value.h"

namespace foretell::symbolic {

struct Object {
  std::string name;  // for people
  uint64_t size = 0;
  bool is_constant = false;
  bool is_freed = false;
  std::vector<uint32_t> abstract;  // the abstract objects it may be (program/code.h)
  std::vector<uint8_t> bytes;
  std::map<uint64_t, Value> cells;  // by offset; each as long as its width
  // Bytes of which nothing is known but that they are there, by beginning and end. They become cells
  // when they are first read.
  std::map<uint64_t, uint64_t> unknown;
  // Bytes that something without a model wrote on this path: opaque when they are read.
  std::map<uint64_t, uint64_t> havocked;
  uint64_t alignment = 1;  // of its address, as far as it is known
  // If this holds, a pointer to the object is null instead: an argument that was not given.
  std::optional<smt::Expr> absent_if;
  bool is_absent = false;  // in this run
  // Of an argument of the program, its number.
  std::optional<uint32_t> argument;
};

class Memory {
 public:
  explicit Memory(smt::ExprContext& context);
  // What gives unknown bytes a value.
  using Reveal = std::function<Value(ObjectNumber object, uint64_t offset, uint64_t bytes)>;
  void set_reveal(Reveal reveal) { reveal_ = std::move(reveal); }

  ObjectNumber add(Object object);
  Object& operator[](ObjectNumber number_of) { return objects_[number(number_of)]; }
  const Object& operator[](ObjectNumber number_of) const { return objects_[number(number_of)]; }
  size_t size() const { return objects_.size(); }
  // A number that no other opaque value of this path has.
  uint32_t new_mark() { return ++marks_; }

  // The bytes must lie in the object. A real or an address is marked as such by what was stored.
  Value load(ObjectNumber object, uint64_t offset, uint64_t bytes);
  void store(ObjectNumber object, uint64_t offset, uint64_t bytes, const Value& value);
  void make_unknown(ObjectNumber object, uint64_t from, uint64_t to);
  void make_opaque(ObjectNumber object, uint64_t from, uint64_t to);
  // What was written without a model is what the run has there.
  void settle_opaque();
  void copy(ObjectNumber to, uint64_t to_offset, ObjectNumber from, uint64_t from_offset,
            uint64_t bytes);

 private:
  Value byte_of(const Object& object, uint64_t offset) const;
  void split(Object& object, uint64_t from, uint64_t to);
  void reveal(ObjectNumber object, uint64_t from, uint64_t to);
  void reveal_opaque(ObjectNumber object, uint64_t from, uint64_t to);

  smt::ExprContext* context_;
  Reveal reveal_;
  uint32_t marks_ = 0;
  std::vector<Object> objects_;
};

}  // namespace foretell::symbolic
