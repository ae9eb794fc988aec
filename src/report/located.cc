// SPDX-License-Identifier: Apache-2.0

#include "report/located.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/split.h"
#include "report/atomicity_text.h"
#include "report/deadlock_text.h"
#include "report/lanes.h"
#include "report/property_text.h"
#include "report/read_words.h"
#include "report/remedy.h"
#include "report/seen_values.h"
#include "report/source.h"
#include "report/summary.h"
#include "report/why_hidden.h"

namespace foretell::report {
namespace {

// A schedule up to this length is shown; a longer one is named by its file.
constexpr size_t kLongestShownSchedule = 60;
// Up to here the threads of a deadlock share a line.
constexpr size_t kWidestSentence = 100;

// "4:37" seen from the same file, else the whole place.
std::string place_from(const std::string& site, const std::string& file) {
  const auto place = parse_place(site);
  if (!place || place->file != file) return site;
  return site.substr(file.size() + 1);
}

class LocatedText {
 public:
  LocatedText(const finding::Finding& finding, const LocatedStyle& style)
      : f_(finding), style_(style) {}

  std::string write() {
    std::visit([this](const auto& details) { put(details); }, f_.details);
    put_verdict_reason();
    put_commands();
    return std::move(out_) + '\n';
  }

 private:
  void put_headline(std::string_view what) {
    out_ += fmt::format("{}: {}: {} [{}, {}]\n", style_.paint(f_.events[0].site, "1"),
                        style_.severity, style_.paint(what, "1"), f_.id, word_of(f_.verdict));
  }

  void put(const finding::RaceFinding&) {
    const finding::DescribedEvent& first = f_.events[0];
    const finding::DescribedEvent& second = f_.events[1];
    put_headline(headline_of(f_));
    put_snippet(first);
    const bool other_name = !second.expression.empty() && second.expression != object_of(f_);
    out_ += fmt::format("{}: {}: {} here{} by {}, {}\n", style_.paint(second.site, "1"),
                        style_.paint("note", "1;36"), participle(second),
                        other_name ? fmt::format(" as '{}'", second.expression) : "",
                        thread_text(second), holding_text(second));
    put_callers(second);
    if (f_.verdict == finding::Verdict::unordered) {
      return put_sentence(fmt::format("By the rules of C and C++: {}.", f_.reason));
    }
    if (!f_.witness) {
      out_ += fmt::format("  No witness: {}\n", f_.reason);
      return;
    }
    put_lanes(2);
    const std::string why = why_hidden(f_);
    if (!why.empty()) put_sentence(fmt::format("Why it did not show: {}.", why));
  }

  void put(const finding::NondeterminismFinding&) {
    const SeenValues values(f_);
    put_headline(fmt::format("'{}' is {}", object_of(f_), values.both()));
    put_snippet(f_.events[0]);
    auto put_value = [&](std::string_view verb, const std::string& value, const std::string& by) {
      out_ += fmt::format("  {} {}{}written by {}\n", verb, value,
                          value.empty() ? "what was " : ", ", by);
    };
    put_value("it returned", values.recorded, values.recorded_writer);
    put_value("it can return", values.other, values.other_writer);
    if (f_.witness) {
      put_lanes(1);
    } else {
      out_ += fmt::format("  No witness: {}\n", f_.reason);
    }
  }

  void put_snippet(const finding::DescribedEvent& e) {
    const std::string comment =
        fmt::format("{} by {}, {}", participle(e), thread_text(e), holding_text(e));
    const auto place = parse_place(e.site);
    if (const auto line = source_line(place->file, place->line)) {
      out_ += snippet(*place, *line, e.expression, comment, style_.utf8);
    } else {
      out_ += "  " + comment + '\n';
    }
    put_callers(e);
  }

  void put_callers(const finding::DescribedEvent& e, std::string_view who = "") {
    constexpr size_t kMost = 3;
    const std::string callers = callers_text(e, kMost);
    if (!callers.empty()) put_sentence(fmt::format("{}called from {}", who, callers));
  }

  void put_lost_notify(const std::string& file) {
    const LostNotify lost = lost_notify(f_);
    auto place = [&](const finding::DescribedEvent& e) {
      return e.site.empty() ? "" : " at " + place_from(e.site, file);
    };
    if (lost.notify != nullptr) {
      put_sentence(fmt::format("{} notifies '{}'{}, when nobody waits", thread_text(*lost.notify),
                               lost.notify->object, place(*lost.notify)));
    }
    if (lost.check == nullptr) return;
    const std::string& object =
        lost.check->expression.empty() ? lost.check->object : lost.check->expression;
    put_sentence(fmt::format("the wait is for '{}', checked{} before {} changes it{}", object,
                             place(*lost.check), thread_text(*lost.change), place(*lost.change)));
  }

  void put_lanes(size_t together) {
    const LaneTable lanes = draw_plain_lanes(*f_.witness, together, {style_.columns, style_.utf8});
    std::string switches;
    if (lanes.switches == 1) {
      switches = fmt::format(" (switch threads once, after step {})", lanes.last_switch_after);
    } else if (lanes.switches > 1) {
      switches = fmt::format(" (switch threads {} times)", lanes.switches);
    }
    out_ += fmt::format("  How it happens{}\n{}", switches, lanes.text);
  }

  void put(const finding::AtomicityFinding&) {
    put_headline(headline_of(f_));
    out_ += atomicity_body(f_, {.place = [](const finding::DescribedEvent& e) { return e.site; },
                                .paint = style_.paint,
                                .shows_source = true,
                                .lanes = {style_.columns, style_.utf8}});
  }

  void put(const finding::MisuseFinding&) {
    put_headline(headline_of(f_));
    put_snippet(f_.events[0]);
  }

  void put(const finding::PropertyFinding& property) {
    put_headline(headline_of(f_));
    put_snippet(f_.events[0]);
    out_ += property_text(property);
    if (!f_.witness) return;
    const LaneTable lanes = draw_plain_lanes(*f_.witness, f_.events, {style_.columns, style_.utf8});
    out_ += "  How it happens\n" + lanes.text;
  }

  void put(const finding::DeadlockFinding& deadlock) {
    const std::string file = parse_place(f_.events[0].site)->file;
    put_headline(headline_of(f_));
    std::vector<std::string> parts;
    for (const finding::DescribedEvent& e : f_.events) parts.push_back(waiting_text(e, file));
    std::string together = "  ";
    for (const std::string& part : parts) {
      together += (&part == &parts.front() ? "" : "; ") + part;
    }
    if (together.size() <= std::max(kWidestSentence, style_.columns)) {
      out_ += together + '\n';
    } else {
      for (const std::string& part : parts) out_ += "  " + part + '\n';
    }
    for (const finding::DescribedEvent& e : f_.events) put_callers(e, e.thread + ' ');
    put_lost_notify(file);
    if (deadlock.is_cycle && std::ranges::all_of(f_.events, waits_for_lock)) put_cycle();
    if (f_.witness && !f_.witness->last_steps.empty()) {
      out_ += "  How it happens\n" +
              draw_deadlock_lanes(*f_.witness, f_.events, {style_.columns, style_.utf8});
    }
  }

  void put_cycle() {
    const size_t count = f_.events.size();
    const std::string_view arrow = style_.utf8 ? "→" : "->";
    std::string cycle = f_.events.back().object;
    for (const finding::DescribedEvent& e : f_.events) {
      cycle += fmt::format(" {0} ({1}) {0} {2}", arrow, e.thread, e.object);
    }
    std::string line = "  cycle  " + cycle;
    if (count > 1) {
      const std::string gate = fmt::format("no gate lock around {}", count == 2 ? "both" : "all");
      constexpr size_t kGap = 5;
      const bool fits = line.size() + kGap + gate.size() <= style_.columns;
      line += (fits ? std::string(kGap, ' ') : "\n         ") + gate;
    }
    out_ += line + '\n';
  }

  std::string waiting_text(const finding::DescribedEvent& e, const std::string& file) const {
    std::string holds;
    for (const finding::HeldLock& lock : e.locks) {
      holds += fmt::format("{}'{}'", holds.empty() ? " holds " : ", ", lock.name);
      if (!lock.site.empty()) holds += fmt::format(" ({})", place_from(lock.site, file));
    }
    const std::string where = &e == &f_.events[0] ? "here" : "at " + place_from(e.site, file);
    std::string waits = fmt::format("is blocked after its step {}", where);
    if (is_known_wait(e)) waits = fmt::format("waits {} for {}", where, awaited_text(e));
    return thread_text(e) + holds + (holds.empty() ? " " : " and ") + waits;
  }

  // Broken between words to fit the columns.
  void put_sentence(std::string_view text) {
    std::string line = " ";
    for (std::string_view word : split(text, ' ')) {
      if (line.size() + 1 + word.size() > style_.columns) {
        out_ += line + '\n';
        line = "   ";
      }
      line += fmt::format(" {}", word);
    }
    out_ += line + '\n';
  }

  void put_verdict_reason() {
    if (const std::string_view assumption = assumption_of(f_); !assumption.empty()) {
      put_sentence(fmt::format("Under the assumption that {}.", assumption));
    }
    if (!f_.consequence.empty()) {
      put_sentence(fmt::format("Consequence: {}.", f_.consequence));
    }
    if (f_.replay.empty()) return;
    out_ += fmt::format(
        "  {}{}\n", f_.verdict == finding::Verdict::confirmed ? "" : "Not confirmed: ", f_.replay);
  }

  void put_commands() {
    const std::string remedy = remedy_for(f_);
    std::string schedule = f_.schedule ? f_.schedule->to_string() : "";
    if (schedule.empty() || schedule.size() > kLongestShownSchedule) schedule = f_.schedule_file;
    put_items({{"fix", remedy}, {"schedule", schedule}});
    if (schedule.empty()) return;
    put_items({{"replay", fmt::format("foretell replay {} [--gdb]", f_.id)},
               {"share", fmt::format("foretell report {} --html", f_.id)}});
  }

  struct Item {
    std::string_view word;
    std::string text;
  };

  // As many on a line as fit.
  void put_items(const std::vector<Item>& items) {
    constexpr std::string_view kIndent = "  ", kGap = "   ";
    std::string line;
    for (const Item& item : items) {
      if (item.text.empty()) continue;
      std::string more = fmt::format("{}  {}", item.word, item.text);
      if (!line.empty() && line.size() + kGap.size() + more.size() <= style_.columns) {
        line += fmt::format("{}{}", kGap, more);
        continue;
      }
      if (!line.empty()) out_ += line + '\n';
      line = fmt::format("{}{:<6}  {}", kIndent, item.word, item.text);
    }
    if (!line.empty()) out_ += line + '\n';
  }

  const finding::Finding& f_;
  const LocatedStyle& style_;
  std::string out_;
};

}  // namespace

bool is_located(const finding::Finding& finding) {
  return !finding.events.empty() &&
         (finding.as<finding::RaceFinding>() != nullptr
              ? std::ranges::all_of(finding.events,
                                    [](const auto& e) { return parse_place(e.site).has_value(); })
              : parse_place(finding.events[0].site).has_value());
}

std::string located_text(const finding::Finding& finding, const LocatedStyle& style) {
  return LocatedText(finding, style).write();
}

}  // namespace foretell::report
