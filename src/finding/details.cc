// SPDX-License-Identifier: Apache-2.0

#include "finding/details.h"

namespace foretell::finding {
namespace {

std::string name_of(const RaceFinding& race) {
  return race.location;
}
std::string name_of(const DeadlockFinding& deadlock) {
  return deadlock.waits;
}
std::string name_of(const AtomicityFinding& violation) {
  return violation.blocks.empty() ? "" : violation.blocks.back();
}
std::string name_of(const NondeterminismFinding& read) {
  return read.location;
}
std::string name_of(const PropertyFinding& property) {
  return property.name;
}

std::string name_of(const MisuseFinding& misuse) {
  return misuse.object;
}

}  // namespace

FindingDetails details_of(FindingKind kind) {
  switch (kind) {
#define FORETELL_FINDING_KIND(kind, details, ...) \
  case FindingKind::kind:                         \
    return details{};
#include "finding/kinds.def"
  }
  return {};
}

std::string name_of(const FindingDetails& details) {
  return std::visit([](const auto& of_a_kind) { return name_of(of_a_kind); }, details);
}

}  // namespace foretell::finding
