// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/inputs.h"

#include <fmt/format.h>

#include "base/check.h"

namespace foretell::symbolic {

std::string_view name_of(InputKind kind) {
  switch (kind) {
    case InputKind::argument_count:
      return "argument_count";
    case InputKind::argument_number:
      return "argument_number";
    case InputKind::argument_long:
      return "argument_long";
    case InputKind::argument_byte:
      return "argument_byte";
    case InputKind::state:
      return "state";
  }
  return "";
}

smt::Expr Inputs::find(InputKind kind, uint32_t index, uint32_t byte) {
  for (const Input& input : all_)
    if (input.kind == kind && input.index == index && input.byte == byte) return input.variable;
  std::string name;
  uint32_t width = 32;
  switch (kind) {
    case InputKind::argument_count:
      name = "argc";
      break;
    case InputKind::argument_number:
      name = byte == 0 ? fmt::format("atoi(argv[{}])", index)
                       : fmt::format("atoi(argv[{}] + {})", index, byte);
      break;
    case InputKind::argument_long:
      name = byte == 0 ? fmt::format("atol(argv[{}])", index)
                       : fmt::format("atol(argv[{}] + {})", index, byte);
      width = 64;
      break;
    case InputKind::argument_byte:
      name = fmt::format("argv[{}][{}]", index, byte);
      width = 8;
      break;
    case InputKind::state:
      CHECK(false && "inputs of an epoch have their own way");
      break;
  }
  all_.push_back({kind, index, byte, context_.variable(name, smt::Sort::bits(width))});
  return all_.back().variable;
}

smt::Expr Inputs::find_state(uint32_t epoch, const std::string& name, uint32_t width,
                             const std::optional<Access>& access) {
  std::string full = fmt::format("{}@{}", name, epoch);
  if (width != 32) full += fmt::format(":{}", width);
  const auto [at, is_new] = states_.try_emplace(full, all_.size());
  if (is_new)
    all_.push_back(
        {InputKind::state, epoch, 0, context_.variable(full, smt::Sort::bits(width)), access});
  return all_[at->second].variable;
}

smt::Expr Inputs::find_bytes(uint32_t epoch, uint32_t object, uint64_t offset, uint64_t bytes) {
  ObjectPlace place{fmt::format("object {}", object), {}};
  if (const auto known = objects_[epoch].find(object); known != objects_[epoch].end())
    place = known->second;
  place = place_in(place, offset);
  return find_state(epoch, place.name, static_cast<uint32_t>(bytes * 8), place.access);
}

ObjectPlace place_in(const ObjectPlace& object, uint64_t offset) {
  ObjectPlace place = object;
  if (offset != 0) place.name += fmt::format("+{}", offset);
  if (place.access) place.access->offsets.back() += static_cast<int64_t>(offset);
  return place;
}

const Input* Inputs::input_of(smt::Expr variable) const {
  for (const Input& input : all_)
    if (input.variable == variable) return &input;
  return nullptr;
}

}  // namespace foretell::symbolic
