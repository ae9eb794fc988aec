// SPDX-License-Identifier: Apache-2.0

#include "typed_place.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "debug_info.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

namespace {

std::string in_parentheses(const std::string& text) {
  return text.starts_with("*") || text.starts_with("&") ? "(" + text + ")" : text;
}

const llvm::DICompositeType* array(const llvm::DIType* type) {
  const auto* composite = dyn_cast_or_null<llvm::DICompositeType>(strip(type));
  return composite && composite->getTag() == llvm::dwarf::DW_TAG_array_type ? composite : nullptr;
}

// The sizes in bytes of what each index of an array steps over: int a[3][4] has {16, 4}. Empty if
// an inner dimension is not a constant.
std::vector<uint64_t> strides(const llvm::DICompositeType& type) {
  std::vector<uint64_t> counts;
  for (const llvm::DINode* node : type.getElements()) {
    const auto* range = dyn_cast<llvm::DISubrange>(node);
    const auto* count =
        range ? dyn_cast_if_present<llvm::ConstantInt*>(range->getCount()) : nullptr;
    counts.push_back(count && !count->isNegative() ? count->getZExtValue() : 0);
  }
  std::vector<uint64_t> result(counts.size());
  uint64_t step = size_of(type.getBaseType());
  for (size_t i = counts.size(); i-- > 0;) {
    if (step == 0) return {};
    result[i] = step;
    step *= counts[i];
  }
  return result;
}

bool has_name(const llvm::DIType* type, llvm::StringRef name) {
  while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    if (derived->getTag() == llvm::dwarf::DW_TAG_typedef && derived->getName() == name) return true;
    type = derived->getBaseType();
  }
  return false;
}

std::string plus(const std::string& index, int64_t more) {
  if (more == 0 || index == "...") return index;
  return index + (more > 0 ? "+" : "-") + std::to_string(std::abs(more));
}

bool enter_member(Place& place, uint64_t size) {
  if (place.offset < 0 || place.dimension != 0) return false;
  const auto* member = member_at(place.type, static_cast<uint64_t>(place.offset), size);
  if (!member) return false;
  // `a = b` copies the structure, not the array that is its only member.
  if (size > 8 && size == size_of(place.type)) return false;
  const llvm::StringRef name = member->getName();
  const auto* owner = dyn_cast_or_null<llvm::DIType>(member->getScope());
  if (member->getTag() == llvm::dwarf::DW_TAG_inheritance || name.empty()) {
    place.inside = true;
  } else if (is_reserved(name)) {
    if (place.through_pointer) place.text = "*" + place.text;
    place.through_pointer = place.inside = false;
  } else if (place.text == "this" && owner && owner->getName().empty()) {
    place.text = name.str();  // a lambda's captured variable
    place.through_pointer = place.inside = false;
  } else {
    place.text = in_parentheses(place.text) + (place.through_pointer ? "->" : ".") + name.str();
    place.through_pointer = place.inside = false;
  }
  place.offset -=
      static_cast<int64_t>(member->isBitField() ? place.offset : member->getOffsetInBits() / 8);
  place.type = member->getBaseType();
  return true;
}

bool enter_element(Place& place, uint64_t size) {
  const auto* type = array(place.type);
  if (!type || place.offset < 0) return false;
  const std::vector<uint64_t> sizes = strides(*type);
  if (place.dimension >= sizes.size()) return false;
  const uint64_t step = sizes[place.dimension];
  const auto offset = static_cast<uint64_t>(place.offset);
  if (offset % step + size > step) return false;
  if (place.through_pointer) place.text = "(*" + place.text + ")";
  place.through_pointer = place.inside = false;
  place.text = in_parentheses(place.text) + "[" + std::to_string(offset / step) + "]";
  place.offset = static_cast<int64_t>(offset % step);
  if (++place.dimension == sizes.size()) place.type = type->getBaseType(), place.dimension = 0;
  return true;
}

}  // namespace

// A mutex that is the first member of a structure has its address, but not its name.
std::string synchronizer_at(Place place, llvm::StringRef type) {
  if (type.empty() || place.text.empty() || has_name(place.type, type)) return "";
  while (enter_member(place, 1) || enter_element(place, 1)) {
    if (place.offset == 0 && has_name(place.type, type)) return place.text;
  }
  return "";
}

Place dereference(Term pointer) {
  Place place;
  place.type = pointee(pointer.type);
  // A reference is written like the object it refers to.
  place.through_pointer = !pointer.object && !is_reference(pointer.type);
  place.text = std::move(pointer.text);
  return place;
}

void element(Place& place, const std::string& index, uint64_t stride) {
  const auto whole = static_cast<int64_t>(stride);
  const auto divide = [&] {  // rounds down, so that the rest is inside the element
    const int64_t count =
        place.offset >= 0 ? place.offset / whole : -((whole - 1 - place.offset) / whole);
    place.offset -= count * whole;
    return count;
  };
  if (whole <= 0) {
    place = {.text = in_parentheses(place.text) + "[...]"};
    return;
  }
  // Down to the array whose elements have this size.
  while (true) {
    if (const auto* type = array(place.type); type && !place.through_pointer) {
      const std::vector<uint64_t> sizes = strides(*type);
      const auto from = sizes.begin() + std::min<ptrdiff_t>(place.dimension, std::ssize(sizes));
      const auto found = std::find(from, sizes.end(), stride);
      if (found != sizes.end()) {
        for (auto at = from; at != found; ++at) {
          place.text += "[" + std::to_string(place.offset / static_cast<int64_t>(*at)) + "]";
          place.offset %= static_cast<int64_t>(*at);
          place.dimension++;
        }
        place.text += "[" + plus(index, divide()) + "]";
        if (++place.dimension == sizes.size())
          place.type = type->getBaseType(), place.dimension = 0;
        return;
      }
    }
    if (place.through_pointer && !place.inside && size_of(place.type) == stride) {
      place.text = in_parentheses(place.text) + "[" + plus(index, divide()) + "]";
      place.through_pointer = false;
      return;
    }
    if (!enter_member(place, 1) && !enter_element(place, 1)) break;
  }
  const int64_t more = divide();
  place = {.text = in_parentheses(place.text) + "[" + plus(index, more) + "]"};
}

Term finish(Place place, uint64_t size) {
  if (place.text.empty()) return {};
  // `p[2].x` of a pointer that is used as an array.
  const auto whole = static_cast<int64_t>(size_of(place.type));
  if (place.through_pointer && !place.inside && whole > 0 &&
      (place.offset >= whole || (place.offset < 0 && place.offset % whole == 0))) {
    place.text = in_parentheses(place.text) + "[" + std::to_string(place.offset / whole) + "]";
    place.offset %= whole;
    place.through_pointer = false;
  }
  while (enter_member(place, size) || enter_element(place, size)) {
  }
  if (place.through_pointer && !place.inside) {
    place.text = place.offset == 0 ? "*" + place.text : "*(" + plus(place.text, place.offset) + ")";
  }
  const bool exact = place.offset == 0 && place.dimension == 0;
  return {std::move(place.text), exact ? place.type : nullptr};
}

}  // namespace foretell::pass
