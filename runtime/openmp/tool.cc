// SPDX-License-Identifier: Apache-2.0

// The tool that LLVM's OpenMP library finds in a recorded program (OMPT: OpenMP 5.2, chapter 19).
//
// The library calls these functions at everything that orders threads; tasks.h says what becomes of
// it. Locks and critical sections are locks. In controlled mode a thread waits for them here, so
// that a deadlock is seen, and at barriers in the library, which then yields again and again.
//
// Without recording the library is told that there is no tool.
#include <stddef.h>

#include "runtime/intercept/attach.h"
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/locking.h"
#include "runtime/intercept/start.h"
#include "runtime/openmp/tasks.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/loaded_object.h"
#include "runtime/platform/os.h"
#include "runtime/platform/program_objects.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace openmp {

namespace {

// The innermost implicit task of the thread.
__thread Task* current_ __attribute__((tls_model("initial-exec")));
// What the thread was given for a task that it makes.
__thread const char* new_memory_ __attribute__((tls_model("initial-exec")));
__thread uint64_t new_size_ __attribute__((tls_model("initial-exec")));
// In a taskloop: the task of which the library makes copies.
__thread const char* pattern_ __attribute__((tls_model("initial-exec")));
// From what a tool may keep of a task to the task's memory, once it is known.
ptrdiff_t to_memory_ = 0;
// Where it asked for a lock.
__thread uint32_t request_site_ __attribute__((tls_model("initial-exec")));

Task* task_of(const ompt_data_t* data) {
  return data ? static_cast<Task*>(data->ptr) : nullptr;
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel, unsigned, int,
                       const void*) {
  Call call(nullptr);
  if (!call) return;
  Team* team = new_team();
  parallel->ptr = team;
  if (team) fork(call.thread, call.site, team);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data,
                      unsigned size, unsigned index, int flags) {
  Call call(nullptr);
  if (!call || flags & ompt_task_initial) return;
  if (endpoint == ompt_scope_begin) {
    auto* team = parallel ? static_cast<Team*>(parallel->ptr) : nullptr;
    Task* task = team ? new_implicit_task(team, size, index) : nullptr;
    data->ptr = task;
    if (!task) return;
    task->outer = current_;
    current_ = task;
    begin_implicit(call.thread, call.site, task);
  } else if (Task* task = task_of(data)) {
    current_ = task->outer;
    data->ptr = nullptr;
    end_implicit(task);
  }
}

void on_barrier(const Call& call, ompt_sync_region_t kind, bool begins, Task* task) {
  if (begins) return arrive(call.thread, call.site, task);
  // The others leave the last barrier of a region when the next one begins.
  const bool late = kind == ompt_sync_region_barrier_implicit_parallel && task->index != 0;
  if (!late) leave_barrier(call.thread, call.site, task);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                    ompt_data_t* data, const void*) {
  Call call(nullptr);
  Task* task = task_of(data);
  if (!call || !task || kind == ompt_sync_region_reduction) return;
  const bool begins = endpoint == ompt_scope_begin;
  if (kind == ompt_sync_region_taskwait) {
    task->waits = begins;
    if (!begins) end_waiting(call.thread, call.site, task);
  } else if (kind == ompt_sync_region_taskgroup) {
    if (begins) {
      begin_group(task);
    } else {
      end_group(call.thread, call.site, task, current_);
    }
  } else {
    on_barrier(call, kind, begins, task);
  }
  if (begins) await_running(call.thread, task);
}

// A taskgroup begins long before somebody waits at its end.
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                         ompt_data_t* data, const void*) {
  Call call(nullptr);
  Task* task = task_of(data);
  if (!call || !task || kind != ompt_sync_region_taskgroup || !task->own_group) return;
  task->own_group->ending = endpoint == ompt_scope_begin;
  await_running(call.thread, task);
}

// What threads make of each other's partial results is not the program's.
void on_reduction(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                  const void*) {
  Thread* thread = active ? self() : nullptr;
  if (!thread || thread->inside) return;
  if (endpoint == ompt_scope_begin) {
    begin_ignoring(thread);
  } else {
    end_ignoring(thread);
  }
}

// The memory of a task begins a new life: the library keeps that of tasks that are over.
void allocated(const Call& call, const char* memory, uint64_t size) {
  before_step(call.thread, false);
  put(call.thread, Op::Alloc, call.site, memory, size);
}

const char* memory_of_new(const Call& call, const ompt_data_t* data) {
  const auto* place = reinterpret_cast<const char*>(data);
  if (const char* memory = new_memory_) {
    new_memory_ = nullptr;
    to_memory_ = memory - place;
    return memory;
  }
  if (!pattern_ || to_memory_ == 0) return nullptr;
  const char* memory = place + to_memory_;
  if (memory != pattern_) allocated(call, memory, new_size_);
  return memory;
}

void on_task_create(ompt_data_t* parent, const ompt_frame_t*, ompt_data_t* data, int flags, int,
                    const void*) {
  constexpr int kOthers = ompt_task_initial | ompt_task_implicit;
  Call call(nullptr);
  if (!call || flags & kOthers) return;
  Task* task = new_task(task_of(parent), flags & ompt_task_untied, memory_of_new(call, data));
  data->ptr = task;
  if (task) create(call.thread, call.site, task);
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, uint64_t,
             const void*) {
  if (kind != ompt_work_taskloop) return;
  pattern_ = endpoint == ompt_scope_begin ? new_memory_ : nullptr;
  new_memory_ = nullptr;
}

void on_dependences(ompt_data_t* data, const ompt_dependence_t* dependences, int count) {
  Call call(nullptr);
  if (!call || count == 0) return;
  if (dependences[0].dependence_type == ompt_dependence_type_source) {
    post_iteration(call.thread, dependences, count);
  } else if (dependences[0].dependence_type == ompt_dependence_type_sink) {
    await_iteration(call.thread, dependences, count);
  } else if (Task* task = task_of(data)) {
    for (int i = 0; i < count; i++) add_dependence(task, dependences[i]);
  }
}

void on_task_schedule(ompt_data_t* prior_data, ompt_task_status_t status, ompt_data_t* next_data) {
  Call call(nullptr);
  if (!call) return;
  Task* prior = task_of(prior_data);
  Task* next = task_of(next_data);
  if (prior && !prior->implicit) {
    switch (status) {
      case ompt_taskwait_complete:
        begin(call.thread, prior);
        [[fallthrough]];
      case ompt_task_complete:
      case ompt_task_cancel:
      case ompt_task_late_fulfill:
        prior_data->ptr = nullptr;
        complete(call.thread, prior, current_);
        break;
      case ompt_task_yield:
      case ompt_task_switch:
        suspend(call.thread, prior);
        break;
      case ompt_task_detach:
      case ompt_task_early_fulfill:
        break;
    }
  }
  if (!next) return;
  if (!next->implicit) begin(call.thread, next);
  await_running(call.thread, next);
}

struct LockFacts {
  const Thread* holder = nullptr;  // parallel mode; otherwise the scheduler knows
  bool has_name = false;
};
os::Lock locks_lock_;
AddressTable<LockFacts> locks_;

bool holds(const Thread* thread, const void* lock) {
  if (mode == Mode::controlled) return owner_of(lock) == thread;
  os::Guard guard(locks_lock_);
  const LockFacts* facts = locks_.find(lock);
  return facts && facts->holder == thread;
}

bool try_to_hold(const Thread* thread, const void* lock) {
  os::Guard guard(locks_lock_);
  LockFacts* facts = locks_.find_or_add(lock);
  if (facts && facts->holder) return false;
  if (facts) facts->holder = thread;
  return true;
}

// The locks of critical sections are the library's, and no variable says what they are.
void name_if_critical(Thread* thread, ompt_mutex_t kind, const void* lock) {
  if (kind != ompt_mutex_critical) return;
  {
    os::Guard guard(locks_lock_);
    LockFacts* facts = locks_.find_or_add(lock);
    if (!facts || facts->has_name) return;
    facts->has_name = true;
  }
  name_lock(thread, lock, "critical");
}

// A release is told after it has happened, so the next holder waits until it was told.
void await_release(Thread* thread, const void* lock) {
  if (mode == Mode::parallel) {
    while (!try_to_hold(thread, lock)) os::call(SYS_sched_yield);
    return;
  }
  before_step(thread);
  while (owner_of(lock)) {
    block(thread, Wait::lock, lock);
    before_step(thread);
  }
  // It gets it at once: nobody runs before the library has taken it.
  set_owner(lock, thread);
}

void note_release(const void* lock) {
  if (mode == Mode::controlled) {
    set_owner(lock, nullptr);
    wake(Wait::lock, lock);
    return;
  }
  os::Guard guard(locks_lock_);
  if (LockFacts* facts = locks_.find(lock)) facts->holder = nullptr;
}

const void* lock_of(ompt_wait_id_t id) {
  return reinterpret_cast<const void*>(id);
}

bool only_tries(ompt_mutex_t kind) {
  return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t id, const void*) {
  Call call(nullptr);
  request_site_ = call.site;
  if (!call || only_tries(kind) || kind == ompt_mutex_ordered) return;
  const void* lock = lock_of(id);
  if (kind == ompt_mutex_nest_lock && holds(call.thread, lock)) return;
  name_if_critical(call.thread, kind, lock);
  before_step(call.thread);
  put(call.thread, Op::Request, call.site, lock);
  if (mode == Mode::controlled) await_release(call.thread, lock);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void*) {
  Call call(nullptr);
  if (!call) return;
  const void* lock = lock_of(id);
  const bool ordered = kind == ompt_mutex_ordered;
  if (mode == Mode::parallel || ordered) {
    await_release(call.thread, lock);
  } else if (only_tries(kind)) {
    set_owner(lock, call.thread);
  }
  if (ordered) return follow(call.thread, request_site_, id);
  before_step(call.thread);
  put(call.thread, Op::Acquire, request_site_, lock, only_tries(kind) ? recording::kLimited : 0);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void*) {
  Call call(nullptr);
  if (!call) return;
  const void* lock = lock_of(id);
  if (kind == ompt_mutex_ordered) {
    precede(call.thread, call.site, id);
    note_release(lock);
    return;
  }
  before_step(call.thread);
  if (mode == Mode::controlled) note_release(lock);
  put(call.thread, Op::Release, call.site, lock);
  if (mode == Mode::parallel) note_release(lock);
}

// Called last of the library's initialization.
int start(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  initializes_library = nullptr;
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (!set) return 0;
  const auto hook = [&](ompt_callbacks_t which, auto* function) {
    set(which, reinterpret_cast<ompt_callback_t>(function));
  };
  hook(ompt_callback_parallel_begin, on_parallel_begin);
  hook(ompt_callback_implicit_task, on_implicit_task);
  hook(ompt_callback_sync_region, on_sync_region);
  hook(ompt_callback_sync_region_wait, on_sync_region_wait);
  hook(ompt_callback_reduction, on_reduction);
  hook(ompt_callback_task_create, on_task_create);
  hook(ompt_callback_work, on_work);
  hook(ompt_callback_dependences, on_dependences);
  hook(ompt_callback_task_schedule, on_task_schedule);
  hook(ompt_callback_mutex_acquire, on_mutex_acquire);
  hook(ompt_callback_mutex_acquired, on_mutex_acquired);
  hook(ompt_callback_mutex_released, on_mutex_released);
  return 1;
}

void finish(ompt_data_t*) {}

ompt_start_tool_result_t tool_ = {start, finish, {0}};

// The library announces the process by a file, which it removes at exit. One that was killed leaves
// it; a later process with that number begins in another way if it finds it, and a replay diverges.
void remove_announcement() {
  if (unrecorded_library.begin == 0) return;
  char path[64] = "/dev/shm/__KMP_REGISTERED_LIB_";
  char* at = path + os::length(path);
  os::append_number(at, os::process_id());
  *at++ = '_';
  os::append_number(at, static_cast<uint32_t>(os::call(SYS_getuid)));
  os::call(SYS_unlink, os::word(path));
}
FORETELL_BEFORE_SUDDEN_END(remove_announcement);

void forget_locks() {
  locks_lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_locks);

}  // namespace
}  // namespace openmp

}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT void* __kmpc_omp_task_alloc(void* place, int32_t thread_number, int32_t flags,
                                               size_t size, size_t shared_size, void* entry) {
  if (!real.__kmpc_omp_task_alloc) resolve_openmp_functions();
  const uint32_t site = __foretell_thread.call_site;
  void* task = real.__kmpc_omp_task_alloc(place, thread_number, flags, size, shared_size, entry);
  __foretell_thread.call_site = site;
  Call call(__builtin_return_address(0));
  if (!call || !task) return task;
  // Its first word says where what it shares is, behind it.
  const auto* memory = static_cast<const char*>(task);
  const char* shared = *static_cast<char**>(task);
  const char* end = shared && shared_size ? shared + shared_size : memory + size;
  openmp::new_memory_ = memory;
  openmp::new_size_ = static_cast<uint64_t>(end - memory);
  openmp::allocated(call, memory, openmp::new_size_);
  return task;
}

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  initialize();
  if (!active) return nullptr;
  const bool is_first = unrecorded_library.begin == 0;
  unrecorded_library = loaded_object_around(__builtin_return_address(0));
  initializes_library = self();
  if (is_first) openmp::remove_announcement();
  return &openmp::tool_;
}
