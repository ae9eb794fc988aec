// Thread: what the runtime knows of a thread of the program, and the calls by which intercepted
// functions take steps.
//
// An intercepted function looks like this:
//
//   int pthread_mutex_unlock(pthread_mutex_t* mutex) {
//     Call call(__builtin_return_address(0));
//     if (!call) return real.pthread_mutex_unlock(mutex);   // off, or called by the runtime itself
//     before_step(call.thread);                             // others may run before this returns
//     const int result = real.pthread_mutex_unlock(mutex);
//     if (result == 0) put(call.thread, Op::Release, call.site, mutex);
//     ...
//     return result;
//   }
//
// Between before_step and put nobody else runs (controlled mode), so what is done there and its
// record are one indivisible step. Every step needs its own before_step: that is where schedules
// are counted and where a thread is stopped.
#pragma once

#include <pthread.h>
#include <signal.h>

#include "filter.h"
#include "recorder.h"
#include "recording/hooks.h"

namespace foretell::rt {

using recording::Mode;
using recording::Op;

inline constexpr uint64_t kForever = ~uint64_t{0};
// What the record of a wait until then says of it.
constexpr uint64_t limit_of(uint64_t deadline) {
  return deadline == kForever ? 0 : recording::kLimited;
}

enum class Run : uint32_t {
  runnable,  // wants the token; one of these has it
  blocked,   // until wake() or its deadline
  external,  // outside the scheduler's control: in a blocking system call, or lost
  ended,
};

enum class Wait : uint32_t {
  none,
  lock,
  condition,
  barrier,
  semaphore,
  thread,
  futex,
  once,
  sleep,
  descriptor
};

enum class Woken : uint32_t { notified, timed_out, cancelled, interrupted };

// run, wait, ... are protected by the scheduler's lock; what stands under "own" is touched by the
// thread itself only.
struct Thread {
  uint32_t id = 0;
  uint32_t parent = 0;
  uint32_t children = 0;
  uint32_t os_id = 0;
  Thread* next = nullptr;  // all threads ever, by creation

  Run run = Run::runnable;
  uint32_t turn = 0;  // futex: 1 when the token has been passed to it
  bool lost = false;  // taken off the token by the watchdog
  Wait wait = Wait::none;
  const void* wait_object = nullptr;
  uint64_t wait_order = 0;
  uint64_t deadline = kForever;  // in virtual time
  Woken woken{};
  uint64_t ticket = 0;               // of the notify or post that woke it
  bool (*ready)(Thread*) = nullptr;  // asked before each decision whether it can go on
  bool ready_outside = false;        // the answer depends on more than this process
  bool cancelled = false;            // by pthread_cancel
  bool cancel_disabled = false;      // PTHREAD_CANCEL_DISABLE
  bool cancel_at_once = false;       // PTHREAD_CANCEL_ASYNCHRONOUS
  bool interruptible = false;        // cancellation ends its waiting
  uint64_t ahead = 0;     // steps taken while the plan waited for another, not yet its turn
  bool yielding = false;  // stopped in yield(), and not before a step
  bool restarts = false;  // interrupted by handlers that all have SA_RESTART

  pthread_t handle{};
  bool joinable = true;
  void* (*start)(void*) = nullptr;
  int (*c11_start)(void*) = nullptr;  // instead, for thrd_create
  void* argument = nullptr;
  uint64_t priority = 0;  // pct
  ForetellThread* slots = nullptr;

  struct Signals {
    static constexpr uint32_t kQueue = 16;
    volatile bool waiting = false;  // there may be something to handle
    volatile bool outside = false;  // in a real call, where a handler may run at once
    uint64_t blocked = 0;           // the thread's mask
    uint64_t sent = 0;              // by other threads of the program
    uint64_t awaited = 0;           // by sigwait and its kin
    // Caught and kept; written by the thread's own signal handler.
    uint32_t first = 0;
    uint32_t last = 0;
    siginfo_t queue[kQueue];
    // In the handler of a fault: where the stream goes on.
    uint32_t faults = 0;
    char* held_cursor = nullptr;
    int64_t held_fuel = 0;
  } signals;

  // own
  struct Once {
    const int* control;
    uint32_t site;
  };
  static constexpr uint32_t kOnces = 8;
  Once once[kOnces];            // routines of pthread_once that it runs, the innermost last
  uint32_t onces = 0;           // how many of them; deeper ones are not kept
  bool ends_once = false;       // it is about to record that one of them was left
  uint32_t call_site = 0;       // of the intercepted function it is in
  uint32_t inside = 0;          // > 0: calls of intercepted functions are the runtime's own
  uint32_t ignoring = 0;        // depth of ignore regions
  char* held_cursor = nullptr;  // where the stream goes on after an ignore region
  Stream stream;                // parallel
  uint64_t given = 0;           // fuel as of the last settling
  uint64_t budget = 0;          // steps from then until the scheduler decides again
  uint64_t steps = 0;           // taken until then
  uint64_t steps_at_yield = 0;  // when it last yielded although it was its turn
  Filtering filtering;
  const void* spin_address = nullptr;
  uint64_t spin_value = 0;
  uint32_t spin_count = 0;
  uint32_t clock_calls = 0;
};

extern bool active;  // recording is on in this process
extern Mode mode;

// The calling thread, attached to the scheduler; null if recording is off, or the thread is past
// its end, or has not begun.
Thread* self();

// Puts the cursor of a thread inside an ignore region back on the stream, for as long as the
// runtime works: steps that synchronize are recorded there too.
class OnStream {
 public:
  explicit OnStream(Thread* thread) : thread_(thread) {
    if (thread->ignoring) enter();
  }
  ~OnStream() {
    if (thread_->ignoring) leave();
  }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  void enter();
  void leave();

  Thread* thread_;
};

// What the thread records from here on goes to the stream, so its filter may count on it.
inline void aim_filter(Thread* thread) {
  thread->slots->regions = thread->filtering.regions;
  thread->slots->seen = thread->filtering.seen;
}

// The thread has synchronized: it may read anew what it has read.
inline void next_segment(Thread* thread) {
  constexpr uint64_t kNext = uint64_t{0x1'0000'0001} << filter::kKeyBits;
  uint64_t& seen = thread->filtering.seen;
  seen += kNext;
  if (static_cast<uint32_t>(seen) <= filter::kWholeKey) restart_filter(thread);
  thread->slots->seen = seen;
}

// Ignore regions nest.
void begin_ignoring(Thread* thread);
void end_ignoring(Thread* thread);

// Code of the program that an intercepted function calls: steps it takes are its own. No
// destructor, because an exception or the end of the thread may leave it another way, and then
// nobody is inside either.
void leave_runtime(Thread* thread);
void reenter_runtime(Thread* thread);

// The calling thread's entry into an intercepted function. False if the call must go straight to
// the real function.
class Call {
 public:
  explicit Call(void* return_address);
  ~Call() {
    if (thread) leave_runtime(thread);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  explicit operator bool() const { return thread != nullptr; }

  Thread* thread;
  uint32_t site = recording::kNoSite;
};

// Returns when the thread may take its next step. `synchronizes` steps are where strategies like to
// switch.
void before_step(Thread* thread, bool synchronizes = true);

// Controlled mode: takes the steps of routines of pthread_once that an exception has ended since.
void end_left_onces(Thread* thread);

// Records the step. In parallel mode a synchronizing step also gets its place in the order of all
// synchronization: it must be recorded after what it waited for and before what waits for it.
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value = 0);
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t extension);
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t first_extension, uint64_t second_extension);

// The thread that is attached, if any. self() attaches it if need be.
extern __thread Thread* attached_thread __attribute__((tls_model("initial-exec")));

// Whether an access may be recorded without more ado, as inline hooks do it. If so, that is done by
// put_at_once.
inline bool may_access_at_once() {
  return active && __foretell_thread.fuel > 0 && attached_thread->inside == 0;
}
// The same of any step that does not synchronize in controlled mode.
inline bool may_step_at_once() {
  return mode == Mode::controlled && may_access_at_once();
}
void put_at_once(Op op, uint32_t site, const void* address, uint64_t value);

// Records a step in the compact form without a value: function entry and exit, branches.
void put_compact(Thread* thread, uint32_t site, uint64_t address);

// Stores a full record at `cursor` and moves it on.
void store(char*& cursor, Op op, uint32_t site, uint64_t address, uint64_t value);

// Points the thread's cursor at memory that is not recorded; its next hook comes to the runtime.
void off_stream(Thread* thread);

// Unique in the run, from 1. 0 means that nobody knows which notify or post it was (parallel).
uint64_t new_ticket();

// Site whose expression is `text`, for names that are known only at run time.
uint32_t site_of_text(const char* text);
// Numbers for sites that are described otherwise, or kNoSite.
uint32_t new_sites(uint32_t count);
// An executable or library whose code PcSite records name, by the number of calls before.
void register_binary(const char* path);

// Registers the calling thread as the first one and starts recording; from the library's
// constructor or the first registered module, whichever comes first.
void initialize();

// False in a child made by vfork, which shares our memory but is not us.
bool in_recorded_process();
// The process ends with this status, if nothing worse is known.
void note_end(int status);

// In the child of a fork, of all that was: only the calling thread is there, and nobody holds a
// lock of the runtime.
void forget_threads();
void forget_schedule();
void inherit_locks(Thread* from, Thread* to);
void forget_strategy();
void forget_modules();
void forget_atomic_locks();
void forget_annotations();
void forget_openmp();
void forget_pcs();
void forget_channels();

// The mask of a thread until it has begun: a handler that ran there before it knows who it is would
// take it for a thread of somebody else's making. All signals but the last, so that it is not the
// mask of a thread that the program gave one that blocks all.
inline constexpr uint64_t kBlockedAtBirth =
    ~(uint64_t{1} << (SIGKILL - 1) | uint64_t{1} << (SIGSTOP - 1) | uint64_t{1} << 63);

Thread* new_thread(Thread* parent);
void forget_thread(Thread* thread);       // that could not be created after all
Thread* thread_of(pthread_t handle);      // that can be joined
Thread* living_thread(pthread_t handle);  // that has not ended
Thread* all_threads();
void begin_thread(Thread* thread);  // on the new thread itself
// Has end_thread called when the calling thread ends.
void await_end(Thread* thread);
void end_thread(Thread* thread);  // on the ending thread itself; its last step

// Recorded by `thread`; at most 16 bytes of the name.
void name_thread(Thread* thread, const Thread* target, const char* name);
void name_lock(Thread* thread, const void* lock, const char* name);

}  // namespace foretell::rt
