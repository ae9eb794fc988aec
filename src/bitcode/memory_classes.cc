// SPDX-License-Identifier: Apache-2.0

#include "bitcode/memory_classes.h"

namespace foretell::bitcode {
namespace {

constexpr uint32_t number(ClassId id) {
  return static_cast<uint32_t>(id);
}

}  // namespace

MemoryClasses::MemoryClasses() {
  rows_.push_back({.parent = 0, .content = 0});
}

ClassId MemoryClasses::add() {
  const auto id = static_cast<uint32_t>(rows_.size());
  rows_.push_back({.parent = id});
  return ClassId{id};
}

ClassId MemoryClasses::find(ClassId id) const {
  uint32_t at = number(id);
  while (rows_[at].parent != at) {
    rows_[at].parent = rows_[rows_[at].parent].parent;
    at = rows_[at].parent;
  }
  return ClassId{at};
}

void MemoryClasses::unite(ClassId a, ClassId b) {
  left_.push_back({a, b});
  while (!left_.empty()) {
    uint32_t into = number(find(left_.back().first));
    uint32_t from = number(find(left_.back().second));
    left_.pop_back();
    if (into == from) continue;
    if (rows_[into].rank < rows_[from].rank) std::swap(into, from);
    if (rows_[into].rank == rows_[from].rank) rows_[into].rank++;
    rows_[from].parent = into;
    unions_++;
    const uint32_t content = rows_[from].content;
    if (rows_[into].content == kNone)
      rows_[into].content = content;
    else if (content != kNone)
      left_.push_back({ClassId{rows_[into].content}, ClassId{content}});
  }
}

ClassId MemoryClasses::content(ClassId id) {
  const uint32_t at = number(find(id));
  if (rows_[at].content == kNone) {
    const ClassId fresh = add();
    rows_[at].content = number(fresh);
  }
  return find(ClassId{rows_[at].content});
}

bool MemoryClasses::has_content(ClassId id) const {
  return rows_[number(find(id))].content != kNone;
}

}  // namespace foretell::bitcode
