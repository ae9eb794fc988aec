// SPDX-License-Identifier: Apache-2.0

#include "cli/check_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace foretell::cli {
namespace {

using static_analysis::AccessReport;
using static_analysis::Assumption;
using static_analysis::CheckResult;
using static_analysis::PairReport;

}  // namespace

std::string place_text(const static_analysis::Place& place) {
  if (place.file.empty()) return "(unknown place)";
  if (place.column == 0) return fmt::format("{}:{}", place.file, place.line);
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string deed_of(const AccessReport& access) {
  std::string deed = access.is_atomic ? "atomically " : "";
  switch (access.mode) {
    case static_analysis::AccessMode::read:
      deed += "read";
      break;
    case static_analysis::AccessMode::write:
      deed += "written";
      break;
    case static_analysis::AccessMode::update:
      deed += "read or written";
      break;
  }
  return fmt::format(
      "{} by {}{}, holding {}", deed, access.thread, access.many ? ", one of several" : "",
      access.locks.empty() ? "no lock" : fmt::format("{}", fmt::join(access.locks, ", ")));
}

namespace {

std::string text_of(const PairReport& pair) {
  return fmt::format("{}: warning: possible data race on '{}'\n{}: note: {}\n{}: note: {}\n",
                     place_text(pair.first.place), pair.variable, place_text(pair.first.place),
                     deed_of(pair.first), place_text(pair.second.place), deed_of(pair.second));
}

std::string count(size_t number, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

}  // namespace

std::string races_text(const CheckResult& result, const std::string& subject, bool stats) {
  std::string text;
  for (const PairReport& pair : result.pairs) text += text_of(pair);
  for (const Assumption& one : result.unaccepted)
    text += fmt::format("{}: warning: {}\nnote: --assume={} accepts it\n", place_text(one.place),
                        one.reason, one.name);
  const std::string threads = count(result.threads, "kind of thread", "kinds of threads");
  if (result.verdict == static_analysis::Verdict::proved) {
    text += fmt::format("{}: race-free: no schedule and no input has a data race ({})\n", subject,
                        threads);
  } else if (result.pairs.empty()) {
    text += fmt::format("{}: not proved: {} would have to be assumed\n", subject,
                        count(result.unaccepted.size(), "thing", "things"));
  } else {
    text += fmt::format(
        "{}: not proved race-free: {} of accesses that nothing is known to order ({})\n", subject,
        count(result.pairs.size(), "pair", "pairs"), threads);
  }
  for (const Assumption& one : result.accepted)
    text += fmt::format("note: assumed, as you asked: {} is harmless\n", one.name);
  if (!stats) return text;
  for (const auto& [name, milliseconds] : result.phases)
    text += fmt::format("  {:<12} {:8.2f} ms\n", name, milliseconds);
  text += fmt::format("  {} accesses to shared memory, {} conflicting pairs\n", result.accesses,
                      result.shared_pairs);
  return text;
}

}  // namespace foretell::cli
