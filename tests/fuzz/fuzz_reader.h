// SPDX-License-Identifier: Apache-2.0

// What every fuzz target does with its bytes: reads them to the end, twice, in small batches, and
// hands the events to the normalizer. Whatever the bytes are, this ends in events or in a short
// message; a crash, a leak, a hang or an id without a row in its table is a bug.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "trace/normalizer.h"
#include "trace/reader.h"

namespace foretell::fuzz {

inline constexpr size_t kLongestMessage = 1000;

inline void check_message(const Diagnostic& diagnostic) {
  CHECK(!diagnostic.message.empty());
  CHECK(diagnostic.to_text().size() <= kLongestMessage);
}

inline void check_object(const trace::Event& e, const trace::TraceTables& tables) {
  switch (operands_of(e.kind)) {
    case trace::Operands::Access:
    case trace::Operands::Atomic:
    case trace::Operands::AtomicRmw:
    case trace::Operands::Alloc:
    case trace::Operands::Free: {
      CHECK(tables.locations.contains(e.location()));
      const trace::Location& location = tables.locations[e.location()];
      CHECK(location.offset + location.size >= location.offset);
      return;
    }
    case trace::Operands::Lock:
      return CHECK(tables.locks.contains(e.lock()));
    case trace::Operands::Thread:
      return CHECK(tables.threads.contains(e.other_thread()));
    case trace::Operands::Label:
      return CHECK(tables.labels.contains(e.label()));
    case trace::Operands::Function:
      return CHECK(tables.functions.contains(e.function()));
    case trace::Operands::Wait:
    case trace::Operands::Wake:
      CHECK(tables.conditions.contains(e.condition()));
      return CHECK(tables.locks.contains(e.lock()));
    case trace::Operands::Notify:
      return CHECK(tables.conditions.contains(e.condition()));
    case trace::Operands::Barrier:
      return CHECK(tables.barriers.contains(e.barrier()));
    case trace::Operands::Post:
    case trace::Operands::Down:
      return CHECK(tables.semaphores.contains(e.semaphore()));
    case trace::Operands::User:
      CHECK(tables.user_events.contains(e.user_event()));
      return CHECK(tables.strings.contains(e.arguments()));
    case trace::Operands::None:
    case trace::Operands::Order:
    case trace::Operands::Branch:
      return;
  }
}

inline void check_event(const trace::Event& e, const trace::TraceTables& tables) {
  CHECK(to_index(e.kind) < trace::kEventKindCount);
  CHECK(tables.threads.contains(e.thread));
  CHECK(e.site == kNoSite || tables.sites.contains(e.site));
  check_object(e, tables);
}

struct EventsRead {
  std::vector<trace::Event> events;
  bool whole = false;  // up to the end, not to an error

  bool operator==(const EventsRead&) const = default;
};

inline EventsRead read_events(trace::TraceReader& reader) {
  constexpr size_t kSmallBatch = 7;
  EventsRead read;
  std::vector<trace::Event>& events = read.events;
  std::vector<trace::Event> batch(kSmallBatch);
  for (;;) {
    auto got = reader.read(batch);
    if (!got) check_message(got.error());
    read.whole = got.has_value();
    if (!got || *got == 0) break;
    CHECK(*got <= kSmallBatch);
    for (size_t i = 0; i < *got; ++i) {
      check_event(batch[i], reader.tables());
      CHECK(to_index(batch[i].index) == events.size());
      CHECK(!reader.position(batch[i].index).empty());
      events.push_back(batch[i]);
    }
  }
  CHECK(reader.progress() >= 0 && reader.progress() <= 1);
  for (const Diagnostic& warning : reader.warnings()) check_message(warning);
  return read;
}

// Returns what it read, for targets that go on.
inline EventsRead read_and_normalize(trace::TraceReader& reader) {
  // As TraceStream decides it.
  const bool distinct_variables = reader.locations_known() && reader.tables().locations.size() == 0;
  const EventsRead read = read_events(reader);
  reader.rewind();
  CHECK(read_events(reader) == read);

  const trace::TraceTables& tables = reader.tables();
  trace::Normalizer normalizer(tables, std::make_unique<trace::CellMap>(tables));
  std::vector<trace::Event> normal;
  if (auto done = normalizer.run(read.events, normal); !done) check_message(done.error());
  if (!distinct_variables) return read;
  trace::Normalizer without_cells(tables, nullptr);
  std::vector<trace::Event> plain;
  if (auto done = without_cells.run(read.events, plain); !done) check_message(done.error());
  CHECK(plain.size() == normal.size());
  return read;
}

}  // namespace foretell::fuzz

// A target that feeds the input to the reader `make_reader(InputFile)` returns.
#define FORETELL_FUZZ_READER(make_reader)                                              \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {            \
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);           \
    const auto reader = make_reader(foretell::InputFile::from_memory(bytes, "input")); \
    foretell::fuzz::read_and_normalize(*reader);                                       \
    return 0;                                                                          \
  }
