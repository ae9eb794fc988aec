// SPDX-License-Identifier: Apache-2.0

// From a schedule by places (schedule/place_schedule.h) to one of steps, which everything else
// understands: the program runs once for each segment that ends at a place, along what is known
// already, then with this segment's thread alone, and the recording of that run says how many steps it
// took to get there. The result is exact for this build and this input; the places are what lasts.
#pragma once

#include "replay/replayer.h"
#include "schedule/place_schedule.h"

namespace foretell::replay {

// An error if a thread does not come to its place.
Result<schedule::Schedule> steps_of_places(const Replayer& replayer,
                                           const schedule::PlaceSchedule& places,
                                           const ReplayRequest& request);

}  // namespace foretell::replay
