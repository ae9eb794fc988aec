// SPDX-License-Identifier: Apache-2.0

// What library functions do with pointers (externals.def).
#pragma once

#include <cstdint>
#include <string_view>

namespace foretell::bitcode {

enum class Effect : uint8_t {
  touches,
  copies,
  points_into,
  mixes,
  transmits,
  finds,
  allocates,
  allocates_into_first,
  reallocates,
  calls_on_elements,  // (base, ..., function) or (key, base, ..., function): with pointers into these
  calls_once,         // (flag, function)
  calls_at_thread_exit,  // (function, argument)
  calls_at_exit,         // (function) or (function, argument, handle), on the thread that exits
  starts_thread,         // (handle, attributes, function, argument)
  starts_thread_c11,     // (handle, function, argument)
  starts_std_thread,     // (id, state, ...): runs a virtual function of the state
  joins_thread,          // (handle, result)
  ends_thread,           // (result)
  exits,
  shares,
  unknown,  // in no row
};

Effect effect_of(std::string_view symbol);

}  // namespace foretell::bitcode
