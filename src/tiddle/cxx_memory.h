// SPDX-License-Identifier: Apache-2.0

// The objects of a C++ program in which the locations of a trace lie.
//
//   variable  a name that is never a range and never allocated: an int, or a std::atomic<int> if it
//             is only accessed atomically
//   array     static bytes, accessed through typed pointers: ranges of a space nobody allocates.
//             Ranges far from each other (addresses) get arrays of their own.
//   heap      what the trace allocates or frees
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {

enum class ObjectShape { variable, array, heap };

struct MemoryObject {
  ObjectShape shape;
  std::string name, identifier;
  StringId space{};
  uint64_t origin = 0, size = 0;       // array, heap: first byte and length within the space
  bool wide = false;                   // variable: values need 64 bits
  bool plain = false, atomic = false;  // how a variable is accessed
  bool exists_at_start = false;        // heap: the trace frees it without allocating it
};

struct Place {
  size_t object = 0;
  uint64_t offset = 0, size = 0;  // size 0: the variable
};

class CxxMemory {
 public:
  static Result<CxxMemory> lay_out(Plan& plan);

  const std::vector<MemoryObject>& objects() const { return objects_; }
  const Place& place(LocationId location) const { return places_.at(location); }
  const MemoryObject& object(LocationId location) const { return objects_[place(location).object]; }

 private:
  explicit CxxMemory(Plan& plan) : plan_(&plan) {}

  Result<void> lay_out_space(StringId space, const std::vector<LocationId>& members);
  Result<void> add_heap_objects(StringId space, const std::vector<LocationId>& members);
  Result<void> add_arrays(StringId space, const std::vector<LocationId>& members);
  Result<void> check_lives();
  Result<void> check_atomics() const;
  std::string new_name(StringId space, uint64_t origin);
  size_t first_use(LocationId location) const { return first_use_.at(location); }

  Plan* plan_;
  std::vector<MemoryObject> objects_;
  absl::flat_hash_map<LocationId, Place> places_;
  absl::flat_hash_map<LocationId, size_t> first_use_;
  absl::flat_hash_map<LocationId, uint64_t> allocated_;  // allocated or freed: the smallest size
};

}  // namespace foretell::tiddle
