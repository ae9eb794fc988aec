// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace foretell::launch {

// As execve takes arguments and environment: valid as long as `strings` is not changed.
inline std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace foretell::launch
