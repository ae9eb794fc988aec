// SPDX-License-Identifier: Apache-2.0

// The enums of words.def, and for each type T a table kTWords of its words.
#pragma once

#include <stdint.h>

namespace foretell::recording {

// clang-format off
#define FORETELL_ENUM(type, base) enum class type : base {
#define FORETELL_WORD(type, value, word) value,
#define FORETELL_ENUM_END(type) };
#include "words.def"

#define FORETELL_ENUM(type, base) inline constexpr const char* k##type##Words[] = {
#define FORETELL_WORD(type, value, word) word,
#define FORETELL_ENUM_END(type) };
#include "words.def"
// clang-format on

}  // namespace foretell::recording
