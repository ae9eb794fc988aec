// SPDX-License-Identifier: Apache-2.0

// Hooks for properties: the contract of pass, runtime and reader.
//
// For each function that a property names the pass calls __foretell_property_event at the very
// beginning of the compiler's pipeline, in the body of a function that is compiled here ("call f",
// "return f"), and at the call sites of one that is not. A function that was compiled elsewhere with
// hooks has them in its body, and then the hooks at its call sites are silent: a constructor tells
// the runtime of hooks in bodies before any of them runs.
//
// A hook is one step of its thread, recorded as a user event (Op::User) of this name. If it has more
// than two values, steps called kMoreValues come before it, with two values each.
#pragma once

#include <stdint.h>

namespace foretell::recording {

// The names of hooks in bodies and at call sites, in the tables of the recording.
inline constexpr const char* kMoreValues = "foretell arguments";
inline constexpr const char* kHookMark = "foretell hook ";

enum class ValueType : uint32_t { integer, pointer, real, unknown };

// What a hook passes besides the values, each as 64 bits: how many, of which types.
struct HookSignature {
  static constexpr uint32_t kMost = 24;
  static constexpr uint32_t kResult = 1 << 8;    // the last value is the result
  static constexpr uint32_t kCallSite = 1 << 9;  // not in the body
  static constexpr unsigned kTypes = 16;         // two bits for each value

  static constexpr uint64_t type_bits(ValueType type, uint32_t index) {
    return uint64_t{static_cast<uint32_t>(type)} << (kTypes + 2 * index);
  }
  static constexpr ValueType type_of(uint64_t signature, uint32_t index) {
    return static_cast<ValueType>(signature >> (kTypes + 2 * index) & 3);
  }
  static constexpr uint32_t count_of(uint64_t signature) { return signature & 0xff; }
};

// The `value` of a User record: how many values count, whether the last is a result, their types.
struct UserValue {
  static constexpr uint64_t kResult = 1 << 8;
  static constexpr unsigned kTypes = 16;

  static constexpr uint64_t packed(uint64_t count, bool result, ValueType first, ValueType second) {
    return count | (result ? kResult : 0) | uint64_t{static_cast<uint32_t>(first)} << kTypes |
           uint64_t{static_cast<uint32_t>(second)} << (kTypes + 2);
  }
  static constexpr uint64_t count_of(uint64_t value) { return value & 0xff; }
  static constexpr ValueType type_of(uint64_t value, unsigned index) {
    return static_cast<ValueType>(value >> (kTypes + 2 * index) & 3);
  }
};

}  // namespace foretell::recording

extern "C" {
// `name` is a constant of the program: "call f".
__attribute__((visibility("default"))) void __foretell_property_event(const char* name,
                                                                      uint64_t signature, ...);
// There are hooks of this name; `in_body` says where.
__attribute__((visibility("default"))) void __foretell_property_hook(const char* name, int in_body);
}
