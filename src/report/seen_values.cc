// SPDX-License-Identifier: Apache-2.0

#include "report/seen_values.h"

#include <fmt/format.h>

namespace foretell::report {
namespace {

std::string value_text(const std::optional<uint64_t>& value) {
  if (!value) return "";
  constexpr uint64_t kAddresses = uint64_t{1} << 40;
  const auto number = static_cast<int64_t>(*value);
  const bool small = number > -static_cast<int64_t>(kAddresses);
  if (*value < kAddresses || (number < 0 && small)) return std::to_string(number);
  return fmt::format("{:#x}", *value);
}

std::string writer_text(const finding::DescribedEvent& e) {
  std::string text =
      e.thread_name.empty() ? e.thread : fmt::format("{} '{}'", e.thread, e.thread_name);
  text += e.site.empty() ? fmt::format(" (event {})", to_index(e.index)) : " at " + e.site;
  for (size_t i = 0; i < e.locks.size(); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? ", holding " : ", ", e.locks[i].name);
  }
  return text;
}

}  // namespace

SeenValues::SeenValues(const finding::Finding& finding) {
  constexpr const char* kInitial = "nobody: the initial value";
  const finding::DescribedEvent& read = finding.events[0];
  const auto* details = finding.as<finding::NondeterminismFinding>();
  const bool saw_write = details != nullptr && details->seen_write;
  // The value of a read-modify-write is the one it wrote.
  if (saw_write) {
    const finding::DescribedEvent& write = *details->seen_write;
    recorded_writer = writer_text(write);
    recorded = value_text(write.value);
  } else {
    recorded_writer = kInitial;
  }
  if (recorded.empty() && read.operation != trace::EventKind::AtomicRmw)
    recorded = value_text(read.value);
  if (finding.events.size() > 1) {
    other_writer = writer_text(finding.events[1]);
    other = value_text(finding.events[1].value);
  } else {
    other_writer = kInitial;
  }
}

std::string SeenValues::both() const {
  if (recorded.empty() && other.empty()) return "not the same value in every schedule";
  return fmt::format("{} or {}", recorded.empty() ? "another value" : recorded,
                     other.empty() ? "another value" : other);
}

}  // namespace foretell::report
