// SPDX-License-Identifier: Apache-2.0

// What a pthread_t holds while the program is executed symbolically: the thread's number, recognizable.
#pragma once

#include <cstdint>
#include <optional>

namespace foretell::symbolic {

inline constexpr uint64_t kFirstHandle = 0x7f0000000000;
inline constexpr uint64_t kHandleStep = 0x1000;

constexpr uint64_t handle_of(uint32_t thread) {
  return kFirstHandle + thread * kHandleStep;
}
constexpr std::optional<uint32_t> thread_of(uint64_t handle) {
  if (handle < kFirstHandle || (handle - kFirstHandle) % kHandleStep != 0) return {};
  return static_cast<uint32_t>((handle - kFirstHandle) / kHandleStep);
}

}  // namespace foretell::symbolic
