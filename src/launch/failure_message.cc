// SPDX-License-Identifier: Apache-2.0

#include "launch/failure_message.h"

#include "base/split.h"

namespace foretell::launch {
namespace {

// How such a line is known, and what is left out at its end: addresses differ from run to run.
struct Form {
  std::string_view begin;
  std::string_view rest;
};
constexpr Form kForms[] = {
    {"AddressSanitizer: ", " on "},
    {"LeakSanitizer: ", " on "},
    {"MemorySanitizer: ", " on "},
    {"runtime error: ", ""},  // UndefinedBehaviorSanitizer
    {"Assertion `", ""},
    {"terminate called ", ""},
    {"pure virtual method called", ""},
    {"double free or corruption", ""},
    {"free(): ", ""},
    {"malloc(): ", ""},
    {"corrupted ", ""},
    {"*** stack smashing detected ***", ""},
};

constexpr size_t kLongest = 100;

}  // namespace

std::string failure_message_in(std::string_view output) {
  for (std::string_view line : split(output, '\n')) {
    for (const Form& form : kForms) {
      const size_t begin = line.find(form.begin);
      if (begin == std::string_view::npos) continue;
      std::string_view words = line.substr(begin);
      if (!form.rest.empty()) words = words.substr(0, words.find(form.rest));
      if (words.size() > kLongest) return std::string(words.substr(0, kLongest)) + "...";
      return std::string(words);
    }
  }
  return "";
}

}  // namespace foretell::launch
