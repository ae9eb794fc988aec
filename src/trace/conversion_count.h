// SPDX-License-Identifier: Apache-2.0

// How often the events of a trace were brought into another form.
#pragma once

#include <cstdint>

namespace foretell::trace {

struct ConversionCount {
  uint64_t decoded = 0;     // read from a file
  uint64_t normalized = 0;  // checked and completed by the normalizer

  bool operator==(const ConversionCount&) const = default;
};

}  // namespace foretell::trace
