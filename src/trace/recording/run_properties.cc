#include "trace/recording/run_properties.h"

#include <fmt/format.h>

namespace foretell::recording {

void set_header_properties(const RecordingFacts& facts, const Modules& modules,
                           Properties& properties) {
  auto set = [&](std::string_view key, auto value) {
    properties.set(key, fmt::format("{}", value));
  };
  auto set_if_any = [&](std::string_view key, uint64_t count) {
    if (count > 0) set(key, count);
  };
  set("mode", word_of(facts.mode));
  set("seed", facts.seed);
  set("state", word_of(facts.state));
  set("status", facts.status);
  set("start_time_ns", facts.start_time_ns);
  // Code that was not instrumented writes memory, too.
  set("unrecorded_writes", "possible");
  if (facts.without_values) set("values", "none");
  set_if_any("uncontrolled", facts.uncontrolled);
  set_if_any("watchdog", facts.watchdog_count);
  set_if_any("dropped", facts.dropped_bytes);
  set_if_any("ignored", facts.skipped_ignored);
  set_if_any("repeated_reads", facts.repeated_reads);
  set_if_any("forks", facts.forks);
  set_if_any("schedule_steps", facts.schedule_steps);
  if (facts.divergence != Divergence::none) {
    set("divergence", word_of(facts.divergence));
    set("divergence_thread", fmt::format("T{}", facts.divergence_thread));
    set("divergence_step", facts.divergence_step);
  }
  set_if_any("skipped", modules.skipped());
  set_if_any("repeated", modules.repeated());
  if (!facts.error.empty()) set("error", facts.error);
}

void set_seen_properties(const Translator& translator, const TraceTables& tables,
                         Properties& properties) {
  std::string parents;
  for (auto [child, parent] : translator.parents()) {
    if (parent == 0) continue;
    if (!parents.empty()) parents += ',';
    parents += fmt::format("{}<{}", child, parent);
  }
  if (!parents.empty()) properties.set("parents", std::move(parents));
  for (const auto& [number, name] : translator.thread_names()) {
    properties.set(fmt::format("thread-name.T{}", number), name);
  }
  if (properties.find("state") == word_of(State::deadlock)) {
    for (const auto& [thread, waiting] : translator.waiting()) {
      properties.set(fmt::format("waiting.T{}", thread),
                     fmt::format("{} {} {}", waiting.index, waiting.operation, waiting.object));
      properties.set(fmt::format("waiting-at.T{}", thread), tables.site_name(waiting.site));
    }
  }
  size_t number = 0;
  for (const Translator::Benign& benign : translator.benign()) {
    std::string text = fmt::format("{} from {}", tables.location_name(benign.range), benign.first);
    if (benign.end != UINT64_MAX) text += fmt::format(" to {}", benign.end);
    properties.set(fmt::format("benign.{}", ++number), std::move(text));
  }
}

}  // namespace foretell::recording
