// SPDX-License-Identifier: Apache-2.0

// MemoryOrder: the memory order of an atomic operation or a fence.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace foretell {

enum class MemoryOrder : uint8_t {
#define FORETELL_MEMORY_ORDER(order, word) order,
#include "memory_order.def"
};

inline constexpr const char* kMemoryOrderWords[] = {
#define FORETELL_MEMORY_ORDER(order, word) word,
#include "memory_order.def"
};
inline constexpr size_t kMemoryOrderCount = sizeof kMemoryOrderWords / sizeof *kMemoryOrderWords;

static_assert(static_cast<int>(MemoryOrder::relaxed) == __ATOMIC_RELAXED &&
              static_cast<int>(MemoryOrder::consume) == __ATOMIC_CONSUME &&
              static_cast<int>(MemoryOrder::acquire) == __ATOMIC_ACQUIRE &&
              static_cast<int>(MemoryOrder::release) == __ATOMIC_RELEASE &&
              static_cast<int>(MemoryOrder::acq_rel) == __ATOMIC_ACQ_REL &&
              static_cast<int>(MemoryOrder::seq_cst) == __ATOMIC_SEQ_CST);

}  // namespace foretell
