// SPDX-License-Identifier: Apache-2.0

// Start and end of recording in a process.
#include "runtime/intercept/start.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

#include "recording/contended.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/sanitizers.h"
#include "runtime/intercept/signals.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/platform/program_objects.h"
#include "runtime/platform/real.h"
#include "runtime/record/description.h"
#include "runtime/record/keeper.h"
#include "runtime/record/recorder.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/filter.h"
#include "runtime/threads/records.h"
#include "runtime/threads/thread.h"
#include "runtime/watch/names.h"
#include "runtime/watch/places.h"
#include "runtime/watch/shadow.h"
#include "runtime/watch/watcher.h"
#include "runtime/watch/writers.h"

extern "C" char** environ;

namespace foretell::rt {
namespace {

bool initialized_ = false;

// A program with more rights than whoever started it takes no orders from their environment.
bool has_foreign_rights() {
  return getauxval(AT_SECURE) != 0;
}

const char* environment(const char* name) {
  const size_t size = os::length(name);
  for (char** entry = environ; entry && *entry; entry++) {
    if (os::equal(*entry, name, size) && (*entry)[size] == '=') return *entry + size + 1;
  }
  return nullptr;
}

bool exists(const char* path) {
  return os::call(SYS_access, os::word(path), 0) == 0;
}

bool is_folder(const char* path) {
  const size_t size = os::length(path);
  return size > 0 && path[size - 1] == '/';
}

// PATH; or PATH.PID if PATH exists, because another process of the same run has it; or PATH.PID.N
// if that exists too, because the process was another program before. FOLDER/: FOLDER/PID[.N].
const char* free_path(const char* path) {
  const bool folder = is_folder(path);
  if (!folder && !exists(path)) return path;
  const size_t size = os::length(path);
  auto* longer = static_cast<char*>(os::allocate_small(size + 32));
  if (!longer) return path;
  os::copy(longer, path, size);
  char* end = longer + size;
  if (!folder) *end++ = '.';
  os::append_number(end, os::process_id());
  for (uint32_t n = 2; exists(longer); n++) {
    char* after = end;
    *after++ = '.';
    os::append_number(after, n);
  }
  return longer;
}

void on_process_exit(int status, void*) {
  note_end(status);
}

const char* found_path_ = nullptr;  // where the names of contended memory go
FORETELL_BEFORE_SUDDEN_END(write_found);

void begin_watching(const char* path) {
  const size_t size = os::length(path);
  auto* name = static_cast<char*>(os::allocate_small(size + sizeof recording::kContendedSuffix));
  if (name) {
    os::copy(name, path, size);
    os::copy(name + size, recording::kContendedSuffix, sizeof recording::kContendedSuffix);
  }
  found_path_ = name;
  const bool wanted = options.watch && mode == Mode::controlled;
  if (wanted && (has_sanitizer() || has_openmp())) {
    if (!options.short_limit)
      os::complain("cannot watch a program with OpenMP or a sanitizer; everything is recorded");
  } else if (wanted && !watch::watching_on) {
    watch::follows_reads = options.reads_from != 0;
    watch::start(options.contended);
  }
  if (!watch::watching_on) options.short_limit = 0;
  constexpr uint64_t kBytesPerAccess = 16;
  if (options.short_limit) begin_recording_all(options.short_limit / kBytesPerAccess);
  // If it is killed, nobody must take the empty list for a finished one.
  if (watch::watching_on && found_path_) watch::write_found(found_path_, {});
}

bool begin_recording(const char* path, bool forked) {
  if (is_folder(options.record)) describe_process(path, forked);
  if (!open_recording(path)) return false;
  header->mode = mode;
  header->seed = options.seed;
  header->without_values = thread_sanitizer_objects;
  begin_watching(path);
  Thread* first = new_thread(nullptr, 0);
  first->handle = pthread_self();
  first->joinable = true;
  start_keeper(mode == Mode::controlled ? watch_for_lost_threads : nullptr);
  begin_thread(first);
  active = true;
  return true;
}

}  // namespace

void note_fork_in_parent() {
  if (active) header->forks++;
}

// Only the calling thread is here, in the middle of fork.
void begin_forked_child() {
  if (!active) return;
  active = false;
  __foretell_thread.fuel = 0;
  Thread* survivor = attached_thread;
  run_fork_handlers();
  if (!options.children || !begin_recording(free_path(options.record), true)) return;
  adopt_modules();
  // What it held it holds.
  inherit_locks(survivor, attached_thread);
}

void write_found() {
  if (!watch::watching_on || !in_recorded_process() || !found_path_) return;
  watch::write_names(found_path_, watch::gave_up || watch::shadow_overlaps);
}

namespace {

// Destructors of statics have returned.
void tell_last_calls() {
  Thread* thread = attached_thread;
  if (records_all && thread && !thread->inside && !thread->ignoring) tell_frames(thread);
}

}  // namespace

void note_end(int status) {
  if (!in_recorded_process() || header->state != recording::State::running) return;
  header->state = recording::State::finished;
  header->status = static_cast<uint32_t>(status) & 0xff;
  tell_last_calls();
  count_last_steps();
  count_repeated_reads();
  write_found();
  release_reserve();
}

void initialize() {
  if (initialized_) return;
  if (!real.pthread_create) resolve_real_functions();
  // Called before libc's own constructor, as sanitizers do: at_load comes later.
  if (!environ) return;
  initialized_ = true;
  const char* text = environment("FORETELL_OPTIONS");
  if (!text || has_foreign_rights()) return;
  parse_options(text);
  if (!*options.record) return;
  const char* path = free_path(options.record);
  if (path != options.record && !is_folder(options.record) && !options.children) return;
  mode = options.mode;
  stream_buffers = code_of("_IO_file_doallocate");
  // The first of the program's threads that asks for the local time would allocate memory for it.
  tzset();
  if (!begin_recording(path, false)) return;
  start_signals();
  find_shadow();
  listen_to_allocator();
  pthread_atfork(nullptr, note_fork_in_parent, begin_forked_child);
  on_exit(on_process_exit, nullptr);
}

__attribute__((constructor(101))) static void at_load() {
  initialize();
}

}  // namespace foretell::rt
