// SPDX-License-Identifier: Apache-2.0

#include "finding/operation.h"

namespace foretell::finding {

std::string_view word_of(Operation operation) {
  switch (operation.silent_wait()) {
    case SilentWait::none:
      break;
    case SilentWait::futex:
      return "futex";
    case SilentWait::once:
      return "once";
  }
  return word_of(*operation.kind());
}

std::optional<Operation> operation_named(std::string_view word) {
  for (uint8_t i = 0; i < trace::kEventKindCount; ++i) {
    if (word == word_of(trace::EventKind{i})) return Operation(trace::EventKind{i});
  }
  for (SilentWait wait : {SilentWait::futex, SilentWait::once}) {
    if (word == word_of(Operation(wait))) return Operation(wait);
  }
  return {};
}

}  // namespace foretell::finding
