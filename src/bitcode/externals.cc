// SPDX-License-Identifier: Apache-2.0

#include "bitcode/externals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"

namespace foretell::bitcode {
namespace {

constexpr std::pair<std::string_view, Effect> kEffects[] = {
    {"touches", Effect::touches},
#define FORETELL_EFFECT(name) {#name, Effect::name},
#include "bitcode/effects.def"
};

// The words of a line, without its comment.
std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    words.push_back(word);
    line.remove_prefix(word.size());
  }
  return words;
}

// "1,3" as bits; nothing if it is no such list.
std::optional<uint32_t> arguments_of(std::string_view list) {
  if (list == "none") return 0;
  uint32_t bits = 0;
  while (!list.empty()) {
    unsigned argument = 0;
    const auto [end, problem] = std::from_chars(list.data(), list.data() + list.size(), argument);
    if (problem != std::errc() || argument < 1 || argument > 31) return {};
    bits |= uint32_t{1} << (argument - 1);
    list.remove_prefix(static_cast<size_t>(end - list.data()));
    if (list.empty()) return bits;
    if (list.front() != ',') return {};
    list.remove_prefix(1);
  }
  return {};
}

// False if there is no such word.
bool apply(std::string_view word, External& external) {
  for (const auto& [name, effect] : kEffects) {
    if (word != name) continue;
    external.effect = effect;
    return true;
  }
  if (word == "pure") {
    external.writes = 0;
    external.has_state = false;
    external.returns = true;
  } else if (word == "state") {
    external.has_state = true;
  } else if (word == "synchronizes") {
    external.synchronizes = true;
  } else if (word == "returns") {
    external.returns = true;
  } else if (word.starts_with("writes=")) {
    const std::optional<uint32_t> arguments = arguments_of(word.substr(7));
    if (!arguments) return false;
    external.writes = *arguments;
  } else {
    return false;
  }
  return true;
}

}  // namespace

const Externals& Externals::common() {
  static const Externals* const table = [] {
    auto* made = new Externals;
    CHECK(made->read(common_externals(), "share/externals.spec"));
    return made;
  }();
  return *table;
}

Result<void> Externals::read(std::string_view text, const std::string& where) {
  for (size_t number = 1; !text.empty(); number++) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) continue;
    const std::string place = fmt::format("{}:{}", where, number);
    if (words.size() == 1)
      return fail_at(place, "'{}' has no word that says what it does", words[0]);
    // A row says all that matters: what it does not name does not happen, except for what would be
    // wrong to assume.
    External external{.effect = Effect::touches, .has_state = false};
    for (size_t i = 1; i < words.size(); i++)
      if (!apply(words[i], external))
        return fail_at(place, "'{}' is no word for what a function does", words[i]);
    std::string name(words[0]);
    if (name.ends_with('*')) {
      name.pop_back();
      std::erase_if(prefixes_, [&](const Prefix& prefix) { return prefix.text == name; });
      prefixes_.push_back({name, external});
    } else {
      names_[name] = external;
    }
  }
  // The longest that fits is taken.
  std::ranges::sort(prefixes_, std::ranges::greater{},
                    [](const Prefix& prefix) { return prefix.text.size(); });
  return {};
}

const External& Externals::of(std::string_view symbol) const {
  static const External unknown;
  if (const auto row = names_.find(symbol); row != names_.end()) return row->second;
  for (const Prefix& prefix : prefixes_)
    if (symbol.starts_with(prefix.text)) return prefix.external;
  return unknown;
}

}  // namespace foretell::bitcode
