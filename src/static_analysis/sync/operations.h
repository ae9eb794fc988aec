// SPDX-License-Identifier: Apache-2.0

// What a call does to a lock.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace foretell::static_analysis {

enum class LockAction : uint8_t { acquire, try_acquire, release };
enum class LockMode : uint8_t { shared, exclusive };

struct LockOperation {
  LockAction action{};
  LockMode mode = LockMode::exclusive;
  const llvm::Value* lock = nullptr;  // none: the section that verifier functions mark
  int64_t success = 0;                // what a try returns when it has the lock
};
std::optional<LockOperation> lock_operation(const llvm::CallBase& call);

enum class SemaphoreAction : uint8_t { init, wait, post, other };
struct SemaphoreOperation {
  SemaphoreAction action{};
  const llvm::Value* semaphore = nullptr;
};
std::optional<SemaphoreOperation> semaphore_operation(const llvm::CallBase& call);

// Calls whose only memory is that of synchronization objects, or none.
bool is_synchronization(const llvm::CallBase& call);

}  // namespace foretell::static_analysis
