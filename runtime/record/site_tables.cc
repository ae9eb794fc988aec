// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/site_tables.h"

#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/record/recorder.h"

namespace foretell::rt {
namespace {

using recording::Module;
using recording::ModuleBlob;
using recording::SiteRow;

os::Lock lock_;
uint32_t next_site_ = 1;

uint32_t take_sites(uint32_t count) {
  if (count > recording::kMaxSite || next_site_ > recording::kMaxSite - count)
    return recording::kNoSite;
  const uint32_t first = next_site_;
  next_site_ += count;
  return first;
}

void append(const ModuleBlob& blob, const SiteRow* sites, const recording::GlobalRow* globals,
            const char* strings) {
  const Bytes pieces[] = {{&blob, sizeof blob},
                          {sites, blob.site_count * sizeof *sites},
                          {globals, blob.global_count * sizeof *globals},
                          {strings, blob.strings_size}};
  append_module(pieces, 4);
}

struct TextSite {
  const char* text;
  uint32_t site;
};
constexpr size_t kTextSites = 4096;
TextSite text_sites_[kTextSites];

}  // namespace

uint32_t new_sites(uint32_t count) {
  os::Guard guard(lock_);
  return take_sites(count);
}

void register_binary(const char* path) {
  const char nothing = 0;
  const size_t size = os::length(path);
  const ModuleBlob blob{.first_site = 1, .strings_size = size + 2, .name = 1, .is_binary = 1};
  const Bytes pieces[] = {{&blob, sizeof blob}, {&nothing, 1}, {path, size + 1}};
  append_module(pieces, 3);
}

uint32_t site_of_text(const char* text) {
  if (!text || !*text) return recording::kNoSite;
  uint64_t hash = 0xcbf29ce484222325;
  const size_t size = os::length(text);
  for (size_t i = 0; i < size; i++) hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3;
  os::Guard guard(lock_);
  for (size_t i = 0; i < kTextSites; i++) {
    TextSite& slot = text_sites_[(hash + i) % kTextSites];
    if (slot.text && os::length(slot.text) == size && os::equal(slot.text, text, size)) {
      return slot.site;
    }
    if (slot.text) continue;
    auto* strings = static_cast<char*>(os::allocate_small(size + 2));
    if (!strings) return recording::kNoSite;
    os::copy(strings + 1, text, size);
    slot = {strings + 1, take_sites(1)};
    const SiteRow row{.expression = 1};
    append({.first_site = slot.site, .site_count = 1, .strings_size = size + 2}, &row, nullptr,
           strings);
    return slot.site;
  }
  return recording::kNoSite;
}

void register_sites(const Module* module) {
  os::Guard guard(lock_);
  const uint32_t first = take_sites(module->site_count);
  if (first == recording::kNoSite) {
    // Its records would be taken for those of other sites.
    os::complain("too many instrumented places for one recording; compile less of the program ",
                 "with foretell than ", module->strings + module->name);
    os::exit_process(ExitStatus::bad_input);
  }
  *module->site_bits = uint64_t{first} << recording::kSiteShift;
  for (uint32_t i = 0; i < module->site_count; i++) {
    note_site(first + i, static_cast<Op>(recording::op_of(module->sites[i])));
    module->site_bits[i] = uint64_t{first + i} << recording::kSiteShift;
  }
  append({.first_site = first,
          .site_count = module->site_count,
          .global_count = module->global_count,
          .strings_size = module->strings_size,
          .name = module->name,
          .skipped = module->skipped,
          .repeated = module->repeated},
         module->sites, module->globals, module->strings);
}

namespace {

void forget_lock() {
  lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_lock);

}  // namespace
}  // namespace foretell::rt
