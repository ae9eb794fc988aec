#include "finding/result.h"

#include <fmt/format.h>

#include <map>

namespace foretell {

void AnalysisResult::number_findings() {
  std::map<FindingKind, size_t> last;
  for (auto* list : {&findings, &dismissed}) {
    for (Finding& f : *list) f.id = fmt::format("{}-{}", word_of(f.kind), ++last[f.kind]);
  }
}

}  // namespace foretell
