// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/recorded_facts.h"

#include <fmt/format.h>

namespace foretell::recording {

void set_header_facts(const trace::RecordingFacts& recording, const Modules& modules,
                      trace::RunFacts& facts) {
  facts.recording = recording;
  // Code that was not instrumented writes memory, too.
  facts.has_unrecorded_writes = true;
  facts.skipped = modules.skipped();
  facts.repeated = modules.repeated();
}

void set_seen_facts(const Translator& translator, const trace::TraceTables& tables,
                    trace::RunFacts& facts) {
  facts.creations.clear();
  for (auto [child, parent] : translator.parents()) {
    if (parent != 0) facts.creations.push_back({child, parent});
  }
  facts.titles.clear();
  for (const auto& [number, title] : translator.thread_names()) {
    facts.titles.push_back({fmt::format("T{}", number), title});
  }
  facts.unserved.clear();
  if (facts.recording && facts.recording->state == State::deadlock) {
    for (const auto& [number, waiting] : translator.waiting()) {
      facts.unserved.push_back({.thread = fmt::format("T{}", number),
                                .index = EventIndex{waiting.index},
                                .awaited = waiting.awaited,
                                .object = waiting.object,
                                .site = tables.site_name(waiting.site)});
    }
  }
  facts.benign = translator.benign();
  facts.zeroed = translator.locations().zeroed();
}

}  // namespace foretell::recording
