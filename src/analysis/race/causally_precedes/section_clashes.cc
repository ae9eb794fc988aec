// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/section_clashes.h"

#include "trace/event_match.h"

namespace foretell::analysis {

void SectionClashes::other(const trace::Event& e) {
  match(e.kind, trace::Cases{
                    trace::on<trace::kAccesses>([&] { held_.on_access(e, add_edge_); }),
                    trace::on<trace::kSectionBegins>(
                        [&] { open(e, e.kind == trace::EventKind::AcquireShared); }),
                    trace::on<trace::kReleases>([&] { held_.close(e.thread, e.lock()); }),
                    trace::on<trace::EventKind::WaitBegin>([&] {
                      held_.on_condition(e, add_edge_);
                      held_.close(e.thread, e.lock());
                    }),
                    trace::on<trace::kNotifies>([&] { held_.on_condition(e, add_edge_); }),
                    trace::ignored<trace::EventKind::Alloc, trace::EventKind::Fence,
                                   trace::kRequests, trace::kFailedTries, trace::kForksAndJoins,
                                   trace::kBarriers, trace::kSemaphores, trace::kRemarks>,
                });
}

}  // namespace foretell::analysis
