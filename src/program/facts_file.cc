// SPDX-License-Identifier: Apache-2.0

#include "program/facts_file.h"

#include <absl/container/flat_hash_map.h>
#include <xxhash.h>

#include <cstring>
#include <limits>
#include <type_traits>

namespace foretell::program {
namespace {

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 16);

struct SectionHeader {
  char tag[4];
  uint32_t reserved;
  uint64_t size;
  uint64_t checksum;
};
static_assert(sizeof(SectionHeader) == 24);

// The last section, without content: a file that lacks it was cut off.
constexpr std::string_view kEndTag = "END.";

uint64_t checksum_of(const SectionHeader& header, std::string_view bytes) {
  uint64_t seed = 0;
  std::memcpy(&seed, &header, sizeof header.tag + sizeof header.reserved);
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

// --- The fields of each row, in the order of the file -------------------------------------------
//
// One list for writing and reading: a coder writes or fills what it is given.

void code_fields(auto& coder, auto& row) {
  using Row = std::remove_cvref_t<decltype(row)>;
  if constexpr (std::is_same_v<Row, Subject>) {
    coder.fields(row.path, row.size, row.hash);
  } else if constexpr (std::is_same_v<Row, Module>) {
    coder.fields(row.source, row.identity, row.first_site, row.site_count);
  } else if constexpr (std::is_same_v<Row, Site>) {
    coder.fields(row.position, row.function, row.expression, row.kind, row.in_library);
  } else if constexpr (std::is_same_v<Row, Function>) {
    coder.fields(row.symbol, row.name, row.position, row.site, row.body, row.run_by);
  } else if constexpr (std::is_same_v<Row, Call>) {
    coder.fields(row.caller, row.callee, row.site, row.is_indirect);
  } else if constexpr (std::is_same_v<Row, Branch>) {
    coder.fields(row.function, row.position, row.ways, row.site, row.kind);
  } else if constexpr (std::is_same_v<Row, Memory>) {
    coder.fields(row.targets, row.reaches_unknown, row.sharing);
  } else if constexpr (std::is_same_v<Row, Object>) {
    coder.fields(row.kind, row.name, row.position, row.function, row.site, row.global, row.sharing,
                 row.reaches_unknown);
  } else if constexpr (std::is_same_v<Row, Target>) {
    coder.fields(row.object, row.offset, row.stride);
  } else if constexpr (std::is_same_v<Row, Access>) {
    coder.fields(row.site, row.function, row.kind, row.memory);
  } else if constexpr (std::is_same_v<Row, Scope>) {
    coder.fields(row.branch, row.sites, row.writes, row.synchronizes, row.calls_unknown,
                 row.allocates, row.has_state, row.may_trap, row.may_stop);
  } else if constexpr (std::is_same_v<Row, Dependence>) {
    coder.fields(row.function, row.role, row.site, row.branch, row.argument, row.loads,
                 row.parameters, row.results, row.branches, row.has_untracked);
  } else {
    static_assert(std::is_same_v<Row, Unknown>);
    coder.fields(row.kind, row.name, row.uses);
  }
}

// The sections, in the order of the file.
void for_each_section(auto& facts, auto handle) {
  handle("MODU", facts.modules);
  handle("SITE", facts.sites);
  handle("FUNC", facts.functions);
  handle("CALL", facts.calls);
  handle("BRCH", facts.branches);
  handle("OBJE", facts.objects);
  handle("TARG", facts.targets);
  handle("MEMO", facts.memory);
  handle("ACCE", facts.accesses);
  handle("SCOP", facts.scopes);
  handle("DEPE", facts.dependences);
  handle("UNKN", facts.unknowns);
}

constexpr uint8_t count_of(SiteKind) {
  return kSiteKindCount;
}
constexpr uint8_t count_of(Body) {
  return kBodyCount;
}
constexpr uint8_t count_of(RunBy) {
  return kRunByCount;
}
constexpr uint8_t count_of(Sharing) {
  return kSharingCount;
}
constexpr uint8_t count_of(ObjectKind) {
  return kObjectKindCount;
}
constexpr uint8_t count_of(AccessKind) {
  return kAccessKindCount;
}
constexpr uint8_t count_of(BranchKind) {
  return kBranchKindCount;
}
constexpr uint8_t count_of(UseRole) {
  return kUseRoleCount;
}
constexpr uint8_t count_of(UnknownKind) {
  return kUnknownKindCount;
}

// --- Writing ------------------------------------------------------------------------------------

class Writer {
 public:
  void fields(const auto&... field) { (put(field), ...); }

  void put_number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string take_section() { return std::move(bytes_); }
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  void put(const std::string& text) {
    auto [at, is_new] = places_.try_emplace(text, strings_.size());
    if (is_new) strings_.push_back(text);
    put_number(at->second);
  }
  void put(const Position& position) { fields(position.file, position.line, position.column); }
  void put(const GlobalRow& global) { fields(global.module, global.row); }
  template <class T>
  void put(const std::optional<T>& value) {
    put_number(value ? 1 : 0);
    if (value) put(*value);
  }
  // Sorted, so the differences are small.
  template <class Index>
  void put(const std::vector<Index>& indexes) {
    put_number(indexes.size());
    uint64_t last = 0;
    for (Index index : indexes) {
      put_number(place(index) - last);
      last = place(index);
    }
  }
  template <class T>
    requires std::is_enum_v<T> || std::is_integral_v<T>
  void put(const T& value) {
    put_number(static_cast<uint64_t>(value));
  }

  std::string bytes_;
  std::vector<std::string> strings_;
  absl::flat_hash_map<std::string, uint64_t> places_;
};

void append_section(std::string& file, const char* tag, std::string_view bytes) {
  SectionHeader header{.size = bytes.size()};
  std::memcpy(header.tag, tag, sizeof header.tag);
  header.checksum = checksum_of(header, bytes);
  file.append(reinterpret_cast<const char*>(&header), sizeof header);
  file += bytes;
}

// --- Reading ------------------------------------------------------------------------------------

// Reads the rows of one section. Once something is wrong, all that follows reads as 0.
class Reader {
 public:
  Reader(std::string_view bytes, const std::vector<std::string>& strings)
      : bytes_(bytes), strings_(strings) {}

  void fields(auto&... field) { (get(field), ...); }

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      // The tenth byte holds one bit.
      if (shift == 63 && byte > 1) break;
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return spoil();
  }
  std::string_view bytes(uint64_t size) {
    if (size > bytes_.size() - at_) {
      spoil();
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  // Each row is at least one byte.
  uint64_t count() {
    const uint64_t rows = number();
    return rows > bytes_.size() - at_ ? spoil() : rows;
  }
  bool good() const { return good_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  uint64_t spoil() {
    good_ = false;
    at_ = bytes_.size();
    return 0;
  }
  uint64_t below(uint64_t limit) {
    const uint64_t value = number();
    return value < limit ? value : spoil();
  }

  void get(std::string& text) {
    const uint64_t place = below(std::max<uint64_t>(strings_.size(), 1));
    if (place < strings_.size()) text = strings_[place];
  }
  void get(Position& position) { fields(position.file, position.line, position.column); }
  void get(GlobalRow& global) { fields(global.module, global.row); }
  void get(bool& value) { value = below(2) == 1; }
  template <class Index>
  void get(std::vector<Index>& indexes) {
    uint64_t at = 0;
    for (uint64_t left = count(); left > 0 && good_; left--) {
      at += below(std::numeric_limits<uint32_t>::max());
      if (at >= std::numeric_limits<uint32_t>::max()) spoil();
      indexes.push_back(static_cast<Index>(at));
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    if (below(2) == 1) get(value.emplace());
  }
  template <class T>
    requires std::is_integral_v<T>
  void get(T& value) {
    if constexpr (sizeof(T) == sizeof(uint64_t)) {
      value = number();
    } else {
      value = static_cast<T>(below(uint64_t{std::numeric_limits<T>::max()} + 1));
    }
  }
  template <class T>
    requires std::is_enum_v<T>
  void get(T& value) {
    if constexpr (sizeof(T) == 1) {
      value = static_cast<T>(below(count_of(T{})));
    } else {
      value = static_cast<T>(below(std::numeric_limits<uint32_t>::max()));
    }
  }

  std::string_view bytes_;
  const std::vector<std::string>& strings_;
  size_t at_ = 0;
  bool good_ = true;
};

// Whether every index of a row has its row.
class Indexes {
 public:
  explicit Indexes(const Facts& facts) : facts_(facts) {}

  void fields(const auto&... field) { (check(field), ...); }
  bool good() const { return good_; }

 private:
  void check(SiteIndex site) { good_ &= place(site) < facts_.sites.size(); }
  void check(FunctionIndex function) { good_ &= place(function) < facts_.functions.size(); }
  void check(BranchIndex branch) { good_ &= place(branch) < facts_.branches.size(); }
  void check(ObjectIndex object) { good_ &= place(object) < facts_.objects.size(); }
  void check(TargetIndex target) { good_ &= place(target) < facts_.targets.size(); }
  template <class Index>
  void check(const std::vector<Index>& indexes) {
    for (Index index : indexes) check(index);
  }
  void check(MemoryIndex memory) { good_ &= place(memory) < facts_.memory.size(); }
  void check(const GlobalRow& global) { good_ &= place(global.module) < facts_.modules.size(); }
  template <class T>
  void check(const std::optional<T>& value) {
    if (value) check(*value);
  }
  void check(const auto&) {}

  const Facts& facts_;
  bool good_ = true;
};

bool has_all_rows(const Facts& facts) {
  for (const Module& module : facts.modules) {
    const uint64_t end = uint64_t{place(module.first_site)} + module.site_count;
    if (end > facts.sites.size()) return false;
  }
  Indexes indexes(facts);
  for_each_section(facts, [&](const char*, const auto& rows) {
    using Row = typename std::remove_cvref_t<decltype(rows)>::value_type;
    // The first site of a module without sites is no row.
    if constexpr (!std::is_same_v<Row, Module>)
      for (const Row& row : rows) code_fields(indexes, row);
  });
  return indexes.good();
}

struct Section {
  std::string_view tag, bytes;
};

Result<std::vector<Section>> sections_of(std::string_view bytes, const std::string& name) {
  std::vector<Section> sections;
  while (!bytes.empty()) {
    SectionHeader header{};
    if (bytes.size() < sizeof header) return fail_at(name, "the file ends within a section");
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::string_view tag = bytes.substr(0, sizeof header.tag);
    bytes.remove_prefix(sizeof header);
    if (header.size > bytes.size()) return fail_at(name, "the file ends within a section");
    const std::string_view content = bytes.substr(0, header.size);
    if (checksum_of(header, content) != header.checksum)
      return fail_at(name, "a section of the facts is damaged: its checksum is wrong");
    sections.push_back({tag, content});
    bytes.remove_prefix(header.size);
  }
  if (sections.empty() || sections.back().tag != kEndTag)
    return fail_at(name, "the file of facts was cut off");
  return sections;
}

std::vector<std::string> read_strings(std::string_view bytes, bool& good) {
  std::vector<std::string> strings;
  Reader reader(bytes, strings);
  const uint64_t count = reader.count();
  for (uint64_t i = 0; i < count; i++) strings.emplace_back(reader.bytes(reader.number()));
  good = reader.good() && reader.at_end();
  return strings;
}

bool read_section(const Section& section, const std::vector<std::string>& strings, Facts& facts) {
  Reader reader(section.bytes, strings);
  if (section.tag == "SUBJ") {
    code_fields(reader, facts.subject);
    return reader.good() && reader.at_end();
  }
  bool known = false;
  for_each_section(facts, [&](const char* tag, auto& rows) {
    if (section.tag != tag) return;
    known = true;
    rows.clear();
    const uint64_t count = reader.count();
    for (uint64_t i = 0; i < count && reader.good(); i++) code_fields(reader, rows.emplace_back());
  });
  return !known || (reader.good() && reader.at_end());
}

}  // namespace

bool is_facts_file(std::string_view bytes) {
  return bytes.starts_with(std::string_view(kFactsMagic, sizeof kFactsMagic));
}

std::string encode_facts(const Facts& facts) {
  Writer writer;
  std::string sections;
  code_fields(writer, facts.subject);
  append_section(sections, "SUBJ", writer.take_section());
  for_each_section(facts, [&](const char* tag, const auto& rows) {
    writer.put_number(rows.size());
    for (const auto& row : rows) code_fields(writer, row);
    append_section(sections, tag, writer.take_section());
  });
  Writer strings;
  strings.put_number(writer.strings().size());
  std::string texts = strings.take_section();
  for (const std::string& text : writer.strings()) {
    strings.put_number(text.size());
    texts += strings.take_section() + text;
  }
  FileHeader header{.version = kFactsVersion};
  std::memcpy(header.magic, kFactsMagic, sizeof header.magic);
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  append_section(file, "STRS", texts);
  append_section(sections, kEndTag.data(), "");
  return file + sections;
}

Result<Facts> decode_facts(std::string_view bytes, const std::string& name) {
  FileHeader header{};
  if (!is_facts_file(bytes) || bytes.size() < sizeof header)
    return fail_at(name, "this is no file of facts");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kFactsVersion)
    return std::unexpected(
        Diagnostic{fmt::format("these facts have version {}; this Foretell reads version {}",
                               header.version, kFactsVersion),
                   name}
            .with_note("make them again from the program"));
  FORETELL_TRY(sections, sections_of(bytes.substr(sizeof header), name));
  std::vector<std::string> strings;
  bool good = header.reserved == 0 && sections.front().tag == "STRS";
  if (good) strings = read_strings(sections.front().bytes, good);
  Facts facts;
  for (const Section& section : sections) good = good && read_section(section, strings, facts);
  if (!good || !has_all_rows(facts)) return fail_at(name, "the facts contradict themselves");
  return facts;
}

}  // namespace foretell::program
