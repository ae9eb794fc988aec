#include "report/determinism_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "analysis/determinism/exact/nondeterminism.h"

namespace foretell {
namespace {

constexpr size_t kMostLines = 12;  // of one place

// What is said of one place: reads of one site and variable.
struct Place {
  std::string heading;
  uint64_t reads = 0;
  std::map<std::string, uint64_t> returned, others;  // lines, and how often
  bool certain = false;  // some other write is not only the judge's doubt
};

class DeterminismText {
 public:
  DeterminismText(const Trace& trace, const DeterminismResult& result,
                  const DeterminismTextOptions& options)
      : trace_(trace), result_(result), options_(options) {
    for (const Event& e : trace.events) {
      if (is_access(e.kind)) covers_ = std::max(covers_, e.object + 1);
    }
    initial_.resize(covers_);
    std::vector<bool> written(covers_);
    for (const Event& e : trace.events) {
      if (!is_access(e.kind)) continue;
      const size_t i = to_index(e.location());
      if (is_read(e.kind) && !written[i]) initial_[i] = ReadValues::returned(e);
      if (is_write(e.kind)) written[i] = true;
    }
  }

  std::string write() {
    std::map<std::pair<bool, std::string>, Place> places;
    std::vector<std::pair<bool, std::string>> order;
    for (const ReadOutcome& read : result_.reads) {
      if (read.is_harmless && !options_.harmless) continue;
      const auto key = std::pair(read.is_harmless, heading_of(read));
      auto [it, is_new] = places.try_emplace(key);
      if (is_new) order.push_back(key);
      add(read, it->second);
    }
    for (const auto& key : order) put(key.first, key.second, places[key]);
    put_verdict();
    return std::move(out_);
  }

 private:
  std::string site(const Event& e) const {
    if (e.site == kNoSite) return fmt::format("event {}", to_index(e.index));
    std::string name = trace_.tables.site_name(e.site);
    const std::string prefix = std::string(options_.directory) + '/';
    if (!options_.directory.empty() && name.starts_with(prefix)) name.erase(0, prefix.size());
    return name;
  }

  std::string heading_of(const ReadOutcome& read) const {
    std::string variable = trace_.location_name(read.location);
    if (read.read == kNoPosition) return fmt::format("at the end: '{}'", variable);
    const Event& e = trace_.events[read.read];
    if (e.site != kNoSite) {
      const std::string_view expression =
          trace_.tables.strings[trace_.tables.sites[e.site].expression];
      if (!expression.empty()) variable = expression;
    }
    return fmt::format("{}: read of '{}'", site(e), variable);
  }

  std::string line_of(LocationId location, Position writer) const {
    std::optional<uint64_t> value;
    std::string by = "before all writes";
    if (writer == kNoPosition) {
      value = initial_[to_index(location)];
    } else {
      const Event& e = trace_.events[writer];
      if (e.has_value()) value = e.value;
      by = fmt::format("written by {} at {}", trace_.tables.threads[e.thread], site(e));
    }
    if (!value) return by;
    constexpr uint64_t kAddresses = uint64_t{1} << 40;
    const auto number = static_cast<int64_t>(*value);
    const bool small = number < 0 ? *value > ~kAddresses : *value < kAddresses;
    return fmt::format("{}, {}", small ? std::to_string(number) : fmt::format("{:#x}", *value), by);
  }

  void add(const ReadOutcome& read, Place& place) const {
    ++place.reads;
    ++place.returned[line_of(read.location, read.recorded)];
    for (const SeenWrite& other : read.others) {
      std::string line = line_of(read.location, other.writer);
      if (other.outcome == JudgeOutcome::gave_up) line += " (not decided)";
      ++place.others[line];
    }
  }

  void put_lines(std::string_view word, const std::map<std::string, uint64_t>& lines) {
    size_t shown = 0;
    for (const auto& [line, times] : lines) {
      if (shown++ == kMostLines) {
        out_ += fmt::format("    {:<11}and {} others\n", "", lines.size() - kMostLines);
        return;
      }
      out_ += fmt::format("    {:<11}{}{}\n", word, line,
                          times > 1 ? fmt::format("  ({} times)", times) : "");
    }
  }

  void put(bool harmless, const std::string& heading, const Place& place) {
    out_ += heading;
    if (place.reads > 1) out_ += fmt::format(" ({} times)", place.reads);
    if (harmless) out_ += ", harmless: always the same value";
    out_ += '\n';
    const bool at_end = heading.starts_with("at the end");
    put_lines(at_end ? "was" : "returned", place.returned);
    put_lines(at_end ? "can be" : "can return", place.others);
    out_ += '\n';
  }

  void put_verdict() {
    uint64_t reads = 0, ends = 0, harmless = 0, undecided = 0;
    for (const ReadOutcome& read : result_.reads) {
      const bool certain = std::ranges::any_of(read.others, [](const SeenWrite& other) {
        return other.outcome == JudgeOutcome::witness;
      });
      ++(!certain                   ? undecided
         : read.is_harmless         ? harmless
         : read.read == kNoPosition ? ends
                                    : reads);
    }
    const bool all_decided = undecided == 0 && result_.not_examined == 0;
    std::string_view verdict = "deterministic for this run's events";
    if (reads + ends > 0) {
      verdict = "not deterministic";
    } else if (!all_decided) {
      verdict = "not found to be nondeterministic, but not everything was decided";
    } else if (harmless > 0) {
      verdict = "deterministic in its values: other writes that are seen write the same";
    }
    out_ += fmt::format("{}: {}\n", options_.name, verdict);
    out_ += "  ";
    if (!options_.final_state) out_ += fmt::format("{} of {} reads and ", reads, result_.examined);
    out_ += fmt::format("{} of {} locations at the end can have another value", ends,
                        result_.examined_at_end);
    // A read that returns something else may change all that comes after it.
    if (options_.final_state) out_ += " if every read returns what it did";
    if (harmless > 0) {
      out_ += fmt::format(", {} another write of the same value{}", harmless,
                          options_.harmless ? "" : " (--harmless shows them)");
    }
    if (undecided > 0) out_ += fmt::format(", {} not decided", undecided);
    if (result_.not_examined > 0) out_ += fmt::format(", {} not examined", result_.not_examined);
    out_ += '\n';
  }

  const Trace& trace_;
  const DeterminismResult& result_;
  const DeterminismTextOptions& options_;
  uint32_t covers_ = 0;
  std::vector<std::optional<uint64_t>> initial_;  // by location
  std::string out_;
};

std::string percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0 (0)";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} ({:.1f})", part, share);
}

constexpr const char* kRow =
    "{:<16} {:>4} {:>7} {:>6} {:>6} {:>7} {:>7} {:>6} {:>10} {:>16} {:>15} {:>13} {:>9} {:>8} "
    "{:>8} "
    "{:>15} {:>16} {:>7}\n";

}  // namespace

std::string determinism_text(const Trace& trace, const DeterminismResult& result,
                             const DeterminismTextOptions& options) {
  return DeterminismText(trace, result, options).write();
}

std::string determinism_table_head() {
  return fmt::format(kRow, "trace", "thrs", "evs", "l-evs", "l-vars", "rw-evs", "rw-vars", "wn-evs",
                     "possible", "cycle (%)", "no choice (%)", "choice (%)", "graphs", "explored",
                     "time s", "feasible (%)", "infeasible (%)", "per wit");
}

std::string determinism_table_row(std::string_view name, const Trace& trace,
                                  const DeterminismResult& result) {
  std::set<ThreadId> threads;
  std::set<LockId> locks;
  std::set<LocationId> variables;
  const std::vector<bool> shared = shared_locations(trace);
  uint64_t lock_events = 0, accesses = 0, waits = 0;
  for (const Event& e : trace.events) {
    threads.insert(e.thread);
    const Operands operands = operands_of(e.kind);
    if (operands == Operands::Lock) {
      ++lock_events;
      locks.insert(e.lock());
    } else if (operands == Operands::Wait || operands == Operands::Wake ||
               operands == Operands::Notify) {
      ++waits;
    } else if (is_access(e.kind) && shared[to_index(e.location())]) {
      ++accesses;
      variables.insert(e.location());
    }
  }
  const WitnessCounts &w = result.witnesses, &c = result.choices;
  const auto per_witness = [&](double graphs) {
    if (c.with_choice == 0) return std::string("-");
    return fmt::format("{:.4g}", graphs / static_cast<double>(c.with_choice));
  };
  return fmt::format(kRow, name, threads.size(), trace.events.size(), lock_events, locks.size(),
                     accesses, variables.size(), waits, w.possible, percent(c.cycles, c.possible),
                     percent(c.no_choice, c.possible), percent(c.with_choice, c.possible),
                     per_witness(c.possible_choice_graphs),
                     per_witness(static_cast<double>(c.explored_choice_graphs)),
                     fmt::format("{:.4f}", result.seconds), percent(w.feasible, w.possible),
                     percent(w.infeasible(), w.possible),
                     fmt::format("{:.3f}", c.graphs_per_witness()));
}

}  // namespace foretell
