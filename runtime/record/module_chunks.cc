// SPDX-License-Identifier: Apache-2.0

// The chunks of site tables, and how a forked child takes them over from its parent.
#include <errno.h>
#include <fcntl.h>

#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/record/body.h"
#include "runtime/record/recorder.h"

namespace foretell::rt {
namespace {

uint64_t modules_ = 0;

// Where the module tables are in the file, so that a forked child can take them over.
struct ModulePlaces {
  static constexpr size_t kRoom = 250;
  struct {
    uint64_t offset, size;
  } at[kRoom];
  size_t count;
  ModulePlaces* next;
};
ModulePlaces* places_ = nullptr;
const char* parent_path_ = nullptr;

// With the lock of the body held.
void remember_module(uint64_t offset, uint64_t size) {
  if (!places_ || places_->count == ModulePlaces::kRoom) {
    auto* fresh = static_cast<ModulePlaces*>(os::allocate(sizeof(ModulePlaces)));
    if (!fresh) return;
    fresh->next = places_;
    places_ = fresh;
  }
  places_->at[places_->count++] = {offset, size};
}

// Appends a part of another file to the body. False if that fails.
bool append_from(long from, long to, uint64_t offset, uint64_t size) {
  while (size > 0) {
    char buffer[4096];
    const size_t part = size < sizeof buffer ? size : sizeof buffer;
    const long got = os::call(SYS_pread64, from, os::word(buffer), static_cast<long>(part),
                              static_cast<long>(offset));
    if (got <= 0) return false;
    if (os::call(SYS_pwrite64, to, os::word(buffer), got, static_cast<long>(header->body_end)) !=
        got) {
      return false;
    }
    header->body_end += static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return true;
}

void forget_modules() {
  parent_path_ = body::path();
  modules_ = 0;
}
FORETELL_IN_FORKED_CHILD(forget_modules);

}  // namespace

void append_module(const Bytes* pieces, size_t count) {
  constexpr size_t kMost = 8;
  static const uint64_t zeros = 0;
  iovec parts[kMost + 2];
  ChunkHeader chunk{};
  size_t used = 0;
  parts[0] = {&chunk, sizeof chunk};
  for (size_t i = 0; i < count && i < kMost; i++) {
    parts[i + 1] = {const_cast<void*>(pieces[i].at), pieces[i].size};
    used += pieces[i].size;
  }
  const size_t padding = (8 - used % 8) % 8;
  parts[count + 1] = {const_cast<uint64_t*>(&zeros), padding};
  os::Guard guard(body::lock);
  chunk.marker = recording::kChunkMarker;
  chunk.kind = StreamKind::modules;
  chunk.ordinal = modules_++;
  chunk.used = static_cast<uint32_t>(used);
  const uint64_t offset = header->body_end;
  body::append(parts, static_cast<int>(count + 2), sizeof chunk + used + padding, offset, -1);
  if (!body::is_stopped()) remember_module(offset, header->body_end - offset);
}

void adopt_modules() {
  os::Guard guard(body::lock);
  const long from = os::call(SYS_open, os::word(parent_path_), O_RDONLY | O_CLOEXEC);
  const long to = body::open_file();
  bool fine = !body::failed(from) && !body::failed(to);
  for (ModulePlaces* block = places_; block; block = block->next) {
    for (size_t i = 0; fine && i < block->count; i++) {
      const uint64_t offset = header->body_end;
      fine = append_from(from, to, block->at[i].offset, block->at[i].size);
      block->at[i].offset = offset;
    }
  }
  if (!body::failed(from)) os::call(SYS_close, from);
  if (!body::failed(to)) os::call(SYS_close, to);
  if (!fine) body::stop_recording(body::failed(from) ? from : body::failed(to) ? to : -ENOSPC);
}

}  // namespace foretell::rt
