// SPDX-License-Identifier: Apache-2.0

#include "cli/interruption.h"

namespace foretell::cli {
namespace {

std::atomic<bool> is_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // or a handler could not set it

}  // namespace

Interruptible::Interruptible() {
  struct sigaction action{};
  action.sa_handler = [](int) { is_interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

Interruptible::~Interruptible() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>& Interruptible::flag() {
  return is_interrupted;
}

}  // namespace foretell::cli
