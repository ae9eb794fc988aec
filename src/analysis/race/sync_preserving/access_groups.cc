// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/access_groups.h"

namespace foretell::analysis {

AccessGroup& AccessGroups::group_of(const trace::Event& e, uint32_t place) {
  auto [it, fresh] = index_.try_emplace(Key{place, e.thread, e.site, e.kind},
                                        static_cast<uint32_t>(groups_.size()));
  if (fresh) add(e, place, it->second);
  return groups_[it->second];
}

void AccessGroups::add(const trace::Event& e, uint32_t place, uint32_t number) {
  Location& x = locations_[place];
  AccessGroup& group = groups_.emplace_back();
  group.thread = e.thread;
  group.kind = e.kind;
  group.site = e.site;
  group.number = static_cast<uint32_t>(x.groups.size());
  x.groups.push_back(number);
  const auto [reader, fresh] =
      readers_.try_emplace({place, e.thread}, static_cast<uint32_t>(x.threads.size()));
  group.thread_number = reader->second;
  if (fresh) x.threads.push_back({e.thread});
}

void AccessGroups::keep_repeated(AccessGroup& group, Location& x, const KeptAccess& access) {
  CHECK(group.accesses.size() < uint32_t{1} << 30 && x.log.size() < UINT32_MAX);
  group.accesses.push_back(access);
  x.log.push_back({group.number, group.thread, access.step});
  ++kept_;
}

void AccessGroups::forget(Location& x) {
  x.log.clear();
  for (uint32_t number : x.groups) groups_[number].forget();
  for (Reader& reader : x.threads) reader = {reader.thread};
}

}  // namespace foretell::analysis
