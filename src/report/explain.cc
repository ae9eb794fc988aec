// SPDX-License-Identifier: Apache-2.0

#include "report/explain.h"

#include <fmt/format.h>

#include "report/explain_parts.h"
#include "report/read_words.h"
#include "report/remedy.h"
#include "report/summary.h"
#include "report/why_hidden.h"

namespace foretell::report {
namespace {

std::string common_lock(const finding::Finding& f) {
  for (const finding::HeldLock& a : f.events[0].locks) {
    for (const finding::HeldLock& b : f.events[1].locks) {
      if (a.name == b.name && !(a.shared && b.shared)) return a.name;
    }
  }
  return "";
}

class ExplainText {
 public:
  explicit ExplainText(const Explanation& explanation)
      : it_(explanation), f_(explanation.finding) {}

  std::string write() {
    put_what();
    if (const auto* race = f_.as<finding::RaceFinding>()) {
      put_locks();
      put_recorded(race->recorded);
      put_opinions();
    } else {
      out_ += circumstances_text(f_);
      put_orders();
      put_proposers();
    }
    put_stacks();
    put_verdict();
    put_approximations();
    if (!f_.is_dismissed()) put_remedy();
    return std::move(out_);
  }

 private:
  void put_what() {
    out_ += fmt::format("{}: {} [{}]\n", f_.id, headline_of(f_), word_of(f_.verdict));
    for (const finding::DescribedEvent& e : f_.events) {
      out_ += fmt::format("  {} at {}{}\n", doing_text(f_, e), at(e),
                          e.function.empty() ? "" : " in " + e.function);
    }
  }

  void put_stacks() {
    auto has_stack = [](const finding::DescribedEvent& e) { return !e.stack.empty(); };
    if (std::ranges::none_of(f_.events, has_stack)) return;
    out_ += "\nCall stacks\n";
    for (const auto* list : {&f_.events, &f_.origins}) {
      for (const finding::DescribedEvent& e : *list) {
        if (!has_stack(e)) continue;
        out_ += fmt::format("  {}\n", doing_text(f_, e));
        for (const finding::StackFrame& frame : e.stack) {
          out_ += fmt::format("    {}{}{}\n", frame.function.empty() ? "?" : frame.function,
                              frame.site.empty() ? "" : " at ", frame.site);
        }
      }
    }
  }

  void put_locks() {
    out_ += "\nLocks\n";
    for (const finding::DescribedEvent& e : f_.events) {
      out_ += fmt::format("  {} {}.\n", thread_text(e), locks_text(e));
    }
    const std::string common = common_lock(f_);
    out_ += common.empty() ? "  No lock is held at both.\n"
                           : fmt::format("  Both hold '{}', which keeps them apart.\n", common);
  }

  void put_recorded(const finding::RecordedOrder& order) {
    out_ += "\nThe recorded run\n";
    switch (order.kind) {
      case finding::RecordedOrder::Kind::unknown:
        out_ += f_.witness
                    ? "  How it ordered the two is not known: they are too far apart, or a weak "
                      "memory order is\n  involved.\n"
                    : "  There is no witness to compare it with.\n";
        return;
      case finding::RecordedOrder::Kind::unordered:
        out_ += fmt::format("  Nothing ordered the two; {}.\n", why_hidden(f_));
        return;
      case finding::RecordedOrder::Kind::ordered:
        break;
    }
    out_ += fmt::format("  It had the first before the second, {} step{} later, because\n",
                        order.steps_between + 1, order.steps_between == 0 ? "" : "s");
    put_path(order);
    if (order.hiding_edge() != nullptr) {
      out_ +=
          "  Nothing requires the order marked as accidental: in the witness the second of its two "
          "comes\n"
          "  without the first, and every read still returns what it returned.\n";
    }
  }

  void put_path(const finding::RecordedOrder& order) {
    for (const finding::OrderEdge& edge : order.path) {
      out_ += fmt::format("    {} did '{}' ({}) before {} did '{}' ({}){}\n", edge.from.thread,
                          step_text(edge.from), at(edge.from), edge.to.thread, step_text(edge.to),
                          at(edge.to), edge.is_broken ? "  <- accidental" : "");
    }
  }

  // Of everything but races.
  void put_orders() {
    out_ += "\nThe recorded run\n";
    if (it_.context.orders.empty()) {
      out_ += fmt::format("  {}\n", unwatched_text(f_));
      return;
    }
    bool by_chance = false;
    for (const auto& [a, b, order] : it_.context.orders) {
      out_ += fmt::format("  {} was at {} {} step{} before {} was at {}", a.thread, at(a),
                          order.steps_between + 1, order.steps_between == 0 ? "" : "s", b.thread,
                          at(b));
      switch (order.kind) {
        case finding::RecordedOrder::Kind::unknown:
          out_ += "; what ordered them is not known.\n";
          continue;
        case finding::RecordedOrder::Kind::unordered:
          out_ += "; nothing ordered them.\n";
          continue;
        case finding::RecordedOrder::Kind::ordered:
          out_ += ", because\n";
          break;
      }
      put_path(order);
      by_chance |= order.hiding_edge() != nullptr;
    }
    if (by_chance) {
      out_ +=
          "  Nothing requires an order marked as accidental: in the witness the second of its two "
          "comes\n"
          "  without the first.\n";
    }
  }

  void put_proposers() {
    if (it_.context.opinions.empty()) return;
    out_ += "\nWhat each analysis reports\n";
    for (const pipeline::FindingOpinion& opinion : it_.context.opinions) {
      out_ += fmt::format("  {:<25} {:<16} ({})\n", opinion.analysis->name,
                          opinion.proposes ? "proposes it" : "does not propose",
                          opinion.analysis->finds);
    }
  }

  void put_remedy() {
    out_ += "\nWhat would rule it out\n";
    const std::string remedy = remedy_for(f_);
    if (!remedy.empty()) out_ += fmt::format("  One way: {}.\n", remedy);
    out_ += fmt::format("  {}\n", ruled_out_text(f_));
  }

  void put_opinions() {
    if (it_.opinions.empty()) return;
    out_ += "\nWhat each analysis makes of the two\n";
    for (const pipeline::PairOpinion& opinion : it_.opinions) {
      out_ += fmt::format("  {:<18} {:<8} ({})\n", opinion.analysis->name,
                          opinion.is_race ? "a race" : "no race", opinion.analysis->finds);
    }
  }

  void put_verdict() {
    out_ += "\nVerdict\n";
    switch (f_.verdict) {
      case finding::Verdict::confirmed:
        out_ += "  Confirmed: it happened on the real program, under the schedule below.\n";
        break;
      case finding::Verdict::unordered:
        out_ += fmt::format("  Unordered by the language's rules: {}.\n", f_.reason);
        break;
      case finding::Verdict::predicted:
        out_ +=
            "  Predicted: an interleaving of the recorded events that shows it was built and "
            "passed\n"
            "  the checker.\n";
        if (const std::string_view assumption = assumption_of(f_); !assumption.empty()) {
          out_ += fmt::format("  It assumes that {}.\n", assumption);
        }
        break;
      case finding::Verdict::possible:
        out_ += fmt::format("  Possible only: {}.\n", f_.reason);
        break;
      case finding::Verdict::dismissed:
        out_ += fmt::format("  Dismissed, because {}.\n", f_.reason);
        return;
    }
    if (!f_.consequence.empty()) out_ += fmt::format("  Consequence: {}.\n", f_.consequence);
    if (!f_.replay.empty()) out_ += fmt::format("  Replay: {}\n", f_.replay);
    if (f_.witness) {
      const uint64_t steps = f_.witness->prefix_end + f_.witness->steps.size();
      out_ += fmt::format("  The witness has {} step{}.", steps, steps == 1 ? "" : "s");
      out_ += f_.schedule ? fmt::format(" Schedule: {}\n", f_.schedule->to_string()) : "\n";
    }
  }

  void put_approximations() {
    out_ += "\nApproximations\n";
    const std::string assumed = assumption_text(f_);
    if (it_.approximations.empty() && assumed.empty()) out_ += "  None.\n";
    if (!assumed.empty()) out_ += fmt::format("  {}\n", assumed);
    for (const std::string& sentence : it_.approximations) out_ += fmt::format("  {}\n", sentence);
  }

  const Explanation& it_;
  const finding::Finding& f_;
  std::string out_;
};

}  // namespace

std::vector<std::string> approximations_of(const trace::RunFacts& facts) {
  std::vector<std::string> sentences;
  auto add = [&](uint64_t count, std::string_view sentence) {
    if (count > 0) sentences.push_back(fmt::format(fmt::runtime(sentence), count));
  };
  const trace::RecordingFacts recording = facts.recording.value_or(trace::RecordingFacts{});
  if (facts.recording && recording.mode == recording::Mode::parallel) {
    sentences.push_back(
        "Threads ran at once: accesses between synchronizations were ordered afterward, by "
        "value.");
  }
  add(recording.uncontrolled, "Blocking system calls left the order uncontrolled {} times.");
  add(recording.watchdog_count, "Threads were lost in code that was not instrumented {} times.");
  add(recording.cut_at_end,
      "{} threads had more to do when the process ended; they ran on for a bounded number of "
      "steps.");
  add(recording.dropped_bytes, "{} bytes of the recording were lost.");
  add(recording.skipped_ignored, "{} accesses in ignored regions were not recorded.");
  if (recording.without_values) sentences.push_back("Values of accesses were not recorded.");
  add(facts.skipped,
      "The compiler pass left {} accesses of private stack memory out: no other thread sees them.");
  add(facts.repeated,
      "It left {} repeated accesses out: the same thread, place and location, nothing in between.");
  add(recording.repeated_reads,
      "{} reads were not recorded because their thread had read the same there since its last "
      "synchronization.");
  if (facts.has_unrecorded_writes) {
    sentences.push_back("What code that was not instrumented reads and writes is not seen.");
  }
  return sentences;
}

std::string explain_text(const Explanation& explanation) {
  return ExplainText(explanation).write();
}

}  // namespace foretell::report
