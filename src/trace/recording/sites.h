// SPDX-License-Identifier: Apache-2.0

// SiteTable: from site numbers of a recording to the sites of a trace that a person wants to see.
//
// A site in a system header is replaced by the place in the user's code that called into the
// library: the innermost call outside, which the caller knows from the function entries of the
// thread. Rows are made on first use and kept in pages by number, so that the look-up of a record
// is two loads, and a forged number costs one page.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "trace/recording/modules.h"
#include "trace/tables.h"

namespace foretell::recording {

class SiteTable {
 public:
  struct Entry {
    // The access this site recorded last: most sites touch the same place again.
    uint64_t last_key = 0;
    LocationId last_location{};

    SiteId id = foretell::kNoSite;
    FunctionId function{};
    uint32_t last_call = 0;  // the library site as seen from there is ...
    SiteId last_seen_from{};
    bool is_made = false;
    bool is_library = false;
    bool has_values = false;  // its plain accesses carry values
    bool has_function = false;
  };

  // `without_values`: sites that no pass has made record no values.
  SiteTable(trace::TraceTables& tables, const Modules& modules, bool without_values)
      : tables_(tables), modules_(modules), without_values_(without_values) {}

  // The op of the compact records of each site.
  std::span<const uint8_t> compact_ops() const { return modules_.site_ops(); }

  Entry& operator[](uint32_t number) {
    Page* const page = pages_[number / kPage].get();
    if (page == nullptr || !(*page)[number % kPage].is_made) [[unlikely]]
      return make(number);
    return (*page)[number % kPage];
  }

  // Addresses mean other locations from here on.
  void forget_last_locations() {
    for (const std::unique_ptr<Page>& page : pages_) {
      if (page == nullptr) continue;
      for (Entry& entry : *page) entry.last_key = 0;
    }
  }

  // The site of a record in a library, seen from the user's call `call`; 0 if there was none.
  SiteId seen_from(uint32_t number, uint32_t call);

  // The function a site lies in.
  FunctionId function(uint32_t number);

  // The expression of the site, with nothing but the thing it names: no '&', no blanks around.
  std::string_view expression(uint32_t number) const;

  // Site `number` is a place in a binary; must come before its first use.
  void add_pc_site(uint32_t number, SiteText text);
  // Its strings live as long as the table.
  std::string_view keep(std::string_view text) {
    return tables_.strings[tables_.strings.intern(text)];
  }

 private:
  static constexpr uint32_t kPage = 1024;
  using Page = std::array<Entry, kPage>;

  [[gnu::noinline]] Entry& make(uint32_t number);
  SiteText text_of(uint32_t number) const;
  SiteId intern(const SiteText& text);

  trace::TraceTables& tables_;
  const Modules& modules_;
  const bool without_values_;
  std::array<std::unique_ptr<Page>, (1 << 24) / kPage> pages_;
  absl::flat_hash_map<uint32_t, SiteText> pc_sites_;
  absl::flat_hash_map<uint64_t, SiteId> seen_from_;  // site << 24 | call
};

}  // namespace foretell::recording
