// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/targets.h"

#include <algorithm>
#include <numeric>

namespace foretell::bitcode {

Targets::Targets() {
  add_object(0);
  anywhere_in(kUnknownObject);
}

ObjectId Targets::add_object(std::optional<uint64_t> size) {
  objects_.push_back({.size = std::min(size.value_or(kMaxOffset), kMaxOffset),
                      .left = size ? kMaxTargets : kMaxUnsized});
  return ObjectId{static_cast<uint32_t>(objects_.size() - 1)};
}

TargetId Targets::intern(const Target& target) {
  const uint64_t key = uint64_t{number(target.object)} << 32 | target.offset;
  const auto known = ids_.find({key, target.stride});
  if (known != ids_.end()) return known->second;
  if (target.stride != 1) {
    uint32_t& left = objects_[number(target.object)].left;
    if (left == 0) return anywhere_in(target.object);
    left--;
  }
  const TargetId id{static_cast<uint32_t>(targets_.size())};
  targets_.push_back(target);
  ids_.emplace(std::pair{key, target.stride}, id);
  return id;
}

TargetId Targets::anywhere_in(ObjectId object) {
  if (!objects_[number(object)].has_anywhere) {
    const TargetId id = intern({object, 0, 1});
    objects_[number(object)].has_anywhere = true;
    objects_[number(object)].anywhere = id;
  }
  return objects_[number(object)].anywhere;
}

TargetId Targets::at(ObjectId object, uint64_t offset) {
  if (object == kUnknownObject) return kUnknownTarget;
  // One past the end is an address, too.
  if (offset > objects_[number(object)].size) return anywhere_in(object);
  return intern({object, static_cast<uint32_t>(offset), 0});
}

TargetId Targets::shifted(TargetId from, Shift by) {
  const Target target = targets_[number(from)];
  if (target.object == kUnknownObject || target.stride == 1) return from;
  const uint64_t size = objects_[number(target.object)].size;
  const int64_t offset = static_cast<int64_t>(target.offset) + by.offset;
  const uint64_t stride = std::gcd(uint64_t{target.stride}, by.stride);
  if (stride == 1) return anywhere_in(target.object);
  if (stride == 0) {
    if (offset < 0) return anywhere_in(target.object);
    return at(target.object, static_cast<uint64_t>(offset));
  }
  const auto period = static_cast<int64_t>(std::min<uint64_t>(stride, INT64_MAX));
  const auto residue = static_cast<uint64_t>((offset % period + period) % period);
  // Only one of them lies inside.
  if (stride >= size) return at(target.object, residue);
  return intern({target.object, static_cast<uint32_t>(residue), static_cast<uint32_t>(stride)});
}

}  // namespace foretell::bitcode
