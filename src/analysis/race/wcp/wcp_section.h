// SPDX-License-Identifier: Apache-2.0

// WcpSection: a critical section of whose release somebody may still need the clock.
#pragma once

#include <cstdint>
#include <utility>

#include "clocks/vector_clock.h"

namespace foretell::analysis {

struct WcpSection {
  clocks::Epoch acquire;
  clocks::VectorClock
      release;  // H of the release; its head is the release's epoch. Zero: still open
  uint32_t references = 0;
};

// Counted, not atomically: sections belong to one analysis.
class WcpSectionRef {
 public:
  WcpSectionRef() = default;
  explicit WcpSectionRef(clocks::Epoch acquire) : section_(new WcpSection{acquire, {}, 1}) {}
  WcpSectionRef(const WcpSectionRef& other) : section_(other.section_) {
    if (section_) ++section_->references;
  }
  WcpSectionRef(WcpSectionRef&& other) noexcept
      : section_(std::exchange(other.section_, nullptr)) {}
  WcpSectionRef& operator=(WcpSectionRef other) noexcept {
    std::swap(section_, other.section_);
    return *this;
  }
  ~WcpSectionRef() {
    if (section_ && --section_->references == 0) delete section_;
  }

  bool operator==(const WcpSectionRef& other) const = default;
  WcpSection* operator->() const { return section_; }
  WcpSection& operator*() const { return *section_; }

 private:
  WcpSection* section_ = nullptr;
};

}  // namespace foretell::analysis
