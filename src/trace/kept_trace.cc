// SPDX-License-Identifier: Apache-2.0

#include "trace/kept_trace.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::trace {

void KeptTrace::add(std::span<const Event> raw) {
  if (!is_whole()) return;
  if (raw.size() > most_ - added_) {
    blocks_.clear();
    extras_.clear();
    extras_.shrink_to_fit();
    added_ = most_ + 1;
    return;
  }
  for (const Event& e : raw) put(e);
}

void KeptTrace::put(const Event& e) {
  // A packed event has no index of its own.
  CHECK(to_index(e.index) == added_);
  CHECK((e.flags & kHasExtra) == 0);
  if (added_ % kBlockSize == 0) {
    blocks_.push_back(std::make_unique_for_overwrite<Packed[]>(kBlockSize));
  }
  const bool has_extra = e.extra != 0;
  if (has_extra) extras_.push_back(e.extra);
  blocks_.back()[added_ % kBlockSize] = {
      .kind = e.kind,
      .order = e.order,
      .flags = static_cast<uint16_t>(e.flags | (has_extra ? kHasExtra : 0)),
      .thread = e.thread,
      .object = e.object,
      .site = e.site,
      .value = e.value};
  ++added_;
}

class KeptTrace::Reader final : public TraceReader {
 public:
  explicit Reader(std::shared_ptr<KeptTrace> trace)
      : TraceReader(trace->tables_), trace_(std::move(trace)) {}

  Result<size_t> read(std::span<Event> out) override {
    const size_t count = std::min<uint64_t>(out.size(), trace_->added_ - next_);
    for (size_t i = 0; i < count; ++i, ++next_) {
      const Packed& e = trace_->blocks_[next_ / kBlockSize][next_ % kBlockSize];
      const bool has_extra = (e.flags & kHasExtra) != 0;
      out[i] = {.kind = e.kind,
                .order = e.order,
                .flags = static_cast<uint16_t>(e.flags & ~kHasExtra),
                .thread = e.thread,
                .object = e.object,
                .site = e.site,
                .value = e.value,
                .extra = has_extra ? trace_->extras_[next_extra_++] : 0,
                .index = EventIndex{next_}};
    }
    return count;
  }

  void rewind() override {
    next_ = 0;
    next_extra_ = 0;
  }

  bool locations_known() const override { return true; }
  std::optional<uint64_t> event_count() const override { return trace_->added_; }
  bool is_decoding() const override { return false; }

  std::string position(EventIndex index) const override {
    return fmt::format("{}: event {}", trace_->name_, to_index(index));
  }

  double progress() const override { return fraction(next_, trace_->added_); }

 private:
  std::shared_ptr<KeptTrace> trace_;
  uint64_t next_ = 0;
  size_t next_extra_ = 0;
};

std::unique_ptr<TraceReader> KeptTrace::reader(std::shared_ptr<KeptTrace> trace) {
  CHECK(trace->is_whole());
  return std::make_unique<Reader>(std::move(trace));
}

}  // namespace foretell::trace
