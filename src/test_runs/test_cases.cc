// SPDX-License-Identifier: Apache-2.0

#include "test_runs/test_cases.h"

#include <algorithm>
#include <set>

namespace foretell::test_runs {

Result<TestCases> TestCases::read(trace::TraceReader& reader) {
  constexpr std::string_view kPrefix = "test:";
  TestCases cases;
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) return std::move(cases);
    for (const trace::Event& e : std::span(batch).first(got)) {
      if (e.kind != trace::EventKind::User) continue;
      const std::string_view name = reader.tables().user_events[e.user_event()];
      if (!name.starts_with(kPrefix)) continue;
      const bool begins = reader.tables().strings[e.arguments()].starts_with('1');
      const std::string test(name.substr(kPrefix.size()));
      cases.marks_.push_back({to_index(e.index), begins ? test : ""});
      if (begins) cases.names_.push_back(test);
    }
  }
}

const std::string& TestCases::at(EventIndex index) const {
  static const std::string kNone;
  const auto after = std::ranges::upper_bound(marks_, to_index(index), {}, &Mark::index);
  return after == marks_.begin() ? kNone : std::prev(after)->name;
}

std::string TestCases::of(const finding::Finding& finding) const {
  std::set<std::string> seen;
  std::string text;
  for (const finding::DescribedEvent& e : finding.events) {
    const std::string& name = at(e.index);
    if (name.empty() || !seen.insert(name).second) continue;
    text += (text.empty() ? "" : " and ") + name;
  }
  return text;
}

}  // namespace foretell::test_runs
