// SPDX-License-Identifier: Apache-2.0

// What a person can choose about facts.
#pragma once

#include <string>

namespace foretell::bitcode {

struct FactOptions {
  // A specification of library functions, besides the common ones (share/externals.spec).
  std::string externals;
};

}  // namespace foretell::bitcode
