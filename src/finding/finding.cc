#include "finding/finding.h"

namespace foretell {

std::string_view word_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return "race";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::atomicity:
      return "atomicity";
    case FindingKind::nondeterminism:
      return "nondeterminism";
    case FindingKind::property:
      return "property";
  }
  return "";
}

std::optional<FindingKind> finding_kind(std::string_view word) {
  using enum FindingKind;
  for (FindingKind kind : {race, deadlock, atomicity, nondeterminism, property}) {
    if (word == word_of(kind)) return kind;
  }
  return {};
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::predicted:
      return "predicted";
    case Verdict::possible:
      return "possible";
  }
  return "";
}

}  // namespace foretell
