// SPDX-License-Identifier: Apache-2.0

#include "finding/finding.h"

#include <algorithm>
#include <array>

namespace foretell::finding {
namespace {

constexpr FindingKindRow kKinds[] = {
#define FORETELL_FINDING_KIND(kind, details, witness_end, noun, dismissed, rule, what, help) \
  {FindingKind::kind, #kind, WitnessEnd::witness_end, noun, dismissed, rule, what, help},
#include "finding/kinds.def"
};

struct PatternRow {
  AtomicityPattern pattern;
  std::string_view word, meaning;
};

constexpr PatternRow kPatterns[] = {
#define FORETELL_ATOMICITY_PATTERN(pattern, word, meaning) \
  {AtomicityPattern::pattern, word, meaning},
#include "finding/patterns.def"
};

}  // namespace

std::span<const FindingKindRow> finding_kinds() {
  return kKinds;
}

const FindingKindRow& row_of(FindingKind kind) {
  return kKinds[to_index(kind)];
}

std::string_view word_of(FindingKind kind) {
  return row_of(kind).word;
}

std::optional<FindingKind> finding_kind(std::string_view word) {
  const auto row = std::ranges::find(kKinds, word, &FindingKindRow::word);
  if (row == std::end(kKinds)) return {};
  return row->kind;
}

WitnessEnd witness_end_of(FindingKind kind) {
  return row_of(kind).witness_end;
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::unordered:
      return "unordered";
    case Verdict::predicted:
      return "predicted";
    case Verdict::possible:
      return "possible";
    case Verdict::dismissed:
      return "dismissed";
  }
  return "";
}

std::optional<Verdict> verdict_named(std::string_view word) {
  using enum Verdict;
  for (Verdict verdict : {confirmed, unordered, predicted, possible, dismissed}) {
    if (word == word_of(verdict)) return verdict;
  }
  return {};
}

std::string_view word_of(AtomicityPattern pattern) {
  return kPatterns[to_index(pattern)].word;
}

std::string_view meaning_of(AtomicityPattern pattern) {
  return kPatterns[to_index(pattern)].meaning;
}

std::optional<AtomicityPattern> pattern_named(std::string_view word) {
  const auto row = std::ranges::find(kPatterns, word, &PatternRow::word);
  if (row == std::end(kPatterns)) return {};
  return row->pattern;
}

}  // namespace foretell::finding
