// SPDX-License-Identifier: Apache-2.0

#include "launch/runtime_options.h"

#include <algorithm>
#include <cstdlib>

#include "base/split.h"

namespace foretell::launch {

RuntimeOptions RuntimeOptions::from_environment() {
  RuntimeOptions options;
  const char* text = std::getenv("FORETELL_OPTIONS");
  if (text == nullptr) return options;
  for (std::string_view entry : split(text, ':')) {
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    options.entries_.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return options;
}

RuntimeOptions& RuntimeOptions::set(std::string_view key, std::string_view value) {
  std::string escaped;
  for (char c : value) {
    switch (c) {
      case ':':
        escaped += "%3A";
        break;
      case '=':
        escaped += "%3D";
        break;
      case '%':
        escaped += "%25";
        break;
      default:
        escaped += c;
    }
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; });
  entries_.emplace_back(key, std::move(escaped));
  return *this;
}

RuntimeOptions& RuntimeOptions::set(std::string_view key, uint64_t value) {
  return set(key, std::to_string(value));
}

std::string RuntimeOptions::to_string() const {
  std::string text;
  for (const auto& [key, value] : entries_) {
    if (!text.empty()) text += ':';
    text.append(key).append("=").append(value);
  }
  return text;
}

RuntimeOptions::Variables RuntimeOptions::environment(Variables own) const {
  constexpr std::string_view kIdling = "KMP_BLOCKTIME";
  const bool is_set =
      std::getenv(kIdling.data()) != nullptr ||
      std::ranges::any_of(own, [&](const auto& one) { return one.first == kIdling; });
  // Idle threads of OpenMP go to sleep after a while of real time, which no run repeats.
  if (!is_set) own.emplace_back(kIdling, "infinite");
  own.emplace_back("FORETELL_OPTIONS", to_string());
  return own;
}

}  // namespace foretell::launch
