// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/sync/operations.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>

#include "static_analysis/preparation/prepare.h"

namespace foretell::static_analysis {
namespace {

llvm::StringRef library_name(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() ? callee->getName() : "";
}

}  // namespace

std::optional<LockOperation> lock_operation(const llvm::CallBase& call) {
  using enum LockAction;
  using enum LockMode;
  const llvm::StringRef name = library_name(call);
  if (name == kAtomicBegin) return LockOperation{acquire};
  if (name == kAtomicEnd) return LockOperation{release};
  if (name.empty() || call.arg_size() == 0) return {};
  using Entry = std::optional<LockOperation>;
  const llvm::Value* lock = call.getArgOperand(0);
  return llvm::StringSwitch<Entry>(name)
      .Cases("pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_wrlock", "mtx_lock",
             LockOperation{acquire, exclusive, lock})
      .Case("pthread_rwlock_rdlock", LockOperation{acquire, shared, lock})
      .Cases("pthread_mutex_trylock", "pthread_spin_trylock", "pthread_rwlock_trywrlock",
             "pthread_mutex_timedlock", "pthread_rwlock_timedwrlock", "mtx_trylock",
             "mtx_timedlock", LockOperation{try_acquire, exclusive, lock})
      .Cases("pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock",
             LockOperation{try_acquire, shared, lock})
      .Cases("pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", "mtx_unlock",
             LockOperation{release, exclusive, lock})
      .Default({});
}

std::optional<SemaphoreOperation> semaphore_operation(const llvm::CallBase& call) {
  using enum SemaphoreAction;
  const llvm::StringRef name = library_name(call);
  if (!name.starts_with("sem_") || call.arg_size() == 0) return {};
  const auto action = llvm::StringSwitch<SemaphoreAction>(name)
                          .Case("sem_init", init)
                          .Case("sem_wait", wait)
                          .Case("sem_post", post)
                          .Default(other);
  return SemaphoreOperation{action, call.getArgOperand(0)};
}

bool is_synchronization(const llvm::CallBase& call) {
  const llvm::StringRef name = library_name(call);
  return name.starts_with("pthread_") || name.starts_with("sem_") || name.starts_with("mtx_") ||
         name.starts_with("cnd_") || name.starts_with("thrd_") || name.starts_with(kAtomicPrefix) ||
         name.starts_with(kAnyValue);
}

}  // namespace foretell::static_analysis
