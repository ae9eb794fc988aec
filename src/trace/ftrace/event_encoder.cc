// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/event_encoder.h"

#include <bit>

#include "base/check.h"
#include "trace/ftrace/bytes.h"
#include "trace/ftrace/ftrace_format.h"

namespace foretell::trace::ftrace {

bool EventEncoder::add(const Event& e) {
  CHECK(to_index(e.kind) < kEventKindCount && e.order <= MemoryOrder::seq_cst && e.flags < 8);
  if (count_ == kChunkEvents) return false;
  const uint32_t id = template_of(e);
  if (id == kMaxTemplates) return false;
  if (run_length_ == 0 || e.thread != thread_id_) switch_thread(e.thread);
  ++run_length_;
  ++count_;

  Thread& thread = threads_[thread_];
  uint32_t& successor = templates_[thread.previous].successor;
  const uint32_t code = successor == id ? 0 : id + 1;
  thread.previous = successor = id;
  columns_[kLow] += static_cast<char>(code);
  columns_[kHigh] += static_cast<char>(code >> 8);
  Template& t = templates_[id];
  if (e.object != 0) put_object(t, e.object);
  if (e.extra != 0) put_number(values_.slot(e.object, t.extra_salt), e.extra);
  if (e.value != 0) put_number(values_.slot(e.object, t.value_salt), e.value);
  return true;
}

uint32_t EventEncoder::template_of(const Event& e) {
  const Shape shape = Shape::of(e);
  const auto site = static_cast<uint32_t>(e.site);
  const uint64_t key = uint64_t{site} << 32 | shape.bits();
  if (auto it = template_ids_.find(key); it != template_ids_.end()) return it->second;
  if (templates_.size() == kMaxTemplates) return kMaxTemplates;
  const auto id = static_cast<uint32_t>(templates_.size());
  template_ids_.emplace(key, id);
  const Operands operands = operands_of(e.kind);
  templates_.push_back(
      {shape, ValuePredictor::value_salt(operands), ValuePredictor::extra_salt(operands)});
  put_bytes(columns_[kTemplates], shape.bits(), 4);
  put_bytes(columns_[kTemplates], site, 4);
  return id;
}

void EventEncoder::switch_thread(ThreadId thread) {
  if (run_length_ > 0) put_varint(columns_[kRunLengths], run_length_);
  run_length_ = 0;
  auto [it, added] = thread_ids_.try_emplace(thread, static_cast<uint32_t>(threads_.size()));
  if (added) {
    threads_.emplace_back();
    put_varint(columns_[kThreads], to_index(thread));
  }
  thread_ = it->second;
  thread_id_ = thread;
  put_varint(columns_[kRuns], thread_);
}

void EventEncoder::put_object(Template& t, uint32_t object) {
  const auto difference = static_cast<int64_t>(object) - static_cast<int64_t>(t.last_object);
  const uint64_t code = zigzag(static_cast<uint64_t>(difference));
  t.last_object = object;
  if (code == 0) {
    columns_[kObjects] += '\0';
    return;
  }
  RecentObjects& recent = threads_[thread_].recent;
  for (uint32_t steps = 0; steps < kRecentCount; ++steps) {
    if (recent[steps] == object) {
      columns_[kObjects] += static_cast<char>(kObjectDeltas + steps);
      return;
    }
  }
  recent.push(object);
  if (code < kObjectDeltas) {
    columns_[kObjects] += static_cast<char>(code);
  } else if (code < 1 << 16) {
    columns_[kObjects] += static_cast<char>(kObjectDelta16);
    put_bytes(columns_[kWideObjects], code, 2);
  } else {
    columns_[kObjects] += static_cast<char>(kObjectAbsolute);
    put_bytes(columns_[kWideObjects], object, 4);
  }
}

void EventEncoder::put_number(uint64_t& prediction, uint64_t number) {
  const uint64_t code = zigzag(number - prediction);
  prediction = number;
  if (code < kValueDeltas) {
    columns_[kValues] += static_cast<char>(code);
    return;
  }
  const auto size = static_cast<size_t>((std::bit_width(code) + 7) / 8);
  columns_[kValues] += static_cast<char>(kValueDeltas + size - 1);
  put_bytes(columns_[kValueBytes], code, size);
}

void EventEncoder::finish() {
  if (run_length_ > 0) put_varint(columns_[kRunLengths], run_length_);
  run_length_ = 0;
}

void EventEncoder::reset() {
  count_ = 0;
  for (std::string& column : columns_) column.clear();
  templates_.clear();
  template_ids_.clear();
  threads_.clear();
  thread_ids_.clear();
  run_length_ = 0;
  values_.reset();
}

}  // namespace foretell::trace::ftrace
