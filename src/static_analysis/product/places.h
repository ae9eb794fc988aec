// SPDX-License-Identifier: Apache-2.0

// The objects of the product's states: globals, slots and what is allocated, by the thread that made
// them. Whatever is made too often, or by one of a crowd, is one object that holds anything.
#pragma once

#include <map>
#include <vector>

#include "static_analysis/product/relevance.h"
#include "static_analysis/product/state.h"

namespace foretell::static_analysis {

class Places {
 public:
  explicit Places(const Relevance& relevance) : relevance_(relevance) {}

  struct Place {
    const llvm::Value* site = nullptr;
    bool is_summary = false;   // stands for several
    bool is_kept = false;      // its content matters
    bool may_be_null = false;  // what allocates may fail
  };
  const Place& operator[](ObjectIndex index) const { return places_[index]; }

  ObjectIndex global(const llvm::GlobalVariable& global, const ThreadState& thread);
  ObjectIndex allocate(State& state, const llvm::Instruction& site, const ThreadState& thread);
  // What is there if nobody has written yet.
  Value initial(const Spot& spot, llvm::Type& type, const State& state) const;
  const std::vector<ObjectIndex>& made_by(const llvm::Value* site) const;

 private:
  struct Key {
    const llvm::Value* site;
    uint32_t owner, index;
    auto operator<=>(const Key&) const = default;
  };
  ObjectIndex intern(const Key& key, bool is_summary);

  const Relevance& relevance_;
  std::map<Key, ObjectIndex> known_;
  std::vector<Place> places_;
  std::map<const llvm::Value*, std::vector<ObjectIndex>> by_site_;
};

Value constant_value(const llvm::Constant& constant);

}  // namespace foretell::static_analysis
