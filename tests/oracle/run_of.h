// SPDX-License-Identifier: Apache-2.0

// A normalized trace from Tiddle text that is known to be right, for tests.
#pragma once

#include <stdexcept>
#include <string_view>

#include "trace/tiddle/tiddle_reader.h"
#include "trace/trace.h"

namespace foretell::oracle {

inline trace::Trace run_of(std::string_view text) {
  auto raw = trace::parse_tiddle(text);
  if (!raw) throw std::runtime_error(raw.error().to_text());
  auto normal = normalize(std::move(*raw));
  if (!normal) throw std::runtime_error(normal.error().to_text());
  return std::move(*normal);
}

}  // namespace foretell::oracle
