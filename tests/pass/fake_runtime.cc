// A runtime that prints what instrumented code tells it, one line a step, to standard output:
//
//   Write4 acc.balance = 5 at bank.c:8:15 in deposit
//
// Every check hands out room for one record and makes it the last, so that the next hook, or the
// end of the program, finds at most one record to print. For one thread at a time.
//
// With FAKE_WATCHING in the environment the bodies that watch run instead. No granule ever has the
// thread's epoch there, so every access is printed; entries and exits of functions are not.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/hooks.h"
#include "recording/watching.h"

using namespace foretell::recording;

namespace {

constexpr const char* kNames[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) #op,
#include "recording/record.def"
};

struct Loaded {
  const Module* module;
  uint32_t first;
};
Loaded modules[64];
unsigned module_count;
uint32_t next_site = 1;
__thread char room[kMaxRecord];
uint8_t site_ops[1 << 17];

void print_site(uint32_t site) {
  for (unsigned i = 0; i < module_count; i++) {
    const Loaded& loaded = modules[i];
    if (site < loaded.first || site >= loaded.first + loaded.module->site_count) continue;
    const SiteRow& row = loaded.module->sites[site - loaded.first];
    const char* strings = loaded.module->strings;
    const char* slash = strrchr(strings + row.file, '/');
    printf(" at %s:%u:%u in %s%s%s%s\n", slash ? slash + 1 : strings + row.file, row.line,
           row.column, strings + row.function, row.flags & kSiteCall ? " [call]" : "",
           row.flags & kSiteFunction ? " [function]" : "",
           row.flags & kSiteLibrary ? " [library]" : "");
    return;
  }
  printf(" at site %u\n", site);
}

const char* expression(uint32_t site) {
  for (unsigned i = 0; i < module_count; i++) {
    const Loaded& loaded = modules[i];
    if (site >= loaded.first && site < loaded.first + loaded.module->site_count) {
      const char* text =
          loaded.module->strings + loaded.module->sites[site - loaded.first].expression;
      return *text ? text : "-";
    }
  }
  return "?";
}

[[gnu::format(printf, 3, 4)]] void print(const char* op, uint32_t site, const char* format, ...) {
  printf("%s %s", op, expression(site));
  va_list values;
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
  print_site(site);
}

void print_entry(uint32_t site, uint32_t from) {
  if (from != 0) {
    printf("call %s", expression(from));
    print_site(from);
  }
  print("enter", site, "%s", "");
}

void flush() {
  ForetellThread& thread = __foretell_thread;
  if (thread.cursor == room || !thread.cursor) return;
  Record record;
  if (record.read(room, thread.cursor, site_ops, next_site) !=
      static_cast<size_t>(thread.cursor - room)) {
    puts("ERROR: the record does not have the size its site says");
  }
  thread.cursor = room;
  if (record.op() == Op::FunctionEnter) {
    print_entry(record.site(), static_cast<uint32_t>(record.address()));
  } else if (record.op() == Op::FunctionExit) {
    print("exit", record.site(), "%s", "");
  } else {
    print(kNames[static_cast<int>(record.op())], record.site(), " = %lld",
          static_cast<long long>(record.value()));
  }
}

[[gnu::destructor]] void finish() {
  flush();
  fflush(stdout);
}

}  // namespace

extern "C" {

__thread ForetellThread __foretell_thread __attribute__((tls_model("initial-exec")));

void __foretell_register(const Module* module) {
  if (module->abi != kAbi) abort();
  for (uint32_t i = 0; i < module->site_count; i++) {
    module->site_bits[i] = uint64_t{next_site + i} << kSiteShift;
    site_ops[next_site + i] = static_cast<uint8_t>(op_of(module->sites[i]));
  }
  modules[module_count++] = {module, next_site};
  next_site += module->site_count;
  if (getenv("FAKE_WATCHING")) {
    static uint64_t granules[8];
    static uint64_t frames[foretell::watching::kMostFrames];
    ForetellThread& thread = __foretell_thread;
    thread.shadow = reinterpret_cast<char*>(granules);
    thread.epoch = foretell::watching::twice(1);
    thread.frames = frames;
    thread.watching = 1;
  }
  if (!getenv("FAKE_TABLES")) return;
  const char* strings = module->strings;
  printf("module %s skipped %u repeated %u\n", strings + module->name, module->skipped,
         module->repeated);
  for (uint64_t i = 0; i < module->global_count; i++) {
    const GlobalRow& row = module->globals[i];
    const bool zeroed = row.size & kGlobalZeroed;
    printf("global %s size %llu fields '%s'%s\n", strings + row.name,
           static_cast<unsigned long long>(row.size & ~kGlobalZeroed), strings + row.fields,
           zeroed ? " zeroed" : "");
  }
}

// The filter is off, so nobody calls these.
char* __foretell_new_region(const void*) {
  return nullptr;
}
void __foretell_many_hits() {}

void __foretell_check(const void*) {
  flush();
  __foretell_thread.cursor = room;
  __foretell_thread.fuel = 0;
}

__attribute__((preserve_most)) void __foretell_watched(const void* address, uint64_t value,
                                                       uint32_t site, uint32_t what) {
  const uint32_t op = what & 0xff;
  const auto kind = static_cast<Op>(op);
  if (kind == Op::None) {
    print(what & foretell::watching::kWrites ? "WriteRange" : "ReadRange", site, " size %u",
          what >> foretell::watching::kSizeShift);
    return;
  }
  uint64_t read = 0;
  memcpy(&read, address, kCompactSize[op]);
  const bool writes = kind >= Op::Write1 && kind <= Op::Write8;
  print(kNames[op], site, " = %lld", static_cast<long long>(writes ? value : read));
}
// All is to be recorded.
uint32_t __foretell_watched_loop(const void*, int64_t, uint64_t, int64_t, uint64_t, uint32_t) {
  return 0;
}
__attribute__((preserve_most)) void __foretell_work() {
  __foretell_thread.work = 7;
}

void __foretell_read_range(const void*, uint64_t size, uint32_t site) {
  flush();
  print("ReadRange", site, " size %llu", static_cast<unsigned long long>(size));
}
void __foretell_write_range(const void*, uint64_t size, uint32_t site) {
  flush();
  print("WriteRange", site, " size %llu", static_cast<unsigned long long>(size));
}
void __foretell_atomic_begin(const void*, uint32_t site) {
  flush();
  print("AtomicBegin", site, "%s", "");
}
void __foretell_atomic_read(const void*, uint64_t value, uint32_t size, uint32_t order,
                            uint32_t site) {
  print("AtomicRead", site, " = %lld size %u order %u", static_cast<long long>(value), size, order);
}
void __foretell_atomic_write(const void*, uint64_t value, uint32_t size, uint32_t order,
                             uint32_t site) {
  print("AtomicWrite", site, " = %lld size %u order %u", static_cast<long long>(value), size,
        order);
}
void __foretell_atomic_rmw(const void*, uint64_t read, uint64_t written, uint32_t size,
                           uint32_t order, uint32_t site) {
  print("AtomicRmw", site, " = %lld -> %lld size %u order %u", static_cast<long long>(read),
        static_cast<long long>(written), size, order);
}
void __foretell_fence(uint32_t order, uint32_t site) {
  flush();
  print("Fence", site, " order %u", order);
}
void __foretell_branch(uint64_t way, uint32_t site) {
  flush();
  print("Branch", site, " = %llu", static_cast<unsigned long long>(way));
}

// What a test calls to see the call site an intercepted function would see.
void intercepted(const void*) {
  flush();
  const uint32_t from = __foretell_thread.call_site;
  __foretell_thread.call_site = 0;
  printf("intercepted %s", expression(from));
  print_site(from);
}
}
