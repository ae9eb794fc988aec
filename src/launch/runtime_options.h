// SPDX-License-Identifier: Apache-2.0

// FORETELL_OPTIONS: the options of the runtime in a program under Foretell.
//
// "key=value:key=value"; in values %3A, %3D and %25 stand for ':', '=' and '%'. Keys a user has set
// in our own environment are handed on unless we set them ourselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretell::launch {

class RuntimeOptions {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Starts from the FORETELL_OPTIONS of our own environment.
  static RuntimeOptions from_environment();

  RuntimeOptions& set(std::string_view key, std::string_view value);
  RuntimeOptions& set(std::string_view key, uint64_t value);

  std::string to_string() const;
  // The variables of a program under Foretell, after those of its own.
  Variables environment(Variables own = {}) const;

 private:
  Variables entries_;  // values as written in the variable
};

}  // namespace foretell::launch
