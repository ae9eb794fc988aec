// SPDX-License-Identifier: Apache-2.0

// The failure message of a program that its libraries ended: the line in which libc, libstdc++ or a
// sanitizer says why.
#pragma once

#include <string>
#include <string_view>

namespace foretell::launch {

// "AddressSanitizer: heap-use-after-free", "Assertion `balance >= 0' failed."; empty if there is no
// such line.
std::string failure_message_in(std::string_view output);

}  // namespace foretell::launch
