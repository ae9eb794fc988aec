// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/interpreter/order.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/CFG.h>

#include <algorithm>
#include <limits>

namespace foretell::static_analysis::interpreter {
namespace {

// The document's procedure, figure 4, by recursion.
class Orderer {
 public:
  std::vector<Component> order(const llvm::Function& function) {
    std::vector<Component> partition;
    visit(function.getEntryBlock(), partition);
    std::ranges::reverse(partition);
    return partition;
  }

 private:
  static constexpr uint32_t kDone = std::numeric_limits<uint32_t>::max();

  Component component(const llvm::BasicBlock& head) {
    Component made{&head, true, {}};
    for (const llvm::BasicBlock* next : llvm::successors(&head))
      if (number_[next] == 0) visit(*next, made.body);
    std::ranges::reverse(made.body);
    return made;
  }

  uint32_t visit(const llvm::BasicBlock& block, std::vector<Component>& partition) {
    stack_.push_back(&block);
    uint32_t head = number_[&block] = ++count_;
    bool is_loop = false;
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      const uint32_t known = number_[next];
      const uint32_t least = known == 0 ? visit(*next, partition) : known;
      if (least <= head) {
        head = least;
        is_loop = true;
      }
    }
    if (head != number_[&block]) return head;
    number_[&block] = kDone;
    const llvm::BasicBlock* popped = stack_.back();
    stack_.pop_back();
    if (!is_loop) {
      partition.push_back({&block, false, {}});
      return head;
    }
    for (; popped != &block; stack_.pop_back()) {
      number_[popped] = 0;
      popped = stack_.back();
    }
    partition.push_back(component(block));
    return head;
  }

  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> number_;
  std::vector<const llvm::BasicBlock*> stack_;
  uint32_t count_ = 0;
};

}  // namespace

std::vector<Component> weak_topological_order(const llvm::Function& function) {
  return Orderer().order(function);
}

}  // namespace foretell::static_analysis::interpreter
