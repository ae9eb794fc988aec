// SPDX-License-Identifier: Apache-2.0

#include "trace/run_facts_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "base/split.h"

namespace foretell::trace {
namespace {

using recording::Awaited;
using recording::Divergence;
using recording::State;

constexpr std::string_view kTitle = "thread-name.";
constexpr std::string_view kWaiting = "waiting.";
constexpr std::string_view kWaitingAt = "waiting-at.";
constexpr std::string_view kBenign = "benign.";
constexpr std::string_view kZeroed = "zeroed.";
constexpr std::string_view kStatement = "statement.";

// Counts that are left out when they are 0, in the order of the file.
struct CountKey {
  std::string_view key;
  uint64_t RecordingFacts::* field;
};
constexpr CountKey kCounts[] = {{"uncontrolled", &RecordingFacts::uncontrolled},
                                {"watchdog", &RecordingFacts::watchdog_count},
                                {"dropped", &RecordingFacts::dropped_bytes},
                                {"ignored", &RecordingFacts::skipped_ignored},
                                {"repeated_reads", &RecordingFacts::repeated_reads},
                                {"forks", &RecordingFacts::forks},
                                {"cut_at_end", &RecordingFacts::cut_at_end},
                                {"schedule_steps", &RecordingFacts::schedule_steps}};
// Those that every recording has.
constexpr CountKey kNumbers[] = {{"seed", &RecordingFacts::seed},
                                 {"status", &RecordingFacts::status},
                                 {"start_time_ns", &RecordingFacts::start_time_ns}};

std::optional<uint64_t> number(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes `separator` and the number after it from the end of `text`.
std::optional<uint64_t> take_number(std::string_view& text, std::string_view separator) {
  const size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto value = number(text.substr(at + separator.size()));
  if (value) text = text.substr(0, at);
  return value;
}

template <class Enum>
std::optional<Enum> enum_from(std::string_view word, std::initializer_list<Enum> all) {
  for (Enum one : all) {
    if (word_of(one) == word) return one;
  }
  return std::nullopt;
}

// "hits+8:8 from 120 to 340": memory, and the events between which it is benign.
std::string text_of(const BenignRange& benign, const TraceTables& tables) {
  std::string text =
      fmt::format("{} from {}", tables.location_name(benign.memory), to_index(benign.first));
  if (benign.end != kNoEvent) text += fmt::format(" to {}", to_index(benign.end));
  return text;
}

// "hits+8:8" or "0x9010:4", as TraceTables::location_name writes them.
std::optional<Location> parse_range(std::string_view text, const TraceTables& tables) {
  constexpr StringId kAbsent{UINT32_MAX};
  Location range;
  const auto size = take_number(text, ":");
  if (!size) return std::nullopt;
  range.size = *size;
  if (const auto offset = take_number(text, "+")) {
    range.offset = *offset;
    range.space = tables.strings.find(text, kAbsent);
    if (range.space == kAbsent) return std::nullopt;
    return range;
  }
  if (!text.starts_with("0x")) return std::nullopt;
  const auto address = number(text.substr(2), 16);
  if (!address) return std::nullopt;
  range.offset = *address;
  return range;
}

std::optional<BenignRange> parse_benign(std::string_view text, const TraceTables& tables) {
  BenignRange benign;
  if (const auto end = take_number(text, " to ")) benign.end = EventIndex{*end};
  const auto first = take_number(text, " from ");
  const auto memory = parse_range(text, tables);
  if (!first || !memory) return std::nullopt;
  benign.first = EventIndex{*first};
  benign.memory = *memory;
  return benign;
}

// "C1 scope S1 S2 uses R1 changes x:0": sites by their numbers in the table of sites.
std::string text_of(const StatementFacts& facts) {
  std::string text = fmt::format("{}", to_index(facts.statement));
  auto put_sites = [&](std::string_view word, const std::vector<SiteId>& sites) {
    if (!sites.empty()) text += fmt::format(" {}", word);
    for (SiteId site : sites) text += fmt::format(" {}", to_index(site));
  };
  put_sites("scope", facts.scope);
  put_sites("uses", facts.uses);
  if (!facts.changes.empty()) text += " changes";
  for (const Location& range : facts.changes) {
    text += fmt::format(" {}:{}:{}", to_index(range.space), range.offset, range.size);
  }
  return text;
}

std::optional<StatementFacts> parse_statement(std::string_view text, const TraceTables& tables) {
  StatementFacts facts;
  std::vector<SiteId>* sites = nullptr;
  bool first = true;
  for (std::string_view word : split(text, ' ')) {
    if (word == "scope" || word == "uses" || word == "changes") {
      sites = word == "scope" ? &facts.scope : word == "uses" ? &facts.uses : nullptr;
      continue;
    }
    if (const size_t colon = word.find(':'); colon != std::string_view::npos) {
      const size_t second = word.find(':', colon + 1);
      if (second == std::string_view::npos) return std::nullopt;
      const auto space = number(word.substr(0, colon));
      const auto offset = number(word.substr(colon + 1, second - colon - 1));
      const auto size = number(word.substr(second + 1));
      if (!space || *space >= tables.strings.size() || !offset || !size) return std::nullopt;
      facts.changes.push_back({StringId{static_cast<uint32_t>(*space)}, *offset, *size});
      continue;
    }
    const auto site = number(word);
    if (!site || *site >= tables.sites.size()) return std::nullopt;
    const SiteId id{static_cast<uint32_t>(*site)};
    if (std::exchange(first, false)) {
      facts.statement = id;
    } else if (sites != nullptr) {
      sites->push_back(id);
    } else {
      return std::nullopt;
    }
  }
  if (first) return std::nullopt;
  return facts;
}

// "120 down slots": the first event after the wait began, what it waits for.
std::string text_of(const UnservedWait& wait) {
  return fmt::format("{} {} {}", to_index(wait.index), word_of(wait.awaited), wait.object);
}

std::optional<UnservedWait> parse_wait(std::string_view thread, std::string_view text) {
  const size_t first = text.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = text.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto index = number(text.substr(0, first));
  const auto awaited =
      enum_from<Awaited>(text.substr(first + 1, second - first - 1),
                         {Awaited::semaphore, Awaited::thread, Awaited::futex, Awaited::once});
  if (!index || !awaited) return std::nullopt;
  return UnservedWait{.thread = std::string(thread),
                      .index = EventIndex{*index},
                      .awaited = *awaited,
                      .object = std::string(text.substr(second + 1)),
                      .site = {}};
}

// "3<1,4<2": threads and who created them.
std::string text_of(const std::vector<ThreadCreation>& creations) {
  std::string text;
  for (const ThreadCreation& one : creations) {
    text += fmt::format("{}{}<{}", text.empty() ? "" : ",", one.thread, one.parent);
  }
  return text;
}

std::optional<std::vector<ThreadCreation>> parse_creations(std::string_view text) {
  std::vector<ThreadCreation> creations;
  for (std::string_view word : split(text, ',')) {
    const size_t at = word.find('<');
    if (at == std::string_view::npos) return std::nullopt;
    const auto thread = number(word.substr(0, at)), parent = number(word.substr(at + 1));
    if (!thread || !parent) return std::nullopt;
    creations.push_back({*thread, *parent});
  }
  return creations;
}

class PropertyWriter {
 public:
  explicit PropertyWriter(const TraceTables& tables) : tables_(tables), facts_(tables.facts) {}

  Properties write() {
    if (facts_.recording) set_outcome(*facts_.recording);
    if (facts_.has_unrecorded_writes) set("unrecorded_writes", "possible");
    if (facts_.needs_writers) set("left_out", "by writers");
    if (facts_.recording) set_details(*facts_.recording);
    set_if_any("skipped", facts_.skipped);
    set_if_any("repeated", facts_.repeated);
    if (facts_.recording && !facts_.recording->error.empty()) set("error", facts_.recording->error);
    if (!facts_.creations.empty()) set("parents", text_of(facts_.creations));
    for (const ThreadTitle& one : facts_.titles) {
      set(std::string(kTitle) + one.thread, one.title);
    }
    for (const UnservedWait& wait : facts_.unserved) {
      set(std::string(kWaiting) + wait.thread, text_of(wait));
      set(std::string(kWaitingAt) + wait.thread, wait.site);
    }
    size_t count = 0;
    for (const BenignRange& benign : facts_.benign) {
      set(fmt::format("{}{}", kBenign, ++count), text_of(benign, tables_));
    }
    count = 0;
    for (const Location& zeros : facts_.zeroed) {
      set(fmt::format("{}{}", kZeroed, ++count), tables_.location_name(zeros));
    }
    count = 0;
    for (const StatementFacts& statement : facts_.statements) {
      set(fmt::format("{}{}", kStatement, ++count), text_of(statement));
    }
    if (facts_.ambiguous) set("ambiguous", *facts_.ambiguous);
    for (const auto& [key, value] : facts_.other.rows()) out_.set(key, value);
    return std::move(out_);
  }

 private:
  void set(std::string_view key, const auto& value) { out_.set(key, fmt::format("{}", value)); }
  void set_if_any(std::string_view key, uint64_t count) {
    if (count > 0) set(key, count);
  }

  void set_outcome(const RecordingFacts& r) {
    set("mode", word_of(r.mode));
    set("seed", r.seed);
    set("state", word_of(r.state));
    set("status", r.status);
    set("start_time_ns", r.start_time_ns);
  }

  void set_details(const RecordingFacts& r) {
    if (r.without_values) set("values", "none");
    for (const CountKey& count : kCounts) set_if_any(count.key, r.*count.field);
    if (r.divergence == Divergence::none) return;
    set("divergence", word_of(r.divergence));
    set("divergence_thread", fmt::format("T{}", r.divergence_thread));
    set("divergence_step", r.divergence_step);
  }

  const TraceTables& tables_;
  const RunFacts& facts_;
  Properties out_;
};

class PropertyReader {
 public:
  explicit PropertyReader(const TraceTables& tables) : tables_(tables) {}

  RunFacts read(const Properties& properties) {
    if (properties.find("mode")) facts_.recording.emplace();
    for (const auto& [key, value] : properties.rows()) {
      const bool known = of_recording(key, value) || of_run(key, value) || of_thread(key, value);
      if (!known) facts_.other.set(key, value);
    }
    return std::move(facts_);
  }

 private:
  // What was understood is put where it belongs.
  template <class T, class Field>
  static bool take(const std::optional<T>& value, Field& field) {
    if (value) field = *value;
    return value.has_value();
  }

  bool of_recording(std::string_view key, std::string_view value) {
    if (!facts_.recording) return false;
    RecordingFacts& r = *facts_.recording;
    for (const auto& table :
         {std::span<const CountKey>(kNumbers), std::span<const CountKey>(kCounts)}) {
      for (const CountKey& count : table) {
        if (count.key == key) return take(number(value), r.*count.field);
      }
    }
    if (key == "mode") return take(parse_mode(value), r.mode);
    if (key == "state") {
      using enum State;
      return take(
          enum_from<State>(value, {running, finished, crashed, deadlock, stopped, replaced}),
          r.state);
    }
    if (key == "divergence") {
      using enum Divergence;
      return take(enum_from<Divergence>(value, {none, blocked, finished, missing}), r.divergence);
    }
    if (key == "divergence_thread" && value.starts_with('T')) {
      return take(number(value.substr(1)), r.divergence_thread);
    }
    if (key == "divergence_step") return take(number(value), r.divergence_step);
    if (key == "values") return r.without_values = value == "none";
    if (key == "error") {
      r.error = value;
      return true;
    }
    return false;
  }

  bool of_run(std::string_view key, std::string_view value) {
    if (key == "unrecorded_writes") return facts_.has_unrecorded_writes = value == "possible";
    if (key == "left_out") return facts_.needs_writers = value == "by writers";
    if (key == "skipped") return take(number(value), facts_.skipped);
    if (key == "repeated") return take(number(value), facts_.repeated);
    if (key == "ambiguous") return take(number(value), facts_.ambiguous);
    if (key == "parents") return take(parse_creations(value), facts_.creations);
    if (key.starts_with(kStatement)) {
      const auto statement = parse_statement(value, tables_);
      if (statement) facts_.statements.push_back(*statement);
      return statement.has_value();
    }
    if (key.starts_with(kZeroed)) {
      const auto zeros = parse_range(value, tables_);
      if (zeros) facts_.zeroed.push_back(*zeros);
      return zeros.has_value();
    }
    if (!key.starts_with(kBenign)) return false;
    const auto benign = parse_benign(value, tables_);
    if (benign) facts_.benign.push_back(*benign);
    return benign.has_value();
  }

  bool of_thread(std::string_view key, std::string_view value) {
    if (key.starts_with(kTitle)) {
      facts_.titles.push_back({std::string(key.substr(kTitle.size())), std::string(value)});
      return true;
    }
    if (key.starts_with(kWaiting)) {
      const auto wait = parse_wait(key.substr(kWaiting.size()), value);
      if (wait) facts_.unserved.push_back(*wait);
      return wait.has_value();
    }
    if (!key.starts_with(kWaitingAt)) return false;
    const auto wait =
        std::ranges::find(facts_.unserved, key.substr(kWaitingAt.size()), &UnservedWait::thread);
    if (wait == facts_.unserved.end()) return false;
    wait->site = value;
    return true;
  }

  const TraceTables& tables_;
  RunFacts facts_;
};

}  // namespace

Properties to_properties(const TraceTables& tables) {
  return PropertyWriter(tables).write();
}

RunFacts facts_from(const Properties& properties, const TraceTables& tables) {
  return PropertyReader(tables).read(properties);
}

}  // namespace foretell::trace
