// SPDX-License-Identifier: Apache-2.0

#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "report/summary.h"
#include "report/width.h"

namespace foretell::report {
namespace {

constexpr size_t kNarrowestLane = 19;  // four fit 80 columns
constexpr size_t kMostRows = 16;
constexpr size_t kMostPlainRows = 12;

// A step of a witness and its number, from 1.
struct Row {
  uint64_t number;
  const finding::DescribedEvent* event;
};

std::string operation_text(const finding::DescribedEvent& e) {
  std::string word(word_of(e.operation));
  return e.object.empty() ? word : word + ' ' + e.object;
}

// "bank.cpp:13" of "src/bank.cpp:13:3".
std::string short_site(const finding::DescribedEvent& e) {
  std::string site = e.site.substr(e.site.rfind('/') + 1);
  if (std::ranges::count(site, ':') > 1) site.erase(site.rfind(':'));
  return site;
}

// Of a long name the end is left, which tells fields apart: "read ..counter.total".
std::string clip(std::string text, size_t width) {
  constexpr std::string_view kCut = "..";
  if (width_of(text) <= width) return text;
  constexpr std::string_view kAtomic = "atomic ";  // "atomic read" is one verb
  const size_t space = text.find(' ', text.starts_with(kAtomic) ? kAtomic.size() : 0);
  const std::string verb = space == std::string::npos ? "" : text.substr(0, space + 1);
  text.erase(0, verb.size());
  const size_t taken = width_of(verb) + kCut.size();
  const size_t room = width > taken ? width - taken : 0;
  size_t begin = 0;
  for (size_t left = width_of(text); left > room && begin < text.size(); --left) {
    do ++begin;
    while (begin < text.size() && continues_character(text[begin]));
  }
  return fmt::format("{}{}{}", verb, kCut, text.substr(begin));
}

// The operation, with its site in front if there is room.
std::string label(const finding::DescribedEvent& e, const std::string& operation, size_t width) {
  if (e.site.empty()) return clip(operation, width);
  std::string both = short_site(e) + "  " + operation;
  return width_of(both) <= width ? both : clip(operation, width);
}

std::string padded(std::string text, size_t width) {
  if (width_of(text) < width) text.append(width - width_of(text), ' ');
  return text;
}

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
}

std::vector<Row> last_rows(const finding::Witness& witness, size_t most) {
  const std::vector<finding::DescribedEvent>& steps = witness.last_steps;
  const size_t shown = std::min(steps.size(), most);
  uint64_t number = witness.prefix_end + witness.steps.size() - shown + 1;
  std::vector<Row> rows;
  for (const finding::DescribedEvent& e : std::span(steps).last(shown))
    rows.push_back({number++, &e});
  return rows;
}

// Threads as they are numbered: T2 before T10.
std::vector<std::string> threads_of(const std::vector<Row>& rows) {
  std::vector<std::string> threads;
  for (const Row& row : rows) {
    if (std::ranges::find(threads, row.event->thread) == threads.end()) {
      threads.push_back(row.event->thread);
    }
  }
  std::ranges::sort(threads, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return threads;
}

// Steps at the end that share a line: the two racing accesses, or what threads are stuck at.
struct LastLine {
  size_t steps = 2;  // none: every step has a line of its own
  std::string mark;  // before all but the first, or before all
  bool mark_first = false;
};

LastLine side_by_side(size_t together, const LaneStyle& style) {
  // Both are four columns wide.
  return {.steps = together, .mark = style.utf8 ? "◀──▶ " : "<--> "};
}

std::string draw(const std::vector<Row>& rows, const LastLine& last, const LaneStyle& style,
                 size_t digits, auto operation, auto heading) {
  const std::vector<std::string> threads = threads_of(rows);
  const size_t mark_width = width_of(last.mark);
  const uint64_t racing = rows[rows.size() - std::max<size_t>(last.steps, 1)].number;
  std::string out;
  const size_t width = (style.columns - digits - 2) / threads.size();
  if (width < kNarrowestLane) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const finding::DescribedEvent& e = *rows[i].event;
      const bool marked = (last.steps > 1 || last.mark_first) && i + last.steps >= rows.size();
      out += fmt::format("  {:>4}  {}{}: {}\n", marked ? racing : rows[i].number,
                         marked ? last.mark : "", e.thread, label(e, operation(e), style.columns));
    }
    return out;
  }

  const size_t room = width - 1;  // a gap between lanes
  auto line = [&](std::string_view margin, auto cell) {
    std::string text = fmt::format("{:>{}}  ", margin, digits);
    for (const std::string& thread : threads) text += padded(cell(thread), width);
    trim_right(text);
    out += text;
  };
  line("", [&](const std::string& thread) { return clip(heading(thread), room); });
  if (rows.front().number > 1) line("...", [](const std::string&) { return std::string(); });
  for (const Row& row : std::span(rows).first(rows.size() - last.steps)) {
    line(std::to_string(row.number), [&](const std::string& thread) {
      return thread == row.event->thread ? label(*row.event, operation(*row.event), room)
                                         : std::string();
    });
  }
  if (last.steps == 0) return out;
  bool first_seen = last.mark_first;
  line(std::to_string(racing), [&](const std::string& thread) -> std::string {
    for (const Row& row : std::span(rows).last(last.steps)) {
      const finding::DescribedEvent& e = *row.event;
      if (e.thread != thread) continue;
      if (!std::exchange(first_seen, true)) return label(e, operation(e), room);
      return last.mark + label(e, operation(e), room - mark_width);
    }
    return "";
  });
  return out;
}

bool is_step_of_threads(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
    case trace::EventKind::FunctionEnter:
    case trace::EventKind::FunctionExit:
    case trace::EventKind::Branch:
    case trace::EventKind::Alloc:
    case trace::EventKind::ThreadBegin:
    case trace::EventKind::ThreadEnd:
    case trace::EventKind::Fence:
      return false;
    default:
      return true;
  }
}

// Whether a step before the racing two helps to understand them: what synchronizes does, and what
// the two threads do, outside libraries, to things that have names.
bool is_worth_a_row(const finding::DescribedEvent& e, std::span<const Row> racing) {
  const auto kind = e.operation.kind();
  if (!kind) return true;
  if (is_access(*kind)) {
    const bool same_thread =
        std::ranges::any_of(racing, [&](const Row& row) { return row.event->thread == e.thread; });
    const bool has_name = !e.expression.empty() || !e.object.starts_with("0x");
    const bool on_stack = e.object.contains("'s stack");  // hardly ever anybody else's business
    // The variable of FORETELL_ATOMIC_BLOCK is nobody's business.
    const bool in_library =
        e.site.starts_with("/usr/") || e.expression.starts_with("foretell_atomic_block_");
    return e.object == racing[0].event->object ||
           (same_thread && has_name && !on_stack && !in_library);
  }
  return is_step_of_threads(*kind);
}

}  // namespace

std::string draw_lanes(const finding::Witness& witness, size_t together, const LaneStyle& style) {
  const std::vector<Row> rows = last_rows(witness, kMostRows);
  if (rows.size() < together) return "";
  const size_t digits = std::max<size_t>(6, std::to_string(rows.back().number).size());
  return draw(
      rows, side_by_side(together, style), style, digits,
      [](const finding::DescribedEvent& e) { return operation_text(e); },
      [](const std::string& thread) { return "thread " + thread; });
}

std::string draw_deadlock_lanes(const finding::Witness& witness,
                                std::span<const finding::DescribedEvent> stuck,
                                const LaneStyle& style) {
  std::vector<Row> rows = last_rows(witness, witness.last_steps.size());
  if (rows.empty() || stuck.empty()) return "";
  const uint64_t end = rows.back().number + 1;
  std::set<std::string> touched;
  for (const Row& row : rows) {
    const bool is_stuck = std::ranges::any_of(
        stuck, [&](const finding::DescribedEvent& e) { return e.thread == row.event->thread; });
    const bool has_name =
        !row.event->object.starts_with("0x") && !row.event->object.contains("'s stack");
    if (is_stuck && has_name) touched.insert(row.event->object);
  }
  std::erase_if(rows, [&](const Row& row) {
    const auto kind = row.event->operation.kind();
    return kind &&
           (is_access(*kind) ? !touched.contains(row.event->object) : !is_step_of_threads(*kind));
  });
  if (rows.size() > kMostPlainRows) rows.erase(rows.begin(), rows.end() - kMostPlainRows);
  for (const finding::DescribedEvent& e : stuck) rows.push_back({end, &e});
  const size_t digits = std::max<size_t>(4, std::to_string(end).size());
  return draw(
      rows, {.steps = stuck.size(), .mark = "stuck: ", .mark_first = true}, style, digits,
      [](const finding::DescribedEvent& e) { return step_text(e); },
      [](const std::string& thread) { return thread; });
}

LaneTable draw_plain_lanes(const finding::Witness& witness, size_t together,
                           const LaneStyle& style) {
  std::vector<Row> rows = last_rows(witness, witness.last_steps.size());
  if (rows.size() < together) return {};
  const std::vector<Row> racing(rows.end() - static_cast<ptrdiff_t>(together), rows.end());
  rows.resize(rows.size() - together);
  LaneTable table;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].event->thread == rows[i - 1].event->thread) continue;
    ++table.switches;
    table.last_switch_after = rows[i - 1].number;
  }
  if (!rows.empty() && rows.back().event->thread != racing[0].event->thread) {
    ++table.switches;
    table.last_switch_after = rows.back().number;
  }
  if (witness.prefix_end > 0 || witness.last_steps.size() < witness.steps.size()) {
    table.switches = 0;  // those of the beginning are not known here
  }
  std::erase_if(rows, [&](const Row& row) { return !is_worth_a_row(*row.event, racing); });
  if (rows.size() + together > kMostPlainRows) {
    std::erase_if(rows, [&](const Row& row) {
      const auto kind = row.event->operation.kind();
      return kind && is_access(*kind) && row.event->object != racing[0].event->object;
    });
  }
  if (rows.size() + together > kMostPlainRows) {
    rows.erase(rows.begin(), rows.end() - static_cast<ptrdiff_t>(kMostPlainRows - together));
  }

  rows.insert(rows.end(), racing.begin(), racing.end());
  auto heading = [&](const std::string& thread) {
    for (const Row& row : racing) {
      if (row.event->thread == thread && !row.event->function.empty()) {
        return thread + ' ' + row.event->function;
      }
    }
    return thread;
  };
  const size_t digits = std::max<size_t>(4, std::to_string(rows.back().number).size());
  table.text = draw(
      rows, side_by_side(together, style), style, digits,
      [](const finding::DescribedEvent& e) { return step_text(e); }, heading);
  return table;
}

namespace {

// The steps that are events, or that help to understand them; of these the last ones if they are
// too many.
std::vector<Row> rows_about(const finding::Witness& witness,
                            const std::vector<finding::DescribedEvent>& events, size_t most,
                            bool all) {
  std::vector<Row> about;
  for (const finding::DescribedEvent& e : events) about.push_back({0, &e});
  auto is_about = [&](const Row& row) {
    return std::ranges::any_of(events, [&](const auto& e) { return e.index == row.event->index; });
  };
  std::vector<Row> rows = last_rows(witness, witness.last_steps.size());
  if (!all) {
    std::erase_if(
        rows, [&](const Row& row) { return !is_about(row) && !is_worth_a_row(*row.event, about); });
  }
  for (size_t i = 0; i < rows.size() && rows.size() > most;) {
    if (is_about(rows[i])) {
      ++i;
    } else {
      rows.erase(rows.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  return rows;
}

}  // namespace

std::string draw_lanes(const finding::Witness& witness,
                       const std::vector<finding::DescribedEvent>& events, const LaneStyle& style) {
  const std::vector<Row> rows = rows_about(witness, events, kMostRows, true);
  if (rows.empty()) return "";
  const size_t digits = std::max<size_t>(6, std::to_string(rows.back().number).size());
  return draw(
      rows, {.steps = 0, .mark = ""}, style, digits,
      [](const finding::DescribedEvent& e) { return operation_text(e); },
      [](const std::string& thread) { return "thread " + thread; });
}

LaneTable draw_plain_lanes(const finding::Witness& witness,
                           const std::vector<finding::DescribedEvent>& events,
                           const LaneStyle& style) {
  const std::vector<Row> rows = rows_about(witness, events, kMostPlainRows, false);
  if (rows.empty()) return {};
  auto heading = [&](const std::string& thread) {
    for (const finding::DescribedEvent& e : events) {
      if (e.thread == thread && !e.function.empty()) return thread + ' ' + e.function;
    }
    return thread;
  };
  const size_t digits = std::max<size_t>(4, std::to_string(rows.back().number).size());
  return {draw(
      rows, {.steps = 0, .mark = ""}, style, digits,
      [](const finding::DescribedEvent& e) { return step_text(e); }, heading)};
}

}  // namespace foretell::report
