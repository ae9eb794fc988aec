// SPDX-License-Identifier: Apache-2.0

// Operation: what a thread does in a step that a report describes.
//
// That is an event of the trace, with one exception: a thread of a hang may wait for something that
// no trace has an event for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/event.h"

namespace foretell::finding {

enum class SilentWait : uint8_t {
  none,
  futex,  // a system call on a word of memory
  once,   // another thread's call of a function that runs once
};

class Operation {
 public:
  constexpr Operation() = default;
  // Implicit: an event says what its thread does.
  constexpr Operation(trace::EventKind kind) : kind_(kind) {}
  explicit constexpr Operation(SilentWait wait) : wait_(wait) {}

  // Nothing for a wait without an event.
  constexpr std::optional<trace::EventKind> kind() const {
    if (wait_ != SilentWait::none) return {};
    return kind_;
  }
  constexpr SilentWait silent_wait() const { return wait_; }

  constexpr bool is_access() const {
    return wait_ == SilentWait::none && foretell::trace::is_access(kind_);
  }

  bool operator==(const Operation&) const = default;
  // Names the kind alone: `operation == EventKind::Join`.
  constexpr bool operator==(trace::EventKind kind) const { return *this == Operation(kind); }

 private:
  trace::EventKind kind_{};
  SilentWait wait_ = SilentWait::none;
};

// The word of JSON: Tiddle's ("wr"), or that of a silent wait ("futex").
std::string_view word_of(Operation operation);
std::optional<Operation> operation_named(std::string_view word);

}  // namespace foretell::finding
