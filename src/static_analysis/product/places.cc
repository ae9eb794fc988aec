// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/places.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace foretell::static_analysis {
namespace {

constexpr uint32_t kMaxOfOneSite = 6;  // for each thread
constexpr uint32_t kNobody = ~uint32_t{0};

}  // namespace

ObjectIndex Places::intern(const Key& key, bool is_summary) {
  const auto [known, added] = known_.try_emplace(key, static_cast<ObjectIndex>(places_.size()));
  if (added) {
    places_.push_back({.site = key.site,
                       .is_summary = is_summary,
                       .is_kept = !is_summary && relevance_.is_relevant_site(key.site),
                       .may_be_null = llvm::isa<llvm::CallBase>(key.site)});
    by_site_[key.site].push_back(known->second);
  }
  return known->second;
}

ObjectIndex Places::global(const llvm::GlobalVariable& global, const ThreadState& thread) {
  if (!global.isThreadLocal()) return intern({&global, kNobody, 0}, false);
  if (thread.is_crowd) return intern({&global, kNobody, 1}, true);
  return intern({&global, thread.handle(), 0}, false);
}

ObjectIndex Places::allocate(State& state, const llvm::Instruction& site,
                             const ThreadState& thread) {
  const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&site);
  if (!thread.is_crowd && !(slot && !slot->isStaticAlloca()))
    for (uint32_t i = 0; i < kMaxOfOneSite; i++) {
      const ObjectIndex index = intern({&site, thread.handle(), i}, false);
      const auto place = std::lower_bound(state.allocated.begin(), state.allocated.end(), index);
      if (place != state.allocated.end() && *place == index) continue;
      state.allocated.insert(place, index);
      return index;
    }
  return intern({&site, kNobody, 0}, true);
}

Value Places::initial(const Spot& spot, llvm::Type& type, const State& state) const {
  const Place& place = places_[spot.object];
  if (!place.is_kept || state.is_blurred(spot.object)) return {};
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(place.site)) {
    const llvm::Function* callee = call->getCalledFunction();
    const bool zeroed = callee && callee->getName() == "calloc";
    return zeroed && type.isIntOrPtrTy() ? Value{.kind = Value::Kind::number} : Value{};
  }
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(place.site);
  if (!global || !global->hasDefinitiveInitializer()) return {};
  const llvm::DataLayout& layout = global->getDataLayout();
  const llvm::APInt offset(layout.getIndexSizeInBits(0), spot.offset);
  const llvm::Constant* value = llvm::ConstantFoldLoadFromConst(
      const_cast<llvm::Constant*>(global->getInitializer()), &type, offset, layout);
  return value ? constant_value(*value) : Value{};
}

const std::vector<ObjectIndex>& Places::made_by(const llvm::Value* site) const {
  static const std::vector<ObjectIndex> none;
  const auto found = by_site_.find(site);
  return found == by_site_.end() ? none : found->second;
}

Value constant_value(const llvm::Constant& constant) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant))
    return integer->getBitWidth() <= 64
               ? Value{.kind = Value::Kind::number, .bits = integer->getZExtValue()}
               : Value{};
  if (llvm::isa<llvm::ConstantPointerNull>(constant)) return {.kind = Value::Kind::number};
  return {};
}

}  // namespace foretell::static_analysis
