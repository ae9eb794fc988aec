// SPDX-License-Identifier: Apache-2.0

// A vector indexed by a dense typed id that grows on first use of an id.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ids.h"

namespace foretell {

template <class Row, class Id>
class DenseTable {
 public:
  DenseTable() = default;
  DenseTable(const DenseTable&) = delete;
  DenseTable& operator=(const DenseTable&) = delete;

  Row& operator[](Id id) {
    if (to_index(id) >= size_) [[unlikely]]
      grow(to_index(id));
    return data_[to_index(id)];
  }
  // The row, or null if it does not exist yet.
  Row* find(Id id) { return to_index(id) < size_ ? data_ + to_index(id) : nullptr; }
  size_t size() const { return size_; }

 private:
  // Doubling, since ids arrive one by one.
  [[gnu::noinline]] void grow(size_t index) {
    rows_.resize(std::max(index + 1, rows_.size() * 2));
    data_ = rows_.data();
    size_ = rows_.size();
  }

  std::vector<Row> rows_;
  // Of rows_, kept so that a look-up is one comparison and no division by the size of a row.
  Row* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace foretell
