// SPDX-License-Identifier: Apache-2.0

// Classes of memory, united as pointers are seen to point to more than one of them (Steensgaard,
// "Points-to analysis in almost linear time", POPL 1996).
//
// A class stands for objects that some pointer may all point to. Its content is the class that
// pointers stored in it point to. Uniting two classes unites their contents.
//
// The class of the unknown contains every object that code nobody can see may reach. Its content
// is itself: what is united with it takes along all that is reachable from there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace foretell::bitcode {

enum class ClassId : uint32_t {};

class MemoryClasses {
 public:
  MemoryClasses();

  ClassId add();
  // The representative of a class. Two ids are one class if they have the same.
  ClassId find(ClassId id) const;
  bool same(ClassId a, ClassId b) const { return find(a) == find(b); }

  void unite(ClassId a, ClassId b);
  ClassId content(ClassId id);
  // Its content if anything was ever stored there.
  bool has_content(ClassId id) const;

  ClassId unknown() const { return find(kUnknown); }
  bool is_unknown(ClassId id) const { return same(id, kUnknown); }
  void make_unknown(ClassId id) { unite(id, kUnknown); }

  // Grows with every union: unchanged means nothing new is known.
  uint64_t unions() const { return unions_; }
  size_t size() const { return rows_.size(); }

 private:
  static constexpr ClassId kUnknown{0};
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Row {
    mutable uint32_t parent;  // shortened by find
    uint32_t rank = 0;
    uint32_t content = kNone;
  };

  std::vector<Row> rows_;
  std::vector<std::pair<ClassId, ClassId>> left_;  // to be united; empty between calls
  uint64_t unions_ = 0;
};

}  // namespace foretell::bitcode
