// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/definitions.h"

#include <utility>

#include "trace/ftrace/bytes.h"
#include "trace/run_facts_text.h"

namespace foretell::trace::ftrace {
namespace {

void put_name(std::string_view name, std::string& out) {
  put_varint(out, name.size());
  out += name;
}

void put_location(const Location& location, uint64_t& last_offset, std::string& out) {
  put_varint(out, to_index(location.space));
  put_varint(out, zigzag(location.offset - last_offset));
  put_varint(out, location.size);
  last_offset = location.offset;
}

void put_site(const Site& site, std::string& out) {
  put_varint(out, to_index(site.file));
  put_varint(out, site.line);
  put_varint(out, site.column);
  put_varint(out, to_index(site.function));
  put_varint(out, to_index(site.expression));
}

class DefinitionDecoder {
 public:
  DefinitionDecoder(std::string_view bytes, TraceTables& tables, Properties& properties)
      : cursor_(bytes), tables_(tables), properties_(properties) {}

  Result<void> run() {
    while (!cursor_.at_end()) {
      const uint8_t tag = cursor_.byte();
      const uint64_t count = cursor_.varint();
      // A row has at least one byte, so a forged count ends with the bytes.
      if (tag >= kTableCount || cursor_.failed() || count > cursor_.left()) {
        return fail("its definitions have a bad section (table {}, {} rows)", tag, count);
      }
      last_offset_ = 0;
      for (uint64_t i = 0; i < count; ++i) {
        if (!row(TableTag{tag}) || cursor_.failed()) {
          return fail("its definitions have a bad or repeated row (table {}, row {})", tag, i);
        }
      }
    }
    return {};
  }

 private:
  bool row(TableTag tag) {
    switch (tag) {
      case TableTag::strings:
        return name(tables_.strings);
      case TableTag::threads:
        return name(tables_.threads);
      case TableTag::locks:
        return name(tables_.locks);
      case TableTag::conditions:
        return name(tables_.conditions);
      case TableTag::barriers:
        return name(tables_.barriers);
      case TableTag::semaphores:
        return name(tables_.semaphores);
      case TableTag::labels:
        return name(tables_.labels);
      case TableTag::functions:
        return name(tables_.functions);
      case TableTag::user_events:
        return name(tables_.user_events);
      case TableTag::locations:
        return location();
      case TableTag::sites:
        return site();
      case TableTag::properties:
        return property();
    }
    return false;
  }

  template <class Table, class Row>
  bool add(Table& table, const Row& row) {
    const size_t id = table.size();
    return !cursor_.failed() && id < kMaxRows && to_index(table.intern(row)) == id;
  }

  template <class Id>
  bool name(Interner<Id>& table) {
    const uint64_t size = cursor_.varint();
    return size <= kLongestName && add(table, cursor_.text(size));
  }

  bool string_id(StringId& id) {
    const uint64_t number = cursor_.varint();
    id = StringId{static_cast<uint32_t>(number)};
    return number < tables_.strings.size();
  }

  bool number(uint32_t& out) {
    const uint64_t number = cursor_.varint();
    out = static_cast<uint32_t>(number);
    return number <= UINT32_MAX;
  }

  bool location() {
    Location row;
    if (!string_id(row.space)) return false;
    row.offset = last_offset_ += unzigzag(cursor_.varint());
    row.size = cursor_.varint();
    // Ranges end where addresses do.
    return row.offset + row.size >= row.offset && add(tables_.locations, row);
  }

  bool site() {
    Site row;
    return string_id(row.file) && number(row.line) && number(row.column) &&
           string_id(row.function) && string_id(row.expression) && add(tables_.sites, row);
  }

  bool property() {
    const uint64_t key_size = cursor_.varint();
    if (key_size > kLongestName) return false;
    const std::string_view key = cursor_.text(key_size);
    const uint64_t value_size = cursor_.varint();
    if (value_size > kLongestName) return false;
    const std::string_view value = cursor_.text(value_size);
    if (cursor_.failed() || properties_.rows().size() >= kMostProperties) return false;
    properties_.set(key, std::string(value));
    return true;
  }

  ByteCursor cursor_;
  TraceTables& tables_;
  Properties& properties_;
  uint64_t last_offset_ = 0;
};

}  // namespace

template <class Table, class PutRow>
Result<void> DefinitionEncoder::add_rows(TableTag tag, const Table& table,
                                         const std::function<Result<void>()>& flush,
                                         PutRow put_row) {
  size_t& written = written_[static_cast<size_t>(tag)];
  while (written < table.size()) {
    rows_.clear();
    last_offset_ = 0;
    size_t count = 0;
    while (written < table.size() && bytes_.size() + rows_.size() < kChunkDefinitions) {
      if (auto done = put_row(written, rows_); !done) return done;
      ++written;
      ++count;
    }
    bytes_ += static_cast<char>(tag);
    put_varint(bytes_, count);
    bytes_ += rows_;
    if (bytes_.size() >= kChunkDefinitions) {
      if (auto done = flush(); !done) return done;
    }
  }
  return {};
}

// Facts may change while a trace is written: the properties that did are written again.
Result<void> DefinitionEncoder::add_facts(const TraceTables& tables,
                                          const std::function<Result<void>()>& flush) {
  if (tables.facts == facts_) return {};
  Properties properties = to_properties(tables);
  for (const auto& [key, value] : properties.rows()) {
    if (properties_.find(key) == value) continue;
    if (key.size() + value.size() > kLongestName) {
      return fail("the property '{}' of {} bytes is too long for an .ftrace file (at most {})",
                  key.substr(0, 60), value.size(), kLongestName);
    }
    bytes_ += static_cast<char>(TableTag::properties);
    put_varint(bytes_, 1);
    put_name(key, bytes_);
    put_name(value, bytes_);
    if (bytes_.size() >= kChunkDefinitions) {
      if (auto done = flush(); !done) return done;
    }
  }
  properties_ = std::move(properties);
  facts_ = tables.facts;
  return {};
}

Result<void> DefinitionEncoder::add_new_rows(const TraceTables& tables,
                                             const std::function<Result<void>()>& flush) {
  auto add_names = [&]<class Id>(TableTag tag, const Interner<Id>& table) {
    return add_rows(tag, table, flush, [&](size_t i, std::string& out) -> Result<void> {
      const std::string_view name = table[static_cast<Id>(i)];
      if (name.size() > kLongestName) {
        return fail("a name of {} bytes is too long for an .ftrace file (at most {})", name.size(),
                    kLongestName);
      }
      put_name(name, out);
      return {};
    });
  };
  // Strings come first: locations and sites refer to them.
  auto done = add_names(TableTag::strings, tables.strings);
  if (done) done = add_names(TableTag::threads, tables.threads);
  if (done) done = add_names(TableTag::locks, tables.locks);
  if (done) done = add_names(TableTag::conditions, tables.conditions);
  if (done) done = add_names(TableTag::barriers, tables.barriers);
  if (done) done = add_names(TableTag::semaphores, tables.semaphores);
  if (done) done = add_names(TableTag::labels, tables.labels);
  if (done) done = add_names(TableTag::functions, tables.functions);
  if (done) done = add_names(TableTag::user_events, tables.user_events);
  if (!done) return done;
  done = add_rows(TableTag::locations, tables.locations, flush,
                  [&](size_t i, std::string& out) -> Result<void> {
                    const LocationId id{static_cast<uint32_t>(i)};
                    put_location(tables.locations[id], last_offset_, out);
                    return {};
                  });
  if (!done) return done;
  done = add_rows(TableTag::sites, tables.sites, flush,
                  [&](size_t i, std::string& out) -> Result<void> {
                    put_site(tables.sites[SiteId{static_cast<uint32_t>(i)}], out);
                    return {};
                  });
  if (!done) return done;
  return add_facts(tables, flush);
}

Result<void> load_definitions(std::string_view bytes, TraceTables& tables, Properties& properties) {
  return DefinitionDecoder(bytes, tables, properties).run();
}

}  // namespace foretell::trace::ftrace
