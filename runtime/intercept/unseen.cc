// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/unseen.h"

#include <link.h>

#include "runtime/intercept/channels.h"
#include "runtime/intercept/signals.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/loaded_object.h"
#include "runtime/platform/os.h"

namespace foretell::rt {
namespace {

// Objects that were not instrumented, by the places their calls came from.
struct Known {
  LoadedObject object;
  bool decides;  // by itself what it waits for
};
constexpr size_t kMost = 128;
Known known_[kMost];
size_t known_count_ = 0;
os::Lock lock_;

void forget_lock() {
  lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_lock);

const char* name_in(const char* path) {
  const char* name = path;
  for (; *path; path++) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

bool acts_for_its_caller(const char* path) {
  static const char* const kNames[] = {"libstdc++.so", "libc++.so",  "libc++abi.so", "libc.so",
                                       "libpthread.",  "ld-linux",   "libgcc_s.so",  "libomp",
                                       "libiomp",      "libgomp.so", "libasan.so",   "liblsan.so",
                                       "libtsan.so",   "libubsan.so"};
  const char* name = name_in(path);
  for (const char* one : kNames) {
    if (os::equal(name, one, os::length(one))) return true;
  }
  return false;
}

struct Search {
  const void* address;
  Known found;
};

int look_at(dl_phdr_info* object, size_t, void* result) {
  auto* search = static_cast<Search*>(result);
  const LoadedObject whole = extent_of(*object);
  if (!whole.contains(search->address)) return 0;
  search->found = {whole, !acts_for_its_caller(object->dlpi_name ? object->dlpi_name : "")};
  return 1;
}

bool decides_unseen(const void* caller) {
  if (is_instrumented(caller)) return false;
  os::Guard guard(lock_);
  for (size_t i = 0; i < known_count_; i++) {
    if (known_[i].object.contains(caller)) return known_[i].decides;
  }
  Search search{caller, {}};
  dl_iterate_phdr(look_at, &search);
  if (search.found.object.contains(caller) && known_count_ < kMost) {
    known_[known_count_++] = search.found;
  }
  return search.found.decides;
}

}  // namespace

void order_unseen_section(const Call& call, const void* caller, const void* lock) {
  if (decides_unseen(caller)) note_exchanged_at(call, lock);
}

void note_unseen_wake(const Call& call, const void* caller, const void* word) {
  if (decides_unseen(caller)) note_given_at(call, word);
}

void note_unseen_waking(const Call& call, const void* caller, const void* word) {
  if (decides_unseen(caller)) note_taken_at(call, word);
}

}  // namespace foretell::rt
