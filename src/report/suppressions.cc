// SPDX-License-Identifier: Apache-2.0

#include "report/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/input_file.h"
#include "base/printable.h"
#include "base/split.h"
#include "report/fingerprint.h"
#include "report/source.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

// Reports that only ThreadSanitizer makes.
constexpr std::string_view kForeign[] = {"thread", "mutex", "signal", "called_from_lib"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Where the reason begins: at a '#' that begins the line or follows a blank, since names may
// contain one ("{lambda#1}").
size_t find_reason(std::string_view line) {
  for (size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return at;
  }
  return std::string_view::npos;
}

std::string file_of(const std::string& site) {
  const auto place = parse_place(site);
  return place ? place->file : site;
}

// Everything of a finding that a pattern may name.
std::vector<std::string> names_of(const finding::Finding& f) {
  std::vector<std::string> names = {f.name()};
  for (const finding::DescribedEvent& e : f.events) {
    names.insert(names.end(), {e.function, e.expression, e.object, file_of(e.site)});
    if (f.as<finding::DeadlockFinding>() == nullptr) continue;
    for (const finding::HeldLock& lock : e.locks) {
      names.insert(names.end(), {lock.name, file_of(lock.site)});
    }
  }
  return names;
}

}  // namespace

bool pattern_matches(std::string_view pattern, std::string_view text) {
  bool is_tied = pattern.starts_with('^');
  if (is_tied) pattern.remove_prefix(1);
  const bool is_tied_at_end = pattern.ends_with('$');
  if (is_tied_at_end) pattern.remove_suffix(1);
  // The parts between stars, each as early as possible; only the last may have to come late.
  for (;;) {
    const size_t star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const bool is_last = star == std::string_view::npos;
    size_t at = 0;
    if (is_last && is_tied_at_end) {
      if (!text.ends_with(part)) return false;
      at = text.size() - part.size();
    } else {
      at = text.find(part);
    }
    if (at == std::string_view::npos || (is_tied && at != 0)) return false;
    if (is_last) return true;
    text.remove_prefix(at + part.size());
    pattern.remove_prefix(star + 1);
    is_tied = false;
  }
}

bool Suppression::matches(const finding::Finding& finding) const {
  const bool is_race_too =
      kind == finding::FindingKind::race && finding.as<finding::RaceFinding>() != nullptr;
  if (finding.kind() != kind && !is_race_too) return false;
  return std::ranges::any_of(names_of(finding), [&](const std::string& name) {
    return !name.empty() && pattern_matches(pattern, name);
  });
}

Result<void> Suppressions::read(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse(file.bytes(), path);
}

Result<void> Suppressions::parse(std::string_view text, const std::string& name) {
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (auto done = parse_line(line, fmt::format("{}:{}", name, ++number)); !done) return done;
  }
  return {};
}

Result<void> Suppressions::parse_line(std::string_view line, std::string where) {
  const size_t hash = find_reason(line);
  const std::string_view reason =
      hash == std::string_view::npos ? "" : trimmed(line.substr(hash + 1));
  const std::string_view rule = trimmed(line.substr(0, hash));
  if (rule.empty()) return {};
  const size_t colon = rule.find(':');
  const std::string_view type = rule.substr(0, colon);
  const std::string_view pattern =
      colon == std::string_view::npos ? "" : trimmed(rule.substr(colon + 1));
  if (std::ranges::find(kForeign, type) != std::end(kForeign)) {
    notes_.push_back(
        {fmt::format("'{}' suppresses nothing here: only ThreadSanitizer reports it", rule),
         std::move(where)});
    return {};
  }
  const auto kind = type == "race_top" ? finding::FindingKind::race : finding::finding_kind(type);
  if (!kind || pattern.empty()) {
    std::string known;
    for (const finding::FindingKindRow& row : finding::finding_kinds()) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", row.word);
    }
    Diagnostic wrong{kind ? fmt::format("'{}' has no pattern", rule)
                          : fmt::format("'{}' is not a kind of finding", type),
                     std::move(where)};
    return std::unexpected(std::move(wrong).with_note(
        fmt::format("write lines like 'race:function  # reason'; kinds are {}", known)));
  }
  rows_.push_back(
      {*kind, std::string(pattern), std::string(reason), std::move(where), std::string(rule)});
  return {};
}

void Suppressions::apply(finding::AnalysisResult& result) const {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  std::vector<bool> used(rows_.size());
  for (finding::Finding& f : result.findings) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].matches(f)) continue;
      used[i] = true;
      if (!f.suppressed) f.suppressed = finding::SuppressedBy{rows_[i].text, rows_[i].reason};
    }
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (used[i]) continue;
    result.notes.push_back(
        {fmt::format("the suppression '{}' matched no finding", rows_[i].text), rows_[i].where});
  }
}

// A pattern that a terminal does not obey, and that still matches.
std::string with_wildcards(std::string_view pattern) {
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    const size_t size = unprintable_at(pattern.substr(at));
    out += size > 0 ? '*' : pattern[at];
    at += std::max<size_t>(size, 1);
  }
  return out;
}

std::string generate_suppressions(const finding::AnalysisResult& result, finding::Verdict least) {
  std::string text;
  std::set<std::string> written;
  for (const finding::Finding& f : result.findings) {
    if (!f.is_open() || f.verdict > least) continue;
    std::string pattern;
    for (const finding::DescribedEvent& e : f.events) {
      if (!e.function.empty()) {
        // A position in a name would be another one tomorrow.
        std::string name = without_positions(e.function);
        for (size_t at; (at = name.find("(lambda)")) != std::string::npos;) {
          name.replace(at, std::string_view("(lambda)").size(), "*");
        }
        pattern = '^' + name + '$';
        break;
      }
    }
    if (pattern.empty()) pattern = '^' + f.name() + '$';
    pattern = with_wildcards(pattern);
    const std::string rule = fmt::format("{}:{}", word_of(f.kind()), pattern);
    if (!written.insert(rule).second) continue;
    text += fmt::format("{}  # {}\n", rule, printable(summary_of(f)));
  }
  return text;
}

}  // namespace foretell::report
