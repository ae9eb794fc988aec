// SPDX-License-Identifier: Apache-2.0

#include "report/html/trace_columns.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "clocks/sync_edges.h"
#include "report/html/bytes.h"

namespace foretell::report::html {
namespace {

enum StepFlags : uint8_t { kValue = 1, kReadValue = 2, kReentrant = 4, kAmbiguous = 8 };

struct Step {
  uint32_t thread;
  trace::EventKind kind;
  MemoryOrder order;
  uint8_t flags;
  uint32_t object;  // number + 1; 0: none
  uint32_t detail;  // another object: the lock of a wait, the arguments of a user event
  uint32_t site;    // number + 1

  bool operator==(const Step&) const = default;
  template <class H>
  friend H AbslHashValue(H state, const Step& s) {
    return H::combine(std::move(state), s.thread, s.kind, s.order, s.flags, s.object, s.detail,
                      s.site);
  }
};

// Rows in the order in which they were first asked for.
template <class Key>
class Numbers {
 public:
  // The number, and whether it is new.
  std::pair<uint32_t, bool> of(const Key& key) {
    auto [it, fresh] = numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size()));
    return {it->second, fresh};
  }

 private:
  absl::flat_hash_map<Key, uint32_t> numbers_;
};

// How many events each thread has in each part of the trace, for the map of a trace that is not
// all there.
class Density {
 public:
  static constexpr uint64_t kParts = 1024;
  static constexpr size_t kMostThreads = 256;

  explicit Density(uint64_t events) : events_(std::max<uint64_t>(events, 1)) {}

  void add(const trace::Event& e) {
    const size_t thread = to_index(e.thread);
    if (thread >= kMostThreads) return;
    if (thread >= counts_.size()) counts_.resize(thread + 1, std::vector<uint32_t>(kParts));
    ++counts_[thread][std::min(kParts - 1, to_index(e.index) * kParts / events_)];
  }

  Json json() const {
    ByteWriter bytes;
    for (const auto& counts : counts_) {
      for (uint32_t count : counts) bytes.put(count);
    }
    return {{"parts", kParts}, {"threads", counts_.size()}, {"counts", bytes.base64()}};
  }

 private:
  uint64_t events_;
  std::vector<std::vector<uint32_t>> counts_;
};

class ColumnWriter {
 public:
  ColumnWriter(trace::TraceStream& stream, const KeptEvents& kept, uint64_t events)
      : stream_(stream), kept_(kept), cursor_(kept), density_(events) {}

  Result<TraceColumns> write() {
    std::vector<trace::Event> folded;
    stream_.collect_folded(&folded);
    for (;;) {
      auto batch = stream_.next();
      if (!batch) return std::unexpected(std::move(batch).error());
      // Re-entrant operations are steps like others; they come back where they were.
      auto again = folded.begin();
      for (const trace::Event& e : *batch) {
        for (; again != folded.end() && again->index < e.index; ++again) put(*again, kReentrant);
        put_event(e);
      }
      for (; again != folded.end(); ++again) put(*again, kReentrant);
      folded.clear();
      if (batch->empty()) break;
    }
    stream_.collect_folded(nullptr);
    return finish();
  }

 private:
  void put_event(const trace::Event& e) {
    const bool is_piece = !columns_.rows.empty() && columns_.rows.back() == to_index(e.index);
    if (!is_piece) put(e, 0);
    const std::vector<clocks::SyncEdge>& incoming = edges_.on_event(e);
    if (incoming.empty() || !columns_.has_row(to_index(e.index))) return;
    const uint64_t to = columns_.rows.size() - 1;
    for (const clocks::SyncEdge& edge : incoming) {
      if (!columns_.has_row(to_index(edge.from))) continue;
      edge_bytes_.put(to - last_edge_row_);
      edge_bytes_.put(to - columns_.row_at(to_index(edge.from)));
      edge_bytes_.put(static_cast<uint64_t>(edge.kind));
      last_edge_row_ = to;
      ++edge_count_;
    }
  }

  void put(const trace::Event& e, uint8_t flags) {
    if (!kept_.whole) density_.add(e);
    if (!cursor_.keeps(e.index)) return;
    const bool has_size = e.kind == trace::EventKind::Alloc;
    if (has_size || ((is_access(e.kind) || e.kind == trace::EventKind::Branch) && e.has_value())) {
      flags |= kValue;
    }
    if (e.kind == trace::EventKind::AtomicRmw && e.has_read_value()) flags |= kReadValue;
    if (e.is_ambiguous()) flags |= kAmbiguous;
    const bool has_order = is_atomic_access(e.kind) || e.kind == trace::EventKind::Fence;
    const Step step{.thread = static_cast<uint32_t>(to_index(e.thread)),
                    .kind = e.kind,
                    .order = has_order ? e.order : MemoryOrder::relaxed,
                    .flags = flags,
                    .object = object_of(e),
                    .detail = detail_of(e),
                    .site = site_of(e.site)};
    const uint64_t before = columns_.rows.empty() ? 0 : columns_.rows.back() + 1;
    event_bytes_.put(to_index(e.index) - before);
    event_bytes_.put(number_of(step));
    if (flags & kValue) event_bytes_.put_signed(static_cast<int64_t>(e.value));
    if (flags & kReadValue) event_bytes_.put_signed(static_cast<int64_t>(e.read_value()));
    columns_.rows.push_back(to_index(e.index));
  }

  uint32_t number_of(const Step& step) {
    const auto [number, fresh] = steps_.of(step);
    if (fresh) {
      for (uint64_t field : {uint64_t{step.thread}, static_cast<uint64_t>(step.kind),
                             static_cast<uint64_t>(step.order), uint64_t{step.flags},
                             uint64_t{step.object}, uint64_t{step.detail}, uint64_t{step.site}}) {
        step_bytes_.put(field);
      }
    }
    return number;
  }

  uint32_t string(std::string_view text) {
    const auto [number, fresh] = strings_.of(std::string(text));
    if (fresh) string_json_.push_back(text);
    return number;
  }

  uint32_t object(trace::Operands kind, uint64_t id, std::string_view name) {
    const auto [number, fresh] = objects_.of({kind, id});
    if (fresh) object_json_.push_back(string(name));
    return number + 1;
  }

  uint32_t object_of(const trace::Event& e) {
    const trace::TraceTables& tables = stream_.tables();
    switch (operands_of(e.kind)) {
      case trace::Operands::None:
      case trace::Operands::Order:
      case trace::Operands::Branch:
        return 0;
      case trace::Operands::Access:
      case trace::Operands::Atomic:
      case trace::Operands::AtomicRmw:
      case trace::Operands::Free:
        return object(trace::Operands::Access, e.object, stream_.location_name(e.location()));
      case trace::Operands::Alloc:
        return object(trace::Operands::Alloc, e.object, tables.location_name(e.location()));
      case trace::Operands::Lock:
        return object(trace::Operands::Lock, e.object, tables.locks[e.lock()]);
      case trace::Operands::Thread:
        return object(trace::Operands::Thread, e.object, tables.threads[e.other_thread()]);
      case trace::Operands::Label:
        return object(trace::Operands::Label, e.object, tables.labels[e.label()]);
      case trace::Operands::Wait:
      case trace::Operands::Wake:
      case trace::Operands::Notify:
        return object(trace::Operands::Wait, e.object, tables.conditions[e.condition()]);
      case trace::Operands::Barrier:
        return object(trace::Operands::Barrier, e.object, tables.barriers[e.barrier()]);
      case trace::Operands::Post:
      case trace::Operands::Down:
        return object(trace::Operands::Post, e.object, tables.semaphores[e.semaphore()]);
      case trace::Operands::Function:
        return object(trace::Operands::Function, e.object, tables.functions[e.function()]);
      case trace::Operands::User:
        return object(trace::Operands::User, e.object, tables.user_events[e.user_event()]);
    }
    return 0;
  }

  uint32_t detail_of(const trace::Event& e) {
    const trace::TraceTables& tables = stream_.tables();
    if (e.kind == trace::EventKind::WaitBegin || e.kind == trace::EventKind::WaitEnd) {
      return object(trace::Operands::Lock, to_index(e.lock()), tables.locks[e.lock()]);
    }
    if (e.kind != trace::EventKind::User) return 0;
    const std::string_view arguments = tables.strings[e.arguments()];
    return arguments.empty() ? 0
                             : object(trace::Operands::None, to_index(e.arguments()), arguments);
  }

  uint32_t site_of(SiteId id) {
    if (id == kNoSite) return 0;
    const auto [number, fresh] = sites_.of(id);
    if (fresh) {
      const trace::TraceTables& tables = stream_.tables();
      const trace::Site& site = tables.sites[id];
      const auto [file, new_file] = files_.of(std::string(tables.strings[site.file]));
      if (new_file) columns_.files.push_back({std::string(tables.strings[site.file]), {}});
      if (site.line != 0) columns_.files[file].lines.push_back(site.line);
      site_json_.push_back({file, site.line, site.column, string(tables.strings[site.function]),
                            string(tables.strings[site.expression])});
    }
    return number + 1;
  }

  TraceColumns finish() {
    const trace::TraceTables& tables = stream_.tables();
    Json threads = Json::array();
    for (size_t i = 0; i < tables.threads.size(); ++i) {
      const std::string name(tables.threads[ThreadId{static_cast<uint32_t>(i)}]);
      threads.push_back({{"id", name}, {"name", tables.facts.title_of(name)}});
    }
    Json words = Json::array();
    for (uint8_t i = 0; i < trace::kEventKindCount; ++i)
      words.push_back(word_of(trace::EventKind{i}));
    columns_.json = {{"whole", kept_.whole},           {"skeleton", kept_.has_skeleton},
                     {"rows", columns_.rows.size()},   {"kinds", std::move(words)},
                     {"threads", std::move(threads)},  {"strings", std::move(string_json_)},
                     {"sites", std::move(site_json_)}, {"objects", std::move(object_json_)},
                     {"steps", step_bytes_.base64()},  {"events", event_bytes_.base64()},
                     {"edges", edge_bytes_.base64()},  {"edge_count", edge_count_}};
    if (!kept_.whole) columns_.json["density"] = density_.json();
    return std::move(columns_);
  }

  trace::TraceStream& stream_;
  const KeptEvents& kept_;
  KeptEvents::Cursor cursor_;
  Density density_;
  clocks::SyncEdges edges_;
  TraceColumns columns_;
  Numbers<Step> steps_;
  Numbers<std::string> strings_, files_;
  Numbers<std::pair<trace::Operands, uint64_t>> objects_;
  Numbers<SiteId> sites_;
  Json string_json_ = Json::array(), object_json_ = Json::array(), site_json_ = Json::array();
  ByteWriter step_bytes_, event_bytes_, edge_bytes_;
  uint64_t last_edge_row_ = 0, edge_count_ = 0;
};

}  // namespace

uint64_t TraceColumns::row_at(uint64_t index) const {
  return static_cast<uint64_t>(std::ranges::lower_bound(rows, index) - rows.begin());
}

bool TraceColumns::has_row(uint64_t index) const {
  return std::ranges::binary_search(rows, index);
}

Result<TraceColumns> write_columns(trace::TraceStream& stream, const KeptEvents& kept,
                                   uint64_t events) {
  return ColumnWriter(stream, kept, events).write();
}

}  // namespace foretell::report::html
