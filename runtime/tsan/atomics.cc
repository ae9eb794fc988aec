// SPDX-License-Identifier: Apache-2.0

// Atomics of objects compiled with -fsanitize=thread. The compiler leaves the operation to us. It
// is done with the strongest order; the record has the one the program asked for.
#include "recording/hooks.h"
#include "runtime/tsan/site_of_call.h"

using namespace foretell::rt;

namespace {

using a8 = uint8_t;
using a16 = uint16_t;
using a32 = uint32_t;
using a64 = uint64_t;
using a128 = unsigned __int128;

// gcc puts hints for the processor above the order.
uint32_t plain(int order) {
  return static_cast<uint32_t>(order) & 0xf;
}

// Values of 16 bytes are not recorded.
template <class T>
uint64_t recorded(T value) {
  return sizeof(T) > 8 ? 0 : static_cast<uint64_t>(value);
}

template <class T>
T compare_and_swap(volatile T* at, T expected, T desired) {
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// The one 16-byte instruction there is; loads and stores are made of it.
template <>
a128 compare_and_swap(volatile a128* at, a128 expected, a128 desired) {
  auto low = static_cast<uint64_t>(expected);
  auto high = static_cast<uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*at), "+a"(low), "+d"(high)
               : "b"(static_cast<uint64_t>(desired)), "c"(static_cast<uint64_t>(desired >> 64))
               : "cc", "memory");
  return a128{high} << 64 | low;
}

template <class T>
T load(volatile T* at) {
  if constexpr (sizeof(T) > 8) {
    return compare_and_swap(at, T{0}, T{0});
  } else {
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
  }
}

// Replaces the value by what `change` makes of it; returns the old one.
template <class T, class Change>
T modify(volatile T* at, Change change) {
  T seen = load(at);
  for (;;) {
    const T before = compare_and_swap(at, seen, static_cast<T>(change(seen)));
    if (before == seen) return seen;
    seen = before;
  }
}

template <class T>
T atomic_load(volatile T* at, int order, const void* pc) {
  const uint32_t site = site_of_call(pc);
  __foretell_atomic_begin(const_cast<T*>(at), site);
  const T value = load(at);
  __foretell_atomic_read(const_cast<T*>(at), recorded(value), sizeof(T), plain(order), site);
  return value;
}

template <class T>
void atomic_store(volatile T* at, T value, int order, const void* pc) {
  const uint32_t site = site_of_call(pc);
  __foretell_atomic_begin(const_cast<T*>(at), site);
  modify(at, [=](T) { return value; });
  __foretell_atomic_write(const_cast<T*>(at), recorded(value), sizeof(T), plain(order), site);
}

template <class T, class Change>
T atomic_change(volatile T* at, int order, const void* pc, Change change) {
  const uint32_t site = site_of_call(pc);
  __foretell_atomic_begin(const_cast<T*>(at), site);
  const T old = modify(at, change);
  __foretell_atomic_rmw(const_cast<T*>(at), recorded(old), recorded(static_cast<T>(change(old))),
                        sizeof(T), plain(order), site);
  return old;
}

template <class T>
T atomic_compare(volatile T* at, T expected, T desired, int order, int failure_order,
                 const void* pc) {
  const uint32_t site = site_of_call(pc);
  __foretell_atomic_begin(const_cast<T*>(at), site);
  const T old = compare_and_swap(at, expected, desired);
  if (old == expected) {
    __foretell_atomic_rmw(const_cast<T*>(at), recorded(old), recorded(desired), sizeof(T),
                          plain(order), site);
  } else {
    __foretell_atomic_read(const_cast<T*>(at), recorded(old), sizeof(T), plain(failure_order),
                           site);
  }
  return old;
}

}  // namespace

#define FORETELL_TSAN extern "C" __attribute__((visibility("default")))
#define FORETELL_HERE __builtin_return_address(0)

#define FORETELL_CHANGE(bits, name, change)                                                 \
  FORETELL_TSAN a##bits __tsan_atomic##bits##_##name(volatile a##bits* at, a##bits operand, \
                                                     int order) {                           \
    return atomic_change(at, order, FORETELL_HERE, [=](a##bits old) { return change; });    \
  }

#define FORETELL_ATOMIC(bits)                                                                      \
  FORETELL_TSAN a##bits __tsan_atomic##bits##_load(const volatile a##bits* at, int order) {        \
    return atomic_load(const_cast<volatile a##bits*>(at), order, FORETELL_HERE);                   \
  }                                                                                                \
  FORETELL_TSAN void __tsan_atomic##bits##_store(volatile a##bits* at, a##bits value, int order) { \
    atomic_store(at, value, order, FORETELL_HERE);                                                 \
  }                                                                                                \
  FORETELL_CHANGE(bits, exchange, (static_cast<void>(old), operand))                               \
  FORETELL_CHANGE(bits, fetch_add, old + operand)                                                  \
  FORETELL_CHANGE(bits, fetch_sub, old - operand)                                                  \
  FORETELL_CHANGE(bits, fetch_and, old& operand)                                                   \
  FORETELL_CHANGE(bits, fetch_or, old | operand)                                                   \
  FORETELL_CHANGE(bits, fetch_xor, old ^ operand)                                                  \
  FORETELL_CHANGE(bits, fetch_nand, ~(old & operand))                                              \
  FORETELL_TSAN a##bits __tsan_atomic##bits##_compare_exchange_val(                                \
      volatile a##bits* at, a##bits expected, a##bits desired, int order, int failure_order) {     \
    return atomic_compare(at, expected, desired, order, failure_order, FORETELL_HERE);             \
  }                                                                                                \
  FORETELL_TSAN int __tsan_atomic##bits##_compare_exchange_strong(                                 \
      volatile a##bits* at, a##bits* expected, a##bits desired, int order, int failure_order) {    \
    const a##bits wanted = *expected;                                                              \
    *expected = atomic_compare(at, wanted, desired, order, failure_order, FORETELL_HERE);          \
    return *expected == wanted;                                                                    \
  }                                                                                                \
  FORETELL_TSAN int __tsan_atomic##bits##_compare_exchange_weak(                                   \
      volatile a##bits* at, a##bits* expected, a##bits desired, int order, int failure_order) {    \
    const a##bits wanted = *expected;                                                              \
    *expected = atomic_compare(at, wanted, desired, order, failure_order, FORETELL_HERE);          \
    return *expected == wanted;                                                                    \
  }
FORETELL_ATOMIC(8)
FORETELL_ATOMIC(16)
FORETELL_ATOMIC(32)
FORETELL_ATOMIC(64)
FORETELL_ATOMIC(128)

FORETELL_TSAN void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __foretell_fence(plain(order), site_of_call(FORETELL_HERE));
}

FORETELL_TSAN void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
