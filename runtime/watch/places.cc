// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/places.h"

#include <link.h>
#include <sys/resource.h>

#include "runtime/platform/address_table.h"
#include "runtime/platform/os.h"
#include "runtime/watch/names.h"
#include "runtime/watch/shadow.h"
#include "runtime/watch/writers.h"

extern "C" void* __libc_stack_end;

namespace foretell::rt::watch {

using watching::kGranule;

Found found;
uint64_t lives = 0;

namespace {

// A writable part of the program or a library.
struct Image {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t base = 0;  // where the file is loaded
  Names* names = nullptr;
};
constexpr size_t kMostImages = 1024;
Image images_[kMostImages];
size_t image_count_ = 0;

struct Object {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t key = 0;
  Object* next = nullptr;  // all ever, also those that ended
  uint64_t freed_size = 0;
};
AddressTable<Object> objects_;
Object* last_object_ = nullptr;
// Those that ended last, and whose memory nobody has got again yet, as a rule.
constexpr size_t kMostFreed = 256;
Object* freed_[kMostFreed];
size_t freed_count_ = 0;

struct StackPlace {
  uint64_t begin = 0;
  uint64_t top = 0;
  uint32_t thread = 0;
  bool lives = false;
  StackPlace* next = nullptr;
};
StackPlace* stacks_ = nullptr;
uint64_t tls_begin_ = 0;
uint64_t tls_end_ = 0;

// Mappings come close to the first stack, as far as its limit lets them.
uint64_t most_of_first_stack() {
  constexpr uint64_t kUnlimited = uint64_t{64} << 20;
  struct rlimit limit{};
  const long failed = os::call(SYS_prlimit64, 0, RLIMIT_STACK, 0, os::word(&limit));
  return failed || limit.rlim_cur > kUnlimited ? kUnlimited : limit.rlim_cur;
}
uint64_t most_of_first_stack_ = 0;

// The main program has no path here.
const char* path_of(const dl_phdr_info& image) {
  if (*image.dlpi_name) return image.dlpi_name;
  static char path[4096];
  if (!*path) os::call(SYS_readlink, os::word("/proc/self/exe"), os::word(path), sizeof path - 1);
  return path;
}

void mark(uint64_t begin, uint64_t end) {
  for (uint64_t at = begin & ~(kGranule - 1); at < end; at += kGranule) {
    word_of(at) = watching::kRecorded;
    begin_writers(at);
  }
}

// Those of the known offsets that lie in it; `from` is where offsets count from.
void mark_known(const Names& names, uint64_t from, uint64_t begin, uint64_t end) {
  for (const Stretch& stretch : names.known) {
    const uint64_t first = from + static_cast<uint64_t>(stretch.begin);
    const uint64_t last = from + static_cast<uint64_t>(stretch.end);
    const uint64_t low = first < begin ? begin : first;
    const uint64_t high = last > end ? end : last;
    if (low < high) mark(low, high);
  }
}

int note_image(dl_phdr_info* info, size_t, void*) {
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type == PT_TLS && info->dlpi_tls_data) {
      // Of the thread that runs, and while there is only one.
      const auto begin = reinterpret_cast<uint64_t>(info->dlpi_tls_data);
      if (tls_end_ && begin < tls_end_ && (!tls_begin_ || begin < tls_begin_)) tls_begin_ = begin;
    }
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_W)) continue;
    const uint64_t begin = info->dlpi_addr + part.p_vaddr;
    bool is_known = image_count_ == kMostImages;
    for (size_t j = 0; j < image_count_; j++) is_known |= images_[j].begin == begin;
    if (is_known) continue;
    Names* names = find_names(NameKind::global, 0, path_of(*info));
    if (!names) continue;
    claim(begin, part.p_memsz);
    images_[image_count_++] = {begin, begin + part.p_memsz, info->dlpi_addr, names};
    mark_known(*names, info->dlpi_addr, begin, begin + part.p_memsz);
  }
  return 0;
}

bool add_found(Names* names, uint64_t granule, uint64_t from) {
  if (!names) return false;
  const auto begin = static_cast<int64_t>(granule - from);
  return names->found.add({begin, begin + static_cast<int64_t>(kGranule)});
}

uint64_t first_stack_top() {
  return reinterpret_cast<uint64_t>(__libc_stack_end);
}

bool name_in_image(uint64_t granule) {
  for (size_t i = 0; i < image_count_; i++) {
    const Image& image = images_[i];
    if (granule + kGranule <= image.begin || granule >= image.end) continue;
    return add_found(image.names, granule, image.base);
  }
  return false;
}

bool name_in_stack(uint64_t granule) {
  for (const StackPlace* stack = stacks_; stack; stack = stack->next) {
    if (!stack->lives || granule < stack->begin || granule >= stack->top) continue;
    return add_found(find_names(NameKind::stack, stack->thread, ""), granule, stack->top);
  }
  const uint64_t top = first_stack_top();
  if (granule < top && granule + most_of_first_stack_ > top) {
    return add_found(find_names(NameKind::stack, 0, ""), granule, top);
  }
  if (granule >= tls_begin_ && granule < tls_end_) {
    return add_found(find_names(NameKind::tls, 0, ""), granule, tls_end_);
  }
  return false;
}

bool name_in_freed(uint64_t granule) {
  for (size_t i = freed_count_; i > 0 && i + kMostFreed > freed_count_; i--) {
    const Object& object = *freed_[(i - 1) % kMostFreed];
    if (object.size != 0 || granule + kGranule <= object.address ||
        granule >= object.address + object.freed_size)
      continue;
    return add_found(find_names(NameKind::heap, object.key, ""), granule, object.address);
  }
  return false;
}

void look_through(const Object& object) {
  if (found.deferred == 0 || object.size == 0) return;
  Names* names = nullptr;
  for_each_used(object.address, object.size, [&](uint64_t granule, uint64_t word) {
    if (word != watching::kFound) return;
    if (!names) names = find_names(NameKind::heap, object.key, "");
    if (add_found(names, granule, object.address)) found.deferred--;
  });
}

}  // namespace

void note_images() {
  dl_iterate_phdr(note_image, nullptr);
}

void note_first_thread() {
  tls_end_ = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
  most_of_first_stack_ = most_of_first_stack();
  note_images();
  const uint64_t top = first_stack_top();
  claim(top - most_of_first_stack_, most_of_first_stack_);
  if (const Names* names = find_names(NameKind::stack, 0, "")) {
    mark_known(*names, top, top - most_of_first_stack_, top);
  }
  if (const Names* names = find_names(NameKind::tls, 0, "")) {
    mark_known(*names, tls_end_, tls_begin_, tls_end_);
  }
}

void begin_stack(uint32_t thread, uint64_t begin, uint64_t top) {
  StackPlace* stack = stacks_;
  while (stack && stack->lives) stack = stack->next;
  if (!stack) {
    stack = static_cast<StackPlace*>(os::allocate_small(sizeof(StackPlace)));
    if (!stack) return;
    *stack = StackPlace();
    stack->next = stacks_;
    stacks_ = stack;
  }
  stack->begin = begin;
  stack->top = top;
  stack->thread = thread;
  stack->lives = true;
  claim(begin, top - begin);
  lives++;
  clear(begin, top - begin);
  if (const Names* names = find_names(NameKind::stack, thread, "")) {
    mark_known(*names, top, begin, top);
  }
}

void end_stack(uint32_t thread) {
  for (StackPlace* stack = stacks_; stack; stack = stack->next) {
    if (stack->thread == thread) stack->lives = false;
  }
}

void begin_object(uint64_t address, uint64_t size, uint64_t key, uint64_t word) {
  Object* object = objects_.find_or_add(reinterpret_cast<void*>(address));
  if (!object) return;
  if (object->address == 0) {
    object->address = address;
    object->next = last_object_;
    last_object_ = object;
  }
  object->size = size;
  object->key = key;
  claim(address, size);
  lives++;
  if (word != 0 || has_known(NameKind::heap)) fill(address, size, word);
  if (!has_known(NameKind::heap)) return;
  if (const Names* names = find_names(NameKind::heap, key, "")) {
    mark_known(*names, address, address, address + size);
  }
}

uint64_t size_of_object(uint64_t address) {
  const Object* object = objects_.find(reinterpret_cast<void*>(address));
  return object ? object->size : 0;
}

void end_object(uint64_t address) {
  Object* object = objects_.find(reinterpret_cast<void*>(address));
  if (!object) return;
  look_through(*object);
  object->freed_size = object->size;
  object->size = 0;
  freed_[freed_count_++ % kMostFreed] = object;
}

void note_found(uint64_t granule) {
  found.granules++;
  if (!name_in_image(granule) && !name_in_stack(granule) && !name_in_freed(granule)) {
    found.deferred++;
  }
}

void write_names(const char* path, bool gave_up) {
  for (const Object* object = last_object_; object; object = object->next) look_through(*object);
  write_found(
      path,
      {.found = found.granules, .unnamed = found.deferred, .gave_up = gave_up, .finished = true});
}

void mark_living() {
  lives++;
  found = {};
  forget_found();
  image_count_ = 0;
  note_first_thread();
  for (StackPlace* stack = stacks_; stack; stack = stack->next) stack->lives = false;
  for (const Object* object = last_object_; object; object = object->next) {
    const Names* names = object->size ? find_names(NameKind::heap, object->key, "") : nullptr;
    if (names) {
      mark_known(*names, object->address, object->address, object->address + object->size);
    }
  }
}

}  // namespace foretell::rt::watch
