// SPDX-License-Identifier: Apache-2.0

// A deadlock that happened: which threads hold and wait for what at the end of a recorded run.
//
// A thread waits for a lock if its last operation on it was a request without an acquire. Following
// from each waiting thread to the holder of its lock either ends at a thread that does not wait for
// a lock, or closes a cycle. A run in which no thread can continue although there is no cycle (a
// lost notification, a barrier that lacks a thread) is a deadlock of all threads that had not
// ended.
#pragma once

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell::replay {

// The finding `deadlock-1` of a run that the runtime ended as a deadlock. Its events are one per
// thread, in the order of the cycle: what it waits for, where, and the locks it holds. Its witness
// is the whole run. Reads all raw events of `reader`.
Result<finding::Finding> describe_deadlock(trace::TraceReader& reader);

// The same for every thread that had not ended, in a cycle or not.
Result<std::vector<finding::DescribedEvent>> describe_stuck(trace::TraceReader& reader);

}  // namespace foretell::replay
