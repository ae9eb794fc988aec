// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/event_decoder.h"

#include <algorithm>
#include <optional>

namespace foretell::trace::ftrace {
namespace {

// How many ids `operands` may name as the object of an event.
uint64_t object_count(Operands operands, const TraceTables& tables) {
  switch (operands) {
    case Operands::None:
    case Operands::Order:
    case Operands::Branch:
      return uint64_t{1} << 32;
    case Operands::Access:
    case Operands::Atomic:
    case Operands::AtomicRmw:
    case Operands::Alloc:
    case Operands::Free:
      return tables.locations.size();
    case Operands::Lock:
      return tables.locks.size();
    case Operands::Thread:
      return tables.threads.size();
    case Operands::Label:
      return tables.labels.size();
    case Operands::Wait:
    case Operands::Wake:
    case Operands::Notify:
      return tables.conditions.size();
    case Operands::Barrier:
      return tables.barriers.size();
    case Operands::Post:
    case Operands::Down:
      return tables.semaphores.size();
    case Operands::Function:
      return tables.functions.size();
    case Operands::User:
      return tables.user_events.size();
  }
  return 0;
}

// The largest `extra`. Where it is an id, the table must have a row.
std::optional<uint64_t> max_extra(Operands operands, const TraceTables& tables) {
  if (operands == Operands::User) return tables.strings.size() - 1;
  if (operands != Operands::Wait && operands != Operands::Wake) return ~uint64_t{0};
  if (tables.locks.size() == 0) return std::nullopt;
  return tables.locks.size() - 1;
}

const uint8_t* bytes_of(std::string_view column) {
  return reinterpret_cast<const uint8_t*>(column.data());
}

}  // namespace

Result<void> EventDecoder::start(std::array<std::string_view, kColumnCount> columns, uint32_t count,
                                 uint64_t first, const TraceTables& tables) {
  next_index_ = first;
  end_index_ = first + count;
  run_left_ = 0;
  if (columns[kLow].size() != count || columns[kHigh].size() != count) {
    return fail("its columns have {} and {} events instead of {}", columns[kLow].size(),
                columns[kHigh].size(), count);
  }
  low_ = bytes_of(columns[kLow]);
  high_ = bytes_of(columns[kHigh]);
  runs_ = ByteCursor(columns[kRuns]);
  run_lengths_ = ByteCursor(columns[kRunLengths]);
  objects_ = ByteCursor(columns[kObjects]);
  wide_objects_ = ByteCursor(columns[kWideObjects]);
  values_ = ByteCursor(columns[kValues]);
  value_bytes_ = ByteCursor(columns[kValueBytes]);
  predictor_.reset();
  if (auto done = read_threads(columns[kThreads], tables); !done) return done;
  if (auto done = read_templates(columns[kTemplates], tables); !done) return done;
  if (count > 0 && templates_.empty()) return fail("it has events and no templates");
  return {};
}

Result<void> EventDecoder::read_threads(std::string_view column, const TraceTables& tables) {
  threads_.clear();
  for (ByteCursor cursor(column); !cursor.at_end();) {
    const uint64_t id = cursor.varint();
    if (cursor.failed() || id >= tables.threads.size()) {
      return fail("it names thread {} of {}", id, tables.threads.size());
    }
    threads_.push_back({ThreadId{static_cast<uint32_t>(id)}, 0, {}});
  }
  return {};
}

Result<void> EventDecoder::read_templates(std::string_view column, const TraceTables& tables) {
  templates_.clear();
  if (column.size() % 8 != 0 || column.size() / 8 > kMaxTemplates) {
    return fail("its template column has {} bytes", column.size());
  }
  for (ByteCursor cursor(column); !cursor.at_end();) {
    const Shape shape(static_cast<uint32_t>(cursor.integer(4)));
    const SiteId site{static_cast<uint32_t>(cursor.integer(4))};
    if (!shape.valid()) return fail("it has an event of unknown kind ({:#x})", shape.bits());
    if (site != kNoSite && !tables.sites.contains(site)) {
      return fail("it names site {} of {}", to_index(site), tables.sites.size());
    }
    const Operands operands = operands_of(shape.kind());
    const uint64_t objects = object_count(operands, tables);
    const auto extra = max_extra(operands, tables);
    if (objects == 0 || !extra) {
      return fail("it has '{}' events of an empty table", word_of(shape.kind()));
    }
    const auto max_object = static_cast<uint32_t>(objects - 1);
    templates_.push_back({shape, site, 0, max_object, 0, ValuePredictor::value_salt(operands),
                          ValuePredictor::extra_salt(operands), *extra});
  }
  return {};
}

Result<size_t> EventDecoder::decode(std::span<Event> out) {
  size_t count = 0;
  while (count < out.size() && next_index_ < end_index_) {
    if (run_left_ == 0 && !start_run()) {
      return fail("its run column is wrong at event {}", next_index_);
    }
    const size_t wanted =
        std::min<uint64_t>({run_left_, out.size() - count, end_index_ - next_index_});
    if (!decode_run(out.data() + count, wanted)) {
      return fail("an event from {} to {} has a bad template or names a missing object",
                  next_index_, next_index_ + wanted - 1);
    }
    next_index_ += wanted;
    run_left_ -= wanted;
    count += wanted;
  }
  const bool bad_column = objects_.failed() || wide_objects_.failed() || values_.failed() ||
                          value_bytes_.failed() || (next_index_ == end_index_ && !all_used());
  if (bad_column) return fail("its columns do not fit together before event {}", next_index_);
  return count;
}

bool EventDecoder::start_run() {
  const uint64_t thread = runs_.varint();
  run_left_ = run_lengths_.varint();
  if (runs_.failed() || run_lengths_.failed() || thread >= threads_.size() || run_left_ == 0) {
    return false;
  }
  thread_ = &threads_[thread];
  return true;
}

bool EventDecoder::all_used() const {
  return run_left_ == 0 && runs_.at_end() && run_lengths_.at_end() && objects_.at_end() &&
         wide_objects_.at_end() && values_.at_end() && value_bytes_.at_end();
}

// An object that does not fit into its code. Out of line, like numbers(): the registers belong to
// the common case.
[[gnu::noinline]] uint32_t EventDecoder::wide_object(uint8_t code, uint32_t last) {
  if (code != kObjectDelta16) return static_cast<uint32_t>(wide_objects_.integer(4));
  return last + static_cast<uint32_t>(unzigzag(wide_objects_.integer(2)));
}

// Which of the short codes comes next can hardly be predicted, so they are told apart without
// branches.
inline uint32_t EventDecoder::object(uint8_t code, uint32_t last, RecentObjects& recent) {
  if (code >= kObjectDeltas + kRecentCount) [[unlikely]] {
    const uint32_t result = wide_object(code, last);
    recent.push(result);
    return result;
  }
  const uint32_t known = recent[code - uint32_t{kObjectDeltas}];
  const uint32_t near = last + ((code >> 1) ^ -(code & 1u));
  const uint32_t result = code < kObjectDeltas ? near : known;
  recent.next_place() = result;
  recent.next += static_cast<uint8_t>(code - 1) < kObjectDeltas - 1;
  return result;
}

inline uint64_t EventDecoder::number(uint64_t& prediction) {
  uint64_t code = values_.byte();
  if (code >= kValueDeltas) code = value_bytes_.integer(code - kValueDeltas + 1);
  return prediction += unzigzag(code);
}

[[gnu::noinline]] bool EventDecoder::numbers(Event& e, const Template& t) {
  if (t.shape.has(Shape::kExtra)) e.extra = number(predictor_.slot(e.object, t.extra_salt));
  if (t.shape.has(Shape::kValue)) e.value = number(predictor_.slot(e.object, t.value_salt));
  return e.extra <= t.max_extra;
}

bool EventDecoder::decode_run(Event* out, size_t count) {
  RecentObjects& recent = thread_->recent;
  const ThreadId thread = thread_->id;
  Template* const templates = templates_.data();
  const size_t template_count = templates_.size();
  ByteCursor objects = objects_;
  uint32_t previous = thread_->previous;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t code = low_[i] | static_cast<uint32_t>(high_[i]) << 8;
    if (code > template_count) [[unlikely]]
      return false;
    const uint32_t id = code == 0 ? templates[previous].successor : code - 1;
    templates[previous].successor = id;
    previous = id;
    Template& t = templates[id];
    Event& e = out[i];
    const uint32_t head = t.shape.head();
    std::memcpy(static_cast<void*>(&e), &head, sizeof head);
    e.thread = thread;
    e.site = t.site;
    e.index = EventIndex{next_index_ + i};
    uint32_t named = 0;
    if (t.shape.has(Shape::kObject)) [[likely]] {
      t.last_object = named = object(objects.byte(), t.last_object, recent);
      if (named > t.max_object) [[unlikely]]
        return false;
    }
    e.object = named;
    e.value = e.extra = 0;
    if (t.shape.has(Shape::kExtra | Shape::kValue) && !numbers(e, t)) return false;
  }
  objects_ = objects;
  thread_->previous = previous;
  low_ += count;
  high_ += count;
  return true;
}

}  // namespace foretell::trace::ftrace
