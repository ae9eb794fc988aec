// A deadlock that happened: who holds and who waits for what at the end of a recorded run.
//
// A thread waits for a lock if its last operation on it was a request without an acquire. Following
// from each waiting thread to the holder of its lock either ends at a thread that does not wait for
// a lock, or closes a cycle. A run in which nobody can go on without a cycle (a lost notify, a
// barrier short of a thread) is a deadlock of all threads that had not ended.
#pragma once

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell {

// The finding `deadlock-1` of a run that the runtime ended as a deadlock. Its events are one per
// thread, in the order of the cycle: what it waits for, where, and the locks it holds. Its witness
// is the whole run. Reads all raw events of `reader`.
Result<Finding> describe_deadlock(TraceReader& reader);

// The same for every thread that had not ended, in a cycle or not.
Result<std::vector<DescribedEvent>> describe_stuck(TraceReader& reader);

}  // namespace foretell
