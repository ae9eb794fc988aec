// SPDX-License-Identifier: Apache-2.0

// What a pointer can point to: bytes of abstract objects.
//
// A target is an object with an offset, or with the offsets of one residue: {offset + k * stride}.
// Stride 0 is one byte, stride 1 is any byte of the object. Indexing an array by a number nobody
// knows gives the residue of the element's size, so the fields of its elements stay apart.
//
// An object has at most so many targets; after that, and outside its bounds, new ones are "any byte".
// So the sets stay finite where a pointer is advanced in a loop, and small where one object stands
// for all memory that an allocator of the program's own gives out.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace foretell::bitcode {

enum class ObjectId : uint32_t {};
enum class TargetId : uint32_t {};

constexpr uint32_t number(ObjectId id) {
  return static_cast<uint32_t>(id);
}
constexpr uint32_t number(TargetId id) {
  return static_cast<uint32_t>(id);
}

// All that code nobody can see may reach. Every byte of it is one target.
inline constexpr ObjectId kUnknownObject{0};
inline constexpr TargetId kUnknownTarget{0};

struct Target {
  ObjectId object{};
  uint32_t offset = 0;
  uint32_t stride = 0;
  bool operator==(const Target&) const = default;
};

// How an address is computed from another: + offset + k * stride.
struct Shift {
  int64_t offset = 0;
  uint64_t stride = 0;
  bool operator==(const Shift&) const = default;
};
inline constexpr Shift kAnywhere{0, 1};

class Targets {
 public:
  Targets();

  ObjectId add_object(std::optional<uint64_t> size);
  size_t object_count() const { return objects_.size(); }
  size_t size() const { return targets_.size(); }

  TargetId at(ObjectId object, uint64_t offset);
  TargetId anywhere_in(ObjectId object);
  TargetId shifted(TargetId from, Shift by);
  const Target& operator[](TargetId id) const { return targets_[number(id)]; }
  // The target that stands for any byte of the same object; nothing if there is none.
  std::optional<TargetId> wider(TargetId id) const {
    const Object& object = objects_[number(targets_[number(id)].object)];
    if (!object.has_anywhere || object.anywhere == id) return {};
    return object.anywhere;
  }

 private:
  static constexpr uint32_t kMaxTargets = 512;
  // Of objects whose size nobody knows.
  static constexpr uint32_t kMaxUnsized = 64;
  static constexpr uint64_t kMaxOffset = uint64_t{1} << 20;

  struct Object {
    uint64_t size;  // or kMaxOffset
    uint32_t left;  // how many targets it may still get
    TargetId anywhere{};
    bool has_anywhere = false;
  };

  TargetId intern(const Target& target);

  std::vector<Object> objects_;
  std::vector<Target> targets_;
  absl::flat_hash_map<std::pair<uint64_t, uint32_t>, TargetId> ids_;
};

}  // namespace foretell::bitcode
