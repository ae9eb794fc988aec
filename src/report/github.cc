// SPDX-License-Identifier: Apache-2.0

#include "report/github.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/source.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

// A raw end of line would begin a command of the program's choice.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (char c : printable_lines(text)) {
    const bool special =
        c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    if (special) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view command_of(finding::Verdict verdict) {
  switch (verdict) {
    case finding::Verdict::confirmed:
    case finding::Verdict::unordered:
      return "error";
    case finding::Verdict::predicted:
      return "warning";
    case finding::Verdict::possible:
    case finding::Verdict::dismissed:
      return "notice";
  }
  return "notice";
}

std::string annotation(const finding::Finding& f) {
  std::string out = fmt::format("::{} ", command_of(f.verdict));
  if (const auto place = parse_place(f.events[0].site)) {
    out += fmt::format("file={},line={},", escaped(place->file, true), place->line);
    if (place->column > 0) out += fmt::format("col={},", place->column);
  }
  out += fmt::format(
      "title={}::",
      escaped(fmt::format("{} [{}, {}]", headline_of(f), f.id, word_of(f.verdict)), true));
  std::string text;
  for (const finding::DescribedEvent& e : f.events) {
    text += event_sentence(f, e);
    if (!e.site.empty()) text += " at " + e.site;
    text += '\n';
  }
  if (f.schedule) text += fmt::format("schedule {}\n", f.schedule->to_string());
  if (!f.seen_in.empty()) text += fmt::format("in {}\n", tests_text(f));
  text.pop_back();
  return out + escaped(text, false) + '\n';
}

}  // namespace

std::string to_github(const finding::AnalysisResult& result, const GithubOptions& options) {
  std::string out;
  for (finding::Verdict verdict : {finding::Verdict::confirmed, finding::Verdict::unordered,
                                   finding::Verdict::predicted, finding::Verdict::possible}) {
    if (verdict == finding::Verdict::possible && !options.possible) break;
    for (finding::Finding f : result.findings) {
      if (f.verdict != verdict || !f.is_open()) continue;
      shorten_paths(f, options.directory);
      out += annotation(f);
    }
  }
  return out;
}

}  // namespace foretell::report
