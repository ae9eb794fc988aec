// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/return_sites.h"

#include <link.h>

#include "runtime/platform/address_table.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/loaded_object.h"
#include "runtime/platform/os.h"
#include "runtime/record/site_tables.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

// Many calls ask for few addresses: a table with one place for each hash answers nearly all. An
// entry is one word, recording::header_of(address, site), so that nobody needs a lock to read it.
constexpr size_t kCacheSize = 1 << 14;
uint64_t cache_[kCacheSize];

struct Site {
  uint32_t number = recording::kNoSite;
};
os::Lock lock_;  // what follows
AddressTable<Site> sites_;

struct Binary {
  uintptr_t begin, end, base;
};
constexpr size_t kBinaries = 1024;
static_assert(kBinaries <= recording::kMostBinaries);
Binary binaries_[kBinaries];
size_t binary_count_ = 0;

uint64_t& cached(uintptr_t pc) {
  return cache_[(pc * 0x9e3779b97f4a7c15) >> 50];
}

const Binary* binary_of(uintptr_t pc) {
  for (size_t i = 0; i < binary_count_; i++) {
    if (pc >= binaries_[i].begin && pc < binaries_[i].end) return &binaries_[i];
  }
  return nullptr;
}

int add_binary(dl_phdr_info* object, size_t, void* wanted) {
  const auto pc = *static_cast<const uintptr_t*>(wanted);
  const LoadedObject whole = extent_of(*object);
  if (!whole.contains(reinterpret_cast<const void*>(pc))) return 0;
  char own[4096];
  const char* path = object->dlpi_name;
  if (!*path) {
    const long size =
        os::call(SYS_readlink, os::word("/proc/self/exe"), os::word(own), sizeof own - 1);
    own[size < 0 ? 0 : size] = 0;
    path = own;
  }
  register_binary(path);
  binaries_[binary_count_++] = {whole.begin, whole.end, object->dlpi_addr};
  return 1;
}

// With lock_ held.
void describe(Thread* thread, uint32_t site, uintptr_t pc) {
  const Binary* binary = binary_of(pc);
  if (!binary && binary_count_ < kBinaries) {
    dl_iterate_phdr(add_binary, &pc);
    binary = binary_of(pc);
  }
  if (!binary) return;
  const auto number = static_cast<uint64_t>(binary - binaries_);
  put(thread, Op::PcSite, recording::kNoSite, reinterpret_cast<void*>(pc), site,
      recording::CodeOffset{pc - binary->base, number}.packed());
}

}  // namespace

uint32_t site_of_return(Thread* thread, const void* return_address) {
  const uintptr_t pc = reinterpret_cast<uintptr_t>(return_address) - 1;
  uint64_t& slot = cached(pc);
  const uint64_t seen = __atomic_load_n(&slot, __ATOMIC_RELAXED);
  if ((seen & recording::kAddressMask) == pc) {
    return static_cast<uint32_t>(seen >> recording::kSiteShift);
  }
  os::Guard guard(lock_);
  Site* site = sites_.find_or_add(reinterpret_cast<void*>(pc));
  if (!site) return recording::kNoSite;
  if (site->number == recording::kNoSite) {
    site->number = new_sites(1);
    if (site->number == recording::kNoSite) return recording::kNoSite;
    describe(thread, site->number, pc);
  }
  __atomic_store_n(&slot, recording::header_of(pc, site->number), __ATOMIC_RELAXED);
  return site->number;
}

namespace {

// The child's recording has none of their records; the binaries it takes over from the parent.
void forget_return_sites() {
  lock_ = os::Lock();
  sites_ = AddressTable<Site>();
  for (uint64_t& slot : cache_) slot = 0;
}
FORETELL_IN_FORKED_CHILD(forget_return_sites);

}  // namespace
}  // namespace foretell::rt
