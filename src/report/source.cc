// SPDX-License-Identifier: Apache-2.0

#include "report/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>

#include "base/printable.h"
#include "report/width.h"

namespace foretell::report {
namespace {

// The number after the last colon of `text`, which is cut off; 0 if there is none.
uint32_t take_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view digits = text.substr(colon + 1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return 0;
  text.remove_suffix(digits.size() + 1);
  return number;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// How many bytes from `at` on belong together.
size_t range_at(std::string_view line, size_t at, std::string_view expression) {
  const std::string_view rest = line.substr(at);
  if (!expression.empty() && rest.starts_with(expression)) return expression.size();
  if (rest.empty()) return 1;
  if (is_word(rest[0])) {
    return static_cast<size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
  }
  constexpr std::string_view kOperators = "+-*/%=&|^<>!~";
  const size_t end = rest.find_first_not_of(kOperators);
  return std::max<size_t>(1, end == std::string_view::npos ? rest.size() : end);
}

// Cuts a line that is too long for a terminal to what stands around `at`, which moves along, so that
// `behind` columns fit between it and the end. Dots stand for what is cut off.
void cut_around(std::string& line, size_t& at, size_t behind) {
  constexpr size_t kWidth = 80 - 8;  // beside the number and the gutter
  constexpr size_t kBefore = 24;     // what remains in front at least
  constexpr std::string_view kDots = "...";
  const size_t before = width_of(line.substr(0, at));
  // A comment that would not fit anyway is no reason to cut.
  const bool must_make_room = before + behind > kWidth && kDots.size() + kBefore + behind <= kWidth;
  const bool is_long = width_of(line) > kWidth;
  if (!is_long && !must_make_room) return;
  const size_t room = is_long ? kBefore : kWidth - behind - kDots.size();
  auto step_back = [&](size_t from, size_t characters) {
    while (from > 0 && characters > 0) {
      do --from;
      while (from > 0 && continues_character(line[from]));
      --characters;
    }
    return from;
  };
  if (before > kWidth / 2 || must_make_room) {
    const size_t begin = step_back(at, room);
    if (begin > kDots.size()) {
      line.replace(0, begin, kDots);
      at = at - begin + kDots.size();
    }
  }
  const size_t width = width_of(line);
  if (width <= kWidth) return;
  line.resize(step_back(line.size(), width - kWidth + kDots.size()));
  line += kDots;
}

// Calls `change` on each event of the finding, wherever it is.
void for_each_event(finding::Finding& finding, auto change) {
  for (finding::DescribedEvent& e : finding.events) change(e);
  for (finding::DescribedEvent& e : finding.origins) change(e);
  if (auto* race = finding.as<finding::RaceFinding>()) {
    for (finding::OrderEdge& edge : race->recorded.path) {
      change(edge.from);
      change(edge.to);
    }
  }
  if (auto* read = finding.as<finding::NondeterminismFinding>();
      read != nullptr && read->seen_write) {
    change(*read->seen_write);
  }
  if (!finding.witness) return;
  for (finding::DescribedEvent& e : finding.witness->last_steps) change(e);
}

// Calls `change` on each name that only one kind of finding has.

void for_each_name(finding::RaceFinding& race, auto change) {
  change(race.location);
  for (finding::OrderEdge& edge : race.recorded.path) change(edge.lock);
}
void for_each_name(finding::DeadlockFinding& deadlock, auto change) {
  change(deadlock.waits);
}
void for_each_name(finding::AtomicityFinding& violation, auto change) {
  for (std::string& block : violation.blocks) change(block);
}
void for_each_name(finding::NondeterminismFinding& read, auto change) {
  change(read.location);
}
void for_each_name(finding::MisuseFinding& misuse, auto change) {
  change(misuse.object);
}
void for_each_name(finding::PropertyFinding& property, auto change) {
  change(property.name);
}

// Calls `change` on everything of the finding that the program under test, or its build, named.
void for_each_name(finding::Finding& finding, auto change) {
  std::visit([&](auto& details) { for_each_name(details, change); }, finding.details);
  for_each_event(finding, [&](finding::DescribedEvent& e) {
    for (std::string* name :
         {&e.thread, &e.thread_name, &e.object, &e.function, &e.expression, &e.site}) {
      change(*name);
    }
    for (finding::HeldLock& lock : e.locks) {
      change(lock.name);
      change(lock.site);
    }
    for (finding::StackFrame& frame : e.stack) {
      change(frame.function);
      change(frame.site);
    }
  });
}

}  // namespace

std::optional<SourcePlace> parse_place(std::string_view site) {
  SourcePlace place;
  const uint32_t last = take_number(site);
  const uint32_t before = take_number(site);
  place.line = before != 0 ? before : last;
  place.column = before != 0 ? last : 0;
  place.file = site;
  if (place.line == 0 || place.file.empty()) return {};
  return place;
}

std::optional<std::string> source_line(const std::string& file, uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (uint32_t i = 0; i < line; ++i) {
    if (!std::getline(in, text)) return {};
  }
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::optional<std::string> SourceFiles::line(const std::string& file, uint32_t line) {
  auto [entry, is_new] = lines_.try_emplace(file);
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      if (text.ends_with('\r')) text.pop_back();
      entry->second.push_back(std::move(text));
    }
  }
  if (line == 0 || line > entry->second.size()) return {};
  return entry->second[line - 1];
}

std::string snippet(const SourcePlace& place, const std::string& line, std::string_view expression,
                    std::string_view comment, bool utf8) {
  const std::string_view gutter = utf8 ? "│" : "|";
  // A blank for each byte that cannot be shown, tabs included, so that the caret stands where it
  // should.
  std::string shown = line;
  for (size_t i = 0; i < line.size(); ++i) {
    const size_t size = unprintable_at(std::string_view(line).substr(i));
    if (size > 0) shown.replace(i, size, size, ' ');
  }
  const bool known = place.column != 0 && place.column <= shown.size();
  size_t at = known ? place.column - 1 : std::min(shown.find_first_not_of(' '), shown.size());
  std::string marks = known ? "^" : "";
  if (known) {
    const size_t range = range_at(shown, at, expression);
    marks.append(std::max<size_t>(1, width_of(shown.substr(at, range))) - 1, '~');
    marks += ' ';
  }
  cut_around(shown, at, marks.size() + width_of(comment));
  std::string out = fmt::format("{:>5} {} {}\n", place.line, gutter, shown);
  return out + fmt::format("{:>5} {} {:{}}{}{}\n", "", gutter, "", width_of(shown.substr(0, at)),
                           marks, comment);
}

void make_printable(finding::Finding& finding) {
  for_each_name(finding, [](std::string& name) { name = printable(name); });
}

void shorten_paths(finding::DescribedEvent& event, std::string_view directory) {
  auto shorten = [&](std::string& site) {
    if (site.size() > directory.size() + 1 && site.starts_with(directory) &&
        site[directory.size()] == '/') {
      site.erase(0, directory.size() + 1);
    }
  };
  shorten(event.site);
  for (finding::HeldLock& lock : event.locks) shorten(lock.site);
  for (finding::StackFrame& frame : event.stack) shorten(frame.site);
}

void shorten_paths(finding::Finding& finding, std::string_view directory) {
  for_each_event(finding, [&](finding::DescribedEvent& e) { shorten_paths(e, directory); });
}

}  // namespace foretell::report
