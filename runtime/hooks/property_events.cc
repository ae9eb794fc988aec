// SPDX-License-Identifier: Apache-2.0

// Hooks for properties, and user events with any number of values (recording/property_hooks.h).
#include "recording/property_hooks.h"

#include <stdarg.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/record/site_tables.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

using recording::HookSignature;
using recording::UserValue;
using recording::ValueType;

// Sites of the names that have hooks in bodies. Constructors fill it, before any hook runs.
constexpr size_t kMostBodies = 1024;
uint32_t bodies_[kMostBodies];
size_t body_count_ = 0;

bool has_body(uint32_t site) {
  for (size_t i = 0; i < body_count_; i++) {
    if (bodies_[i] == site) return true;
  }
  return false;
}

void put_values(const Call& call, uint32_t name, const uint64_t* values, uint32_t count,
                uint64_t packed) {
  before_step(call.thread, false);
  put(call.thread, Op::User, name, reinterpret_cast<void*>(uintptr_t{call.site}), packed,
      count > 0 ? values[0] : 0, count > 1 ? values[1] : 0);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

void __foretell_property_hook(const char* name, int in_body) {
  initialize();
  if (!active) return;
  constexpr size_t kLongest = 512;
  char mark[kLongest];
  const size_t prefix = os::length(foretell::recording::kHookMark), size = os::length(name);
  if (prefix + size >= kLongest) return;
  os::copy(mark, foretell::recording::kHookMark, prefix);
  os::copy(mark + prefix, name, size);
  mark[prefix + size] = 0;
  site_of_text(mark);
  const uint32_t site = site_of_text(name);
  if (in_body && !has_body(site) && body_count_ < kMostBodies) bodies_[body_count_++] = site;
}

void __foretell_property_event(const char* name, uint64_t signature, ...) {
  Call call(__builtin_return_address(0));
  if (!call) return;
  const uint32_t site = site_of_text(name);
  if (signature & HookSignature::kCallSite && has_body(site)) return;
  uint32_t count = HookSignature::count_of(signature);
  if (count > HookSignature::kMost) count = HookSignature::kMost;
  uint64_t values[HookSignature::kMost];
  va_list list;
  va_start(list, signature);
  for (uint32_t i = 0; i < count; i++) values[i] = va_arg(list, uint64_t);
  va_end(list);
  auto type = [&](uint32_t i) {
    return i < count ? HookSignature::type_of(signature, i) : ValueType::integer;
  };
  uint32_t at = 0;
  for (; count - at > 2; at += 2) {
    put_values(call, site_of_text(foretell::recording::kMoreValues), values + at, 2,
               UserValue::packed(2, false, type(at), type(at + 1)));
  }
  put_values(
      call, site, values + at, count - at,
      UserValue::packed(count - at, signature & HookSignature::kResult, type(at), type(at + 1)));
}
