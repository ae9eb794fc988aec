// SPDX-License-Identifier: Apache-2.0

#include "report/atomicity_text.h"

#include <fmt/format.h>

#include "report/source.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

std::string object_text(const finding::DescribedEvent& e) {
  const std::string& name = e.expression.empty() ? e.object : e.expression;
  return name.empty() ? "" : fmt::format("'{}' ", name);
}

}  // namespace

std::string atomicity_body(const finding::Finding& finding, const AtomicityStyle& style) {
  std::string out;
  const std::string& owner = finding.events.back().thread;
  for (size_t i = 0; i < finding.events.size(); ++i) {
    const finding::DescribedEvent& e = finding.events[i];
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
  const auto& [blocks, pattern] = *finding.as<finding::AtomicityFinding>();
  out += fmt::format("  {}: {}\n", word_of(pattern), meaning_of(pattern));
  if (blocks.size() > 1 && pattern != finding::AtomicityPattern::cycle) {
    out += "  not atomic either: ";
    for (size_t i = 0; i + 1 < blocks.size(); ++i) {
      out += fmt::format("{}'{}'", i ? ", " : "", blocks[i]);
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

}  // namespace foretell::report
