// SPDX-License-Identifier: Apache-2.0

#include "report/determinism_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/determinism_names.h"

namespace foretell::report {
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
  DeterminismText(const trace::Trace& trace, const analysis::DeterminismResult& result,
                  const DeterminismTextOptions& options)
      : trace_(trace), result_(result), options_(options), names_(trace, options.directory) {}

  std::string write() {
    std::map<std::pair<bool, std::string>, Place> places;
    std::vector<std::pair<bool, std::string>> order;
    for (const analysis::ReadOutcome& read : result_.reads) {
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
  std::string heading_of(const analysis::ReadOutcome& read) const {
    const std::string variable = names_.variable(read);
    if (read.read == judge::kNoPosition) return fmt::format("at the end: '{}'", variable);
    return fmt::format("{}: read of '{}'", names_.place(trace_.events[read.read]), variable);
  }

  std::string line_of(LocationId location, judge::Position writer) const {
    const std::optional<uint64_t> value = names_.value(location, writer);
    std::string by = "before all writes";
    if (writer != judge::kNoPosition) {
      const trace::Event& e = trace_.events[writer];
      by = fmt::format("written by {} at {}", trace_.tables.threads[e.thread], names_.place(e));
    }
    if (!value) return by;
    constexpr uint64_t kAddresses = uint64_t{1} << 40;
    const auto number = static_cast<int64_t>(*value);
    const bool small = number < 0 ? *value > ~kAddresses : *value < kAddresses;
    return fmt::format("{}, {}", small ? std::to_string(number) : fmt::format("{:#x}", *value), by);
  }

  // "; order (2)", "; orders (1) and (3)"; nothing in the exact mode.
  static std::string orders_text(analysis::WitnessOrders orders) {
    std::vector<std::string> names;
    for (analysis::WitnessOrder order : analysis::WitnessOrders::kAll) {
      if (orders.contains(order)) names.push_back(fmt::format("({})", static_cast<int>(order)));
    }
    if (names.empty()) return "";
    return fmt::format("; order{} {}", names.size() > 1 ? "s" : "", fmt::join(names, " and "));
  }

  void add(const analysis::ReadOutcome& read, Place& place) const {
    ++place.reads;
    ++place.returned[line_of(read.location, read.recorded)];
    for (const analysis::OtherWrite& other : read.others) {
      std::string line = line_of(read.location, other.writer) + orders_text(other.orders);
      if (other.outcome == judge::JudgeOutcome::gave_up) line += " (not decided)";
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

  static std::string_view verdict_text(DeterminismVerdict verdict) {
    switch (verdict) {
      case DeterminismVerdict::not_deterministic:
        return "not deterministic";
      case DeterminismVerdict::undecided:
        return "not found to be nondeterministic, but not everything was decided";
      case DeterminismVerdict::same_values:
        return "deterministic in its values: other writes that are seen write the same";
      case DeterminismVerdict::deterministic:
        return "deterministic for this run's events";
    }
    return "";
  }

  void put_verdict() {
    const OutcomeCounts counts = count_outcomes(result_);
    out_ += fmt::format("{}: {}\n", options_.name, verdict_text(counts.verdict));
    out_ += "  ";
    if (!options_.final_state) {
      out_ += fmt::format("{} of {} reads and ", counts.reads, result_.examined);
    }
    out_ += fmt::format("{} of {} locations at the end can have another value", counts.at_end,
                        result_.examined_at_end);
    // A read that returns something else may change all that comes after it.
    if (options_.final_state) out_ += " if every read returns what it did";
    if (counts.harmless > 0) {
      out_ += fmt::format(", {} another write of the same value{}", counts.harmless,
                          options_.harmless ? "" : " (--harmless shows them)");
    }
    if (counts.undecided > 0) out_ += fmt::format(", {} not decided", counts.undecided);
    if (result_.not_examined > 0) out_ += fmt::format(", {} not examined", result_.not_examined);
    out_ += '\n';
    const bool has_orders =
        std::ranges::any_of(result_.reads, [](const analysis::ReadOutcome& read) {
          return std::ranges::any_of(
              read.others, [](const analysis::OtherWrite& o) { return !o.orders.empty(); });
        });
    if (!has_orders) return;
    out_ +=
        "  orders of a read r, the write w that it saw and another write c: (1) c, r, w; (2) w, c, "
        "r;\n"
        "  (3) c, r, and w does not occur\n";
  }

  const trace::Trace& trace_;
  const analysis::DeterminismResult& result_;
  const DeterminismTextOptions& options_;
  const DeterminismNames names_;
  std::string out_;
};

}  // namespace

std::string determinism_text(const trace::Trace& trace, const analysis::DeterminismResult& result,
                             const DeterminismTextOptions& options) {
  return DeterminismText(trace, result, options).write();
}

}  // namespace foretell::report
