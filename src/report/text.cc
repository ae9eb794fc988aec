// SPDX-License-Identifier: Apache-2.0

#include "report/text.h"

#include <fmt/format.h>

#include <map>

#include "report/atomicity_text.h"
#include "report/deadlock_text.h"
#include "report/lanes.h"
#include "report/located.h"
#include "report/property_text.h"
#include "report/read_words.h"
#include "report/remedy.h"
#include "report/seen_values.h"
#include "report/source.h"
#include "report/source_notes.h"
#include "report/summary.h"
#include "report/why_hidden.h"

namespace foretell::report {
namespace {

class TextReport {
 public:
  TextReport(const finding::AnalysisResult& result, const TextOptions& options)
      : result_(result), options_(options) {}

  std::string write() {
    for (const Diagnostic& warning : result_.warnings) out_ += warning.to_text("warning");
    for (const finding::Finding& f : result_.findings) {
      if (f.suppressed || (f.verdict == finding::Verdict::possible && !options_.possible)) continue;
      if (f.baseline == finding::BaselineState::known) {
        put_known(f);
      } else {
        put_finding(f);
        put_tests(f);
      }
    }
    if (options_.dismissed) {
      for (const finding::Finding& f : result_.dismissed) put_dismissed(f);
    }
    put_properties();
    put_inferred();
    for (const finding::AbsentFinding& f : result_.fixed) {
      out_ += fmt::format("{}: {} is no longer found\n", paint("fixed", "1;32"), f.text);
    }
    for (const Diagnostic& note : result_.notes) out_ += note.to_text("note");
    for (const Diagnostic& note : source_notes(result_)) out_ += note.to_text("note");
    put_summary();
    if (options_.stats) put_stats();
    return std::move(out_);
  }

  std::string write_only(const finding::Finding& f) {
    put_finding(f);
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view text, std::string_view code) const {
    return options_.color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }

  std::string place(const finding::DescribedEvent& e) const {
    return e.site.empty() ? fmt::format("{}: event {}", result_.trace.name, to_index(e.index))
                          : e.site;
  }

  std::string severity(finding::Verdict verdict) const {
    switch (verdict) {
      case finding::Verdict::confirmed:
      case finding::Verdict::unordered:
        return paint("error", "1;31");
      case finding::Verdict::predicted:
        return paint("warning", "1;35");
      case finding::Verdict::possible:
      case finding::Verdict::dismissed:
        return paint("note", "1;36");
    }
    return "";
  }

  static std::string counted(uint64_t count, std::string_view noun) {
    if (count == 1) return fmt::format("1 {}", noun);
    const bool is_ies = noun.ends_with('y') && !noun.ends_with("ay") && !noun.ends_with("ey");
    return is_ies ? fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1))
                  : fmt::format("{} {}s", count, noun);
  }

  void put_headline(const finding::Finding& f, const std::string& place, std::string_view what) {
    out_ += fmt::format("{}: {}: {} [{}, {}]\n", paint(place, "1"), severity(f.verdict),
                        paint(what, "1"), f.id, word_of(f.verdict));
  }

  // Everybody knows it: one line, to be found again.
  void put_known(const finding::Finding& f) {
    out_ += fmt::format("{}: {}: {} [{}, {}]\n", paint(place(f.events[0]), "1"),
                        paint("known", "1;36"), headline_of(f), f.id, word_of(f.verdict));
  }

  // Below the finding, before the empty line that ends it.
  void put_tests(const finding::Finding& f) {
    if (f.seen_in.empty()) return;
    if (out_.ends_with("\n\n")) out_.pop_back();
    // `foretell explore` says which run of the program.
    const bool is_run = is_run_of_many(f.seen_in[0]);
    const std::string_view word = is_run ? "first in" : f.seen_in.size() == 1 ? "test" : "tests";
    out_ += fmt::format("  {:<8}{}{}\n\n", word, is_run ? " " : "", tests_text(f));
  }

  void put_finding(const finding::Finding& f) {
    if (is_located(f)) {
      auto paint_it = [this](std::string_view text, std::string_view code) {
        return paint(text, code);
      };
      out_ += located_text(f, {paint_it, severity(f.verdict), options_.columns, options_.utf8});
      return;
    }
    std::visit([&](const auto& details) { put(f, details); }, f.details);
  }

  // Without source places, each kind in its own way.

  void put(const finding::Finding& f, const finding::RaceFinding&) {
    put_headline(f, place(f.events[0]), headline_of(f));
    put_accesses(f);
    put_witness(f, 2);
    put_end(f);
  }

  void put(const finding::Finding& f, const finding::NondeterminismFinding& read) {
    const SeenValues values(f);
    put_headline(f, place(f.events[0]), fmt::format("'{}' is {}", read.location, values.both()));
    put_accesses(f);
    out_ += fmt::format("  it was written by {}\n", values.recorded_writer);
    if (f.events.size() == 1) out_ += "  it can be the value before all writes\n";
    put_witness(f, 1);
    put_end(f);
  }

  void put(const finding::Finding& f, const finding::MisuseFinding&) {
    put_headline(f, place(f.events[0]), headline_of(f));
    out_ += fmt::format("  by {}, {}\n", thread_text(f.events[0]), holding_text(f.events[0]));
    put_end(f);
  }

  void put(const finding::Finding& f, const finding::PropertyFinding& property) {
    put_headline(f, place(f.events[0]), headline_of(f));
    out_ += property_text(property);
    put_witness(f, 1);
    put_end(f);
  }

  void put_accesses(const finding::Finding& f) {
    for (const finding::DescribedEvent& e : f.events) {
      const trace::EventKind kind = e.operation.kind().value_or(trace::EventKind::Write);
      const std::string_view verb = verb_of(kind);
      const std::string_view other = is_destruction(e) ? "destroys" : "uses";
      out_ += fmt::format("  thread {} {} it{} at {}, {}\n", e.thread, verb.empty() ? other : verb,
                          is_atomic_access(kind) ? " atomically" : "", place(e), holding_text(e));
    }
  }

  void put_witness(const finding::Finding& f, size_t together) {
    if (!f.witness) {
      const bool unordered = f.verdict == finding::Verdict::unordered;
      out_ += fmt::format("  {}: {}\n", unordered ? "By the rules of C and C++" : "No witness",
                          f.reason);
      return;
    }
    out_ +=
        "  How it happens\n" + draw_lanes(*f.witness, together, {options_.columns, options_.utf8});
    const std::string why = why_hidden(f);
    if (!why.empty()) out_ += fmt::format("  Why it did not show: {}.\n", why);
  }

  void put_assumption(const finding::Finding& f) {
    const std::string_view assumption = assumption_of(f);
    if (!assumption.empty()) out_ += fmt::format("  Under the assumption that {}.\n", assumption);
  }

  void put_end(const finding::Finding& f) {
    put_assumption(f);
    if (!f.replay.empty()) out_ += fmt::format("  Replay: {}\n", f.replay);
    out_ += "  found by ";
    for (size_t i = 0; i < f.analyses.size(); ++i) {
      out_ += fmt::format("{}{}", i ? ", " : "", f.analyses[i]);
    }
    if (f.occurrences > 1) out_ += fmt::format(" (seen {} times)", f.occurrences);
    out_ += "\n\n";
  }

  void put(const finding::Finding& f, const finding::DeadlockFinding&) {
    put_headline(f, result_.trace.name, "deadlock");
    for (const finding::DescribedEvent& e : f.events) {
      out_ += fmt::format("  thread {} waits at {} {}, {}\n", e.thread, place(e),
                          e.object.empty() ? "" : "for " + awaited_text(e), holding_text(e));
    }
    if (f.witness && !f.witness->last_steps.empty()) {
      out_ += "  How it happens\n" +
              draw_deadlock_lanes(*f.witness, f.events, {options_.columns, options_.utf8});
    }
    put_assumption(f);
    if (const std::string fix = remedy_for(f); !fix.empty()) {
      out_ += fmt::format("  fix     {}\n", fix);
    }
    if (!f.reason.empty()) out_ += fmt::format("  No witness: {}\n", f.reason);
    if (!f.replay.empty()) out_ += fmt::format("  Replay: {}\n", f.replay);
    out_ += '\n';
  }

  void put(const finding::Finding& f, const finding::AtomicityFinding&) {
    put_headline(f, place(f.events[0]), headline_of(f));
    out_ +=
        atomicity_body(f, {.place = [this](const finding::DescribedEvent& e) { return place(e); },
                           .paint = [this](auto text, auto code) { return paint(text, code); },
                           .lanes = {options_.columns, options_.utf8}});
    put_end(f);
  }

  // One line for each property; with --compare a column for each causality.
  void put_properties() {
    if (result_.properties.empty()) return;
    size_t width = 8;
    for (const auto& p : result_.properties) width = std::max(width, p.name.size());
    out_ += fmt::format("{:<{}}  {:>8}  {:>6}  {:<9} {:<15} {:<9} {:>6}\n", "property", width,
                        "bindings", "steps", "this run", "happens-before", "all runs", "cuts");
    for (const finding::CheckedProperty& p : result_.properties) {
      out_ += fmt::format("{:<{}}  {:>8}  {:>6}  {:<9} {:<15} {:<9} {:>6}\n", p.name, width,
                          p.slices, p.steps, word_of(p.recorded), word_of(p.happens_before),
                          word_of(p.reorderings), p.cuts);
    }
    out_ += '\n';
  }

  void put_dismissed(const finding::Finding& f) {
    out_ += fmt::format("{}: {}: no {} '{}' between events {} and {}: {}\n\n", place(f.events[0]),
                        paint("dismissed", "1;36"), row_of(f.kind()).dismissed, f.name(),
                        to_index(f.events[0].index), to_index(f.events.back().index), f.reason);
  }

  // "2 races, 1 deadlock".
  std::string found_text() const {
    std::map<finding::FindingKind, uint64_t> counts;
    for (const finding::Finding& f : result_.findings) {
      if (f.verdict != finding::Verdict::possible && f.is_open()) ++counts[f.kind()];
    }
    std::string text;
    for (const auto& [kind, count] : counts) {
      text += (text.empty() ? "" : ", ") + counted(count, row_of(kind).noun);
    }
    return text;
  }

  // Nothing found where nothing was seen is not "clean".
  std::string nothing_found(bool has_old) const {
    if (!result_.trace.unchecked.empty()) {
      return fmt::format("nothing was checked: {}", result_.trace.unchecked);
    }
    return has_old ? "nothing new" : "no race found";
  }

  void put_inferred() {
    if (result_.inferred.empty()) return;
    out_ += "Functions that nothing showed to be violated, and that could be declared atomic:\n";
    for (const finding::InferredBlock& block : result_.inferred) {
      out_ += fmt::format("  {}  ({}, {})\n", block.function, counted(block.calls, "call"),
                          counted(block.shared, "shared operation"));
    }
    out_ += '\n';
  }

  void put_summary() {
    const finding::TraceSummary& t = result_.trace;
    size_t possible = 0, suppressed = 0, known = 0, regressions = 0;
    for (const finding::Finding& f : result_.findings) {
      possible += f.verdict == finding::Verdict::possible && !f.suppressed;
      suppressed += f.suppressed.has_value();
      if (f.suppressed || f.verdict == finding::Verdict::possible) continue;
      known += f.baseline == finding::BaselineState::known;
      regressions += f.baseline == finding::BaselineState::regression;
    }
    const std::string found = found_text();
    const bool is_new = !result_.findings.empty() &&
                        result_.findings[0].baseline != finding::BaselineState::none &&
                        !found.empty();
    out_ += fmt::format("{}: {}, {}, {}, {}: {}", t.name, counted(t.events, "event"),
                        counted(t.threads, "thread"), counted(t.locks, "lock"),
                        counted(t.locations, "location"),
                        found.empty() ? nothing_found(known + suppressed > 0) : found);
    if (is_new) out_ += " (new)";
    if (regressions > 0) out_ += fmt::format(", {}", counted(regressions, "regression"));
    if (known > 0) out_ += fmt::format(", {} known", known);
    if (!result_.fixed.empty()) out_ += fmt::format(", {} fixed", result_.fixed.size());
    if (!result_.not_run.empty()) out_ += fmt::format(", {} not run", result_.not_run.size());
    if (suppressed > 0) out_ += fmt::format(", {} suppressed", suppressed);
    if (possible > 0) {
      out_ += fmt::format(", {} possible{}", possible,
                          options_.possible ? "" : " (hidden; --possible shows them)");
    }
    if (!result_.dismissed.empty() && !options_.dismissed) {
      out_ += fmt::format(", {} dismissed", result_.dismissed.size());
    }
    out_ += '\n';
  }

  void put_stats() {
    double total = 0;
    for (const finding::PhaseTime& p : result_.phases) total += p.seconds;
    out_ += "\nphase                         seconds    M events/s\n";
    for (const finding::PhaseTime& p : result_.phases) {
      const double rate =
          p.seconds > 0 ? static_cast<double>(result_.trace.events) / p.seconds / 1e6 : 0;
      out_ += fmt::format("{:<28} {:>8.3f}    {:>10.1f}\n", p.name, p.seconds, rate);
    }
    out_ += fmt::format("{:<28} {:>8.3f}\n", "total", total);
    auto times = [](uint64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); };
    out_ += fmt::format("decoded {}, normalized {}\n", times(result_.conversions.decoded),
                        times(result_.conversions.normalized));
    for (const finding::AnalysisStats& a : result_.stats) {
      uint64_t all = 0;
      for (const finding::RuleCount& r : a.rules) all += r.times;
      out_ += fmt::format("\n{}  {:.3f} s\n", a.name, a.seconds);
      for (const finding::RuleCount& r : a.rules) {
        const double share =
            all ? 100 * static_cast<double>(r.times) / static_cast<double>(all) : 0;
        out_ += fmt::format("  {:<26} {:>12} {:>5.1f} %\n", r.rule, r.times, share);
      }
    }
  }

  const finding::AnalysisResult& result_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string to_text(const finding::AnalysisResult& result, const TextOptions& options) {
  finding::AnalysisResult shown = result;
  for (auto* list : {&shown.findings, &shown.dismissed}) {
    for (finding::Finding& f : *list) {
      if (!options.directory.empty()) shorten_paths(f, options.directory);
      make_printable(f);
    }
  }
  return TextReport(shown, options).write();
}

std::string finding_text(const finding::Finding& finding, const std::string& name) {
  finding::AnalysisResult result;
  result.trace.name = name;
  const TextOptions options;
  return TextReport(result, options).write_only(finding);
}

}  // namespace foretell::report
