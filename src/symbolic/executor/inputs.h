// SPDX-License-Identifier: Apache-2.0

// Inputs: variables of terms, and where the constrained program finds their values.
//
// Those of the program are its arguments. Those of an epoch that begins in the middle are what registers
// and memory hold then (COVER 2.1: "potentially the entire state of memory").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "smt/expr_context.h"

namespace foretell::symbolic {

enum class InputKind : uint8_t {
  argument_count,   // argc
  argument_number,  // atoi(argv[index])
  argument_long,    // strtol(argv[index], 0, 10)
  argument_byte,    // argv[index][byte]
  state,            // of epoch `index`
};
std::string_view name_of(InputKind kind);

// How to reach a place from what is always in reach: a global, or a register of a thread at one of the
// calls in which it is when the epoch begins.
struct Access {
  bool is_register = false;
  uint32_t thread = 0, site = 0, reg = 0;  // site: the instruction
  uint32_t global = 0;
  // From there: each but the last leads to a pointer that is followed. None: the register itself.
  std::vector<int64_t> offsets;
  bool operator==(const Access&) const = default;
};

struct Input {
  InputKind kind = InputKind::argument_count;
  uint32_t index = 0, byte = 0;
  smt::Expr variable;
  std::optional<Access> access = {};  // of state; nothing: the constrained program cannot read it

  std::string_view name() const { return variable.name(); }
};

// An object as an epoch finds it.
struct ObjectPlace {
  std::string name;
  std::optional<Access> access;  // of its first byte
};

class Inputs {
 public:
  explicit Inputs(smt::ExprContext& context) : context_(context) {}

  // One variable for each place, whatever path asks first.
  smt::Expr find(InputKind kind, uint32_t index = 0, uint32_t byte = 0);
  smt::Expr find_state(uint32_t epoch, const std::string& name, uint32_t width,
                       const std::optional<Access>& access);
  // Bytes of an object of which nothing else is known.
  smt::Expr find_bytes(uint32_t epoch, uint32_t object, uint64_t offset, uint64_t bytes);
  void set_objects(uint32_t epoch, std::map<uint32_t, ObjectPlace> objects) {
    objects_[epoch] = std::move(objects);
  }
  const Input* input_of(smt::Expr variable) const;
  const std::vector<Input>& all() const { return all_; }
  void add(const Input& input) { all_.push_back(input); }
  void clear() { all_.clear(), states_.clear(), objects_.clear(); }

 private:
  smt::ExprContext& context_;
  std::vector<Input> all_;
  std::map<std::string, size_t> states_;  // by name
  std::map<uint32_t, std::map<uint32_t, ObjectPlace>> objects_;
};

// Bytes of an object at a place: name and way.
ObjectPlace place_in(const ObjectPlace& object, uint64_t offset);

}  // namespace foretell::symbolic
