// SPDX-License-Identifier: Apache-2.0

#include "report/read_words.h"

namespace foretell::report {

std::string_view assumption_of(const finding::Finding& finding) {
  if (!finding.witness || finding.verdict == finding::Verdict::confirmed) return {};
  switch (finding.reads) {
    case trace::ReadDemand::same_writer:
      return {};
    case trace::ReadDemand::same_value:
      return "reads return the values they returned, some of them from another write";
    case trace::ReadDemand::free:
      if (!finding.reason.empty()) return finding.reason;
      return "some reads return other values, and the threads go the same way";
  }
  return {};
}

}  // namespace foretell::report
