// A vector indexed by a dense typed id that grows on first use of an id.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ids.h"

namespace foretell {

template <class Row, class Id>
class DenseTable {
 public:
  Row& operator[](Id id) {
    const size_t index = to_index(id);
    if (index >= rows_.size()) [[unlikely]]
      grow(index);
    return rows_[index];
  }
  size_t size() const { return rows_.size(); }

 private:
  // Doubling, since ids arrive one by one.
  [[gnu::noinline]] void grow(size_t index) { rows_.resize(std::max(index + 1, rows_.size() * 2)); }

  std::vector<Row> rows_;
};

}  // namespace foretell
