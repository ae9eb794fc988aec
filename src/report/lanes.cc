#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace foretell {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kMostLanes = 4;

// Code points, not bytes: names may be UTF-8.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string operation_text(const DescribedEvent& e) {
  return e.object.empty() ? e.operation : e.operation + ' ' + e.object;
}

// "bank.cpp:13" of "src/bank.cpp:13:3".
std::string short_site(const DescribedEvent& e) {
  std::string site = e.site.substr(e.site.rfind('/') + 1);
  if (std::ranges::count(site, ':') > 1) site.erase(site.rfind(':'));
  return site;
}

std::string clip(std::string text, size_t width) {
  if (width_of(text) <= width) return text;
  while (width_of(text) > width - 2) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.pop_back();
    text.pop_back();
  }
  return text + "..";
}

// The operation, with its site in front if there is room.
std::string label(const DescribedEvent& e, size_t width) {
  const std::string operation = operation_text(e);
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
      out += fmt::format("  {:>4}  {}{}: {}\n", racing ? total - 1 : number++,
                         racing ? "<--> " : "", steps[i].thread, label(steps[i], kColumns));
    }
    return out;
  }

  const size_t digits = std::max<size_t>(6, std::to_string(total).size());
  const size_t width = (kColumns - digits - 2) / threads.size();
  const size_t room = width - 1;  // a gap between lanes
  auto row = [&](std::string_view margin, auto cell) {
    std::string line = fmt::format("{:>{}}  ", margin, digits);
    for (const std::string& thread : threads) line += padded(cell(thread), width);
    trim_right(line);
    out += line;
  };
  row("", [&](const std::string& thread) { return clip("thread " + thread, room); });
  if (number > 1) row("...", [](const std::string&) { return std::string(); });
  for (size_t i = 0; i + 2 < steps.size(); ++i) {
    row(std::to_string(number++), [&](const std::string& thread) {
      return thread == steps[i].thread ? label(steps[i], room) : std::string();
    });
  }
  constexpr std::string_view kSimultaneous = "<--> ";
  bool first_seen = false;
  row(std::to_string(number), [&](const std::string& thread) -> std::string {
    for (const DescribedEvent& e : std::span(steps).last(2)) {
      if (e.thread != thread) continue;
      if (!std::exchange(first_seen, true)) return label(e, room);
      return std::string(kSimultaneous) + label(e, room - kSimultaneous.size());
    }
    return "";
  });
  return out;
}

}  // namespace foretell
