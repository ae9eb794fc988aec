// SPDX-License-Identifier: Apache-2.0

// The memory of a program, cut into places that are accessed in one way.
//
// Accesses that may overlap have one place. It is *typed* if all of them are of one type at equal
// distances: a variable, a field, or the elements of an array as one. It is *exact* if it is one variable
// of the run, so that a write replaces what was there. Other places hold anything.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "static_analysis/interpreter/value.h"
#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis::interpreter {

enum class PlaceId : uint32_t {};
constexpr uint32_t number(PlaceId id) {
  return static_cast<uint32_t>(id);
}

struct MemoryPlace {
  bitcode::Target target;  // one of them
  std::vector<bitcode::Target> targets;
  uint64_t extent = 0;  // 0: open
  llvm::Type* type = nullptr;
  bool is_typed = false, is_exact = false;
  bool is_confined = false;  // no second thread ever sees it
  Value initial;
};

struct Touched {
  std::vector<PlaceId> reads, writes;
  bool reads_unknown = false;
};

class Places {
 public:
  explicit Places(const PairRules& rules);

  size_t size() const { return places_.size(); }
  const MemoryPlace& operator[](PlaceId id) const { return places_[number(id)]; }
  const Touched& touched_by(const llvm::Instruction& instruction) const;
  // Those that an access to an object overlaps.
  std::vector<PlaceId> overlapping(const Access& access, bitcode::ObjectId object) const;

 private:
  struct Shape {
    bitcode::Target target;
    uint64_t extent = 0;  // 0: to the end of the object
    std::vector<llvm::Type*> types;
    bool is_opaque = false;  // touched by a call
    std::vector<std::pair<const llvm::Instruction*, program::AccessKind>> by;
  };
  using Shapes = std::map<bitcode::ObjectId, std::vector<Shape>>;

  void collect(Shapes& shapes);
  void add(Shapes& shapes, const bitcode::Bits& targets, uint64_t extent, llvm::Type* type,
           const llvm::Instruction& by, program::AccessKind kind);
  void cut(bitcode::ObjectId object, std::vector<Shape>& shapes);
  Value initial_of(const MemoryPlace& place) const;

  const PairRules& rules_;
  std::vector<MemoryPlace> places_;
  std::map<bitcode::ObjectId, std::vector<PlaceId>> of_object_;
  llvm::DenseMap<const llvm::Instruction*, Touched> touched_;
  bool unknown_is_written_ = false;
};

}  // namespace foretell::static_analysis::interpreter
