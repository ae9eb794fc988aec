#include "report/atomicity_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "report/source.h"
#include "report/summary.h"

namespace foretell {
namespace {

std::string object_text(const DescribedEvent& e) {
  const std::string& name = e.expression.empty() ? e.object : e.expression;
  return name.empty() ? "" : fmt::format("'{}' ", name);
}

// What is wrong about the three or four events.
std::string_view meaning(std::string_view pattern) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kMeanings = {
      {{"R-W-R", "the block reads two different values"},
       {"W-W-R", "the block does not read what it wrote"},
       {"R-W-W", "the block overwrites what it has not seen"},
       {"W-R-W", "the other thread sees a value that the block only passes through"},
       {"two locations", "the other thread comes between the block's two"},
       {"BEFORE-ERROR",
        "the block gives the lock back in between; the other thread came before it"},
       {"IN-ERROR", "the block gave the lock back in between, and the other thread took it"},
       {"AFTER-ERROR", "the block gives the lock back in between; the other thread came after it"},
       {"lock", "the block gave the lock back in between, and the other thread took it"},
       {"chain", "what the block did reached it again through other threads"},
       {"cycle", "each could be atomic, but not all of them"}}};
  for (const auto& [name, text] : kMeanings) {
    if (pattern == name) return text;
  }
  return "the other thread comes between two updates";
}

}  // namespace

std::string atomicity_body(const Finding& finding, const AtomicityStyle& style) {
  std::string out;
  const std::string& owner = finding.events.back().thread;
  for (size_t i = 0; i < finding.events.size(); ++i) {
    const DescribedEvent& e = finding.events[i];
    const bool in_block = e.thread == owner;
    const std::string text =
        fmt::format("{}{} {}by {}, {}", object_text(e), participle(e),
                    in_block ? (i == 0 ? "in the block " : "in the block again ") : "in between ",
                    thread_text(e), holding_text(e));
    const auto place = i == 0 && style.shows_source ? parse_place(e.site) : std::nullopt;
    const auto line = place ? source_line(place->file, place->line) : std::nullopt;
    if (line) {
      out += snippet(*place, *line, e.expression, text);
    } else if (i == 0 && style.shows_source) {
      out += fmt::format("  {}\n", text);
    } else {
      out += fmt::format("{}: {}: {}\n", style.paint(style.place(e), "1"),
                         style.paint("note", "1;36"), text);
    }
  }
  out += fmt::format("  {}: {}\n", finding.pattern, meaning(finding.pattern));
  if (finding.blocks.size() > 1 && finding.pattern != "cycle") {
    out += "  not atomic either: ";
    for (size_t i = 0; i + 1 < finding.blocks.size(); ++i) {
      out += fmt::format("{}'{}'", i ? ", " : "", finding.blocks[i]);
    }
    out += '\n';
  }
  if (!finding.witness) {
    out += fmt::format("  No witness: {}\n", finding.reason);
    return out;
  }
  const std::string lanes =
      style.shows_source ? draw_plain_lanes(*finding.witness, finding.events, style.lanes).text
                         : draw_lanes(*finding.witness, finding.events, style.lanes);
  if (!lanes.empty()) out += "  How it happens\n" + lanes;
  return out;
}

}  // namespace foretell
