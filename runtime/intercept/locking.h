// Locking and unlocking as steps, for the intercepted functions that do it on the way.
#pragma once

#include "../scheduler.h"

namespace foretell::rt {

// Controlled mode: gets the mutex, blocking in the scheduler. The result is libc's; on success the
// caller still has to record the step, with mutex_acquired or as part of another one.
int acquire_mutex(Thread* thread, pthread_mutex_t* mutex, uint64_t deadline);
void mutex_acquired(Thread* thread, pthread_mutex_t* mutex, uint32_t site);
// After before_step: unlocks and records it.
int release_mutex(Thread* thread, pthread_mutex_t* mutex, uint32_t site);

}  // namespace foretell::rt
