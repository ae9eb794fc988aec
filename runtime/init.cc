// Start and end of recording in a process.
#include <stdlib.h>

#include "keeper.h"
#include "options.h"
#include "os.h"
#include "real.h"
#include "recorder.h"
#include "scheduler.h"
#include "thread.h"

extern "C" char** environ;

namespace foretell::rt {
namespace {

bool initialized_ = false;

const char* environment(const char* name) {
  const size_t size = os::length(name);
  for (char** entry = environ; entry && *entry; entry++) {
    if (os::equal(*entry, name, size) && (*entry)[size] == '=') return *entry + size + 1;
  }
  return nullptr;
}

// PATH, or PATH.PID if PATH exists: another process of the same run has it.
const char* free_path(const char* path) {
  constexpr long kExists = 0;
  if (os::call(SYS_access, os::word(path), 0) != kExists) return path;
  const size_t size = os::length(path);
  auto* longer = static_cast<char*>(os::allocate_small(size + 16));
  if (!longer) return path;
  os::copy(longer, path, size);
  longer[size] = '.';
  char digits[12];
  size_t n = 0;
  for (uint32_t pid = os::process_id(); pid; pid /= 10)
    digits[n++] = static_cast<char>('0' + pid % 10);
  for (size_t i = 0; i < n; i++) longer[size + 1 + i] = digits[n - 1 - i];
  return longer;
}

void on_process_exit(int status, void*) {
  if (!header) return;
  header->state = recording::State::finished;
  header->status = static_cast<uint32_t>(status);
  release_reserve();
}

}  // namespace

void initialize() {
  if (initialized_) return;
  initialized_ = true;
  resolve_real_functions();
  const char* text = environment("FORETELL_OPTIONS");
  if (!text) return;
  parse_options(text);
  if (!*options.record) return;
  const char* path = free_path(options.record);
  if (path != options.record && !options.children) return;
  if (!open_recording(path)) return;
  mode = static_cast<Mode>(options.mode);
  header->mode = mode;
  header->seed = options.seed;
  Thread* first = new_thread(nullptr);
  first->handle = pthread_self();
  first->joinable = true;
  start_keeper();
  begin_thread(first);
  active = true;
  on_exit(on_process_exit, nullptr);
}

__attribute__((constructor(101))) static void at_load() {
  initialize();
}

}  // namespace foretell::rt
