// SPDX-License-Identifier: Apache-2.0

// Models of the mathematical functions, and of allocation with an alignment.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "symbolic/executor/library.h"

namespace foretell::symbolic {
namespace {

constexpr uint64_t kPage = 4096;

double number_of(const Value& value) {
  return value.width == 32
             ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value.bits)))
             : std::bit_cast<double>(value.bits);
}

using Function = double (*)(double, double, double);
const std::map<std::string, Function, std::less<>> kFunctions = {
    {"sqrt", [](double a, double, double) { return std::sqrt(a); }},
    {"sin", [](double a, double, double) { return std::sin(a); }},
    {"cos", [](double a, double, double) { return std::cos(a); }},
    {"tan", [](double a, double, double) { return std::tan(a); }},
    {"atan", [](double a, double, double) { return std::atan(a); }},
    {"exp", [](double a, double, double) { return std::exp(a); }},
    {"log", [](double a, double, double) { return std::log(a); }},
    {"fabs", [](double a, double, double) { return std::fabs(a); }},
    {"floor", [](double a, double, double) { return std::floor(a); }},
    {"ceil", [](double a, double, double) { return std::ceil(a); }},
    {"pow", [](double a, double b, double) { return std::pow(a, b); }},
    {"fmuladd", [](double a, double b, double c) { return a * b + c; }},
};

}  // namespace

// The last bit may differ from what the machine computes; who decides by it does so by something that no
// term expresses, unless both are exact.
Library::Flow Library::mathematics() {
  auto model = kFunctions.find(name_);
  if (model == kFunctions.end()) model = kFunctions.find(name_.substr(0, name_.size() - 1));
  double given[3] = {0, 0, 0};
  bool opaque = false;
  for (size_t i = 0; i < argument_count() && i < 3; i++) {
    const Value value = argument(i);
    given[i] = number_of(value);
    opaque |= value.opaque || value.term;
  }
  const double result = model->second(given[0], given[1], given[2]);
  Value value{.kind = Value::Kind::real, .width = call_.width, .opaque = opaque};
  value.bits = call_.width == 32 ? std::bit_cast<uint32_t>(static_cast<float>(result))
                                 : std::bit_cast<uint64_t>(result);
  return done(value);
}

Value Library::new_block(uint64_t size, uint64_t alignment) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 28;
  // Nobody reaches the end of a block of this size; its bytes are not kept.
  if (size > kMostBytes) {
    detail_.opaque = fmt::format("a block of {} bytes is not modeled", size);
    return Value::unknown_address(false);
  }
  const ObjectNumber block =
      run_.memory_.add({.name = fmt::format("the block allocated at {}", run_.place_of(call_)),
                        .size = size,
                        .abstract = call_.objects});
  run_.memory_[block].alignment = alignment;
  return Value::pointer(block, 0);
}

Library::Flow Library::allocate_aligned() {
  if (name_ == "valloc") return done(new_block(known(argument(0)), kPage));
  const uint64_t alignment = known(argument(0));
  return done(new_block(known(argument(1)), alignment));
}

Library::Flow Library::allocate_at() {
  const Value to = argument(0);
  const uint64_t alignment = known(argument(1));
  const Value block = new_block(known(argument(2)), alignment);
  if (!reach(to, 8)) return Flow::stops;
  detail_.writes.push_back({to.object, to.bits, to.bits + 8});
  run_.memory_.store(to.object, to.bits, 8, block);
  return done(Value::integer(32, 0));
}

Library::Flow Library::duplicate_string() {
  const Value from = argument(0);
  const auto length = length_at(from);
  if (!length) return Flow::stops;
  const Value block = new_block(*length + 1, 16);
  detail_.writes.push_back({block.object, 0, *length + 1});
  for (uint64_t i = 0; i <= *length; i++) run_.memory_.store(block.object, i, 1, byte_at(from, i));
  return done(block);
}

bool Library::holds_opaque(const Value& address, uint64_t bytes) {
  if (address.kind != Value::Kind::pointer || address.object == kNullObject) return address.opaque;
  const Object& object = run_.memory_[address.object];
  for (uint64_t i = address.bits; i < address.bits + bytes && i < object.size; i++)
    if (!object.argument && run_.memory_.load(address.object, i, 1).opaque) return true;
  return address.opaque;
}

}  // namespace foretell::symbolic
