// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/section_clashes.h"

#include "trace/event_match.h"

namespace foretell {

void SectionClashes::other(const Event& e) {
  match(e.kind, Cases{
                    on<kAccesses>([&] { held_.on_access(e, add_edge_); }),
                    on<kSectionBegins>([&] { open(e, e.kind == EventKind::AcquireShared); }),
                    on<kReleases>([&] { held_.close(e.thread, e.lock()); }),
                    on<EventKind::WaitBegin>([&] {
                      held_.on_condition(e, add_edge_);
                      held_.close(e.thread, e.lock());
                    }),
                    on<kNotifies>([&] { held_.on_condition(e, add_edge_); }),
                    ignored<EventKind::Alloc, EventKind::Fence, kRequests, kFailedTries,
                            kForksAndJoins, kBarriers, kSemaphores, kRemarks>,
                });
}

}  // namespace foretell
