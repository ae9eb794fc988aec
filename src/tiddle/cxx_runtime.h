// SPDX-License-Identifier: Apache-2.0

// The fixed text at the head of every C++ program that the Tiddle compiler writes.
#pragma once

#include <string_view>

namespace foretell::tiddle {

extern const std::string_view kCxxIncludes;
extern const std::string_view kCxxRuntime;   // what is hidden from detectors
extern const std::string_view kCxxLockstep;  // turns
extern const std::string_view kCxxWords;     // typed pointers into byte arrays
extern const std::string_view kCxxWaiter;    // waits on conditions in lockstep
extern const std::string_view kCxxFreeWaiter;
extern const std::string_view kCxxAnnotations;

}  // namespace foretell::tiddle
