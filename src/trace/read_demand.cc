// SPDX-License-Identifier: Apache-2.0

#include "trace/read_demand.h"

namespace foretell::trace {

std::string_view word_of(ReadDemand demand) {
  switch (demand) {
    case ReadDemand::same_writer:
      return "same-writer";
    case ReadDemand::same_value:
      return "same-value";
    case ReadDemand::free:
      return "free";
  }
  return "";
}

std::optional<ReadDemand> read_demand_named(std::string_view word) {
  for (ReadDemand demand : {ReadDemand::same_writer, ReadDemand::same_value, ReadDemand::free}) {
    if (word_of(demand) == word) return demand;
  }
  return std::nullopt;
}

}  // namespace foretell::trace
