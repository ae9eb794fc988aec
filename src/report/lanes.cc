#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace foretell {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kMargin = 8;  // step number and its gaps
constexpr size_t kMostLanes = 4;

std::string label(const DescribedEvent& e) {
  std::string text = e.operation;
  if (!e.object.empty()) text += ' ' + e.object;
  if (!e.site.empty()) text = e.site + "  " + text;
  return text;
}

// Code points, not bytes: names may be UTF-8.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string fit(std::string text, size_t width) {
  if (width_of(text) > width) {
    // Shortened at the front: the operation stands at the end.
    while (!text.empty() && width_of(text) > width - 2) {
      text.erase(0, 1);
      while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80) text.erase(0, 1);
    }
    text = ".." + text;
  }
  text.append(width - width_of(text), ' ');
  return text;
}

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
}

}  // namespace

std::string draw_lanes(const Witness& witness) {
  const std::vector<DescribedEvent>& steps = witness.last_steps;
  if (steps.size() < 2) return "";
  std::vector<std::string> threads;
  for (const DescribedEvent& e : steps) {
    if (std::ranges::find(threads, e.thread) == threads.end()) threads.push_back(e.thread);
  }
  std::ranges::sort(threads, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  const uint64_t total = witness.prefix_end + witness.steps.size();
  uint64_t number = total - steps.size() + 1;
  std::string out;

  if (threads.size() > kMostLanes) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool racing = i + 2 >= steps.size();
      out += fmt::format("  {:>4}  {}{}: {}\n", racing ? total - 1 : number++, racing ? "<--> " : "",
                         steps[i].thread, label(steps[i]));
    }
    return out;
  }

  const size_t width = (kColumns - kMargin) / threads.size();
  auto row = [&](std::string margin, auto cell) {
    std::string line = fmt::format("{:>6}  ", margin);
    for (const std::string& thread : threads) line += fit(cell(thread), width - 1) + ' ';
    trim_right(line);
    out += line;
  };
  row("", [](const std::string& thread) { return "thread " + thread; });
  if (number > 1) row("...", [](const std::string&) { return std::string(); });
  for (size_t i = 0; i + 2 < steps.size(); ++i) {
    row(std::to_string(number++), [&](const std::string& thread) {
      return thread == steps[i].thread ? label(steps[i]) : std::string();
    });
  }
  const DescribedEvent& a = steps[steps.size() - 2];
  const DescribedEvent& b = steps.back();
  bool first_seen = false;
  row(std::to_string(number), [&](const std::string& thread) -> std::string {
    if (thread != a.thread && thread != b.thread) return "";
    std::string text = label(thread == a.thread ? a : b);
    if (first_seen) return "<--> " + text;
    first_seen = true;
    return text;
  });
  return out;
}

}  // namespace foretell
