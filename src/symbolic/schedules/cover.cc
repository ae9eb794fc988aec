// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/cover.h"

#include <algorithm>

namespace foretell::symbolic {

size_t Cover::pair_count() const {
  size_t count = 0;
  for (const EpochCover& epoch : epochs) count += epoch.order.size();
  return count;
}

size_t Cover::schedule_count() const {
  size_t count = 0;
  for (const EpochCover& epoch : epochs) count += epoch.schedules.size();
  return count;
}

bool Cover::has_open_notes() const {
  return std::ranges::any_of(notes, &Note::is_open);
}

}  // namespace foretell::symbolic
