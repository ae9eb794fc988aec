// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/sites.h"

#include "trace/text.h"

namespace foretell::recording {

SiteText SiteTable::text_of(uint32_t number) const {
  if (auto text = modules_.site(number)) return *text;
  auto it = pc_sites_.find(number);
  return it == pc_sites_.end() ? SiteText{} : it->second;
}

SiteId SiteTable::intern(const SiteText& text) {
  if (text.file.empty() && text.function.empty() && text.expression.empty())
    return foretell::kNoSite;
  return tables_.sites.intern({.file = tables_.strings.intern(text.file.empty() ? "?" : text.file),
                               .line = text.line,
                               .column = text.line == 0 ? 0 : text.column,
                               .function = tables_.strings.intern(text.function),
                               .expression = tables_.strings.intern(text.expression)});
}

SiteTable::Entry& SiteTable::make(uint32_t number) {
  auto& page = pages_[number / kPage];
  if (page == nullptr) page = std::make_unique<Page>();
  Entry& entry = (*page)[number % kPage];
  const SiteText text = text_of(number);
  entry.id = intern(text);
  entry.is_library = (text.flags & kSiteLibrary) != 0;
  entry.has_values = !without_values_ || modules_.site(number).has_value();
  entry.is_made = true;
  return entry;
}

SiteId SiteTable::seen_from(uint32_t number, uint32_t call) {
  Entry& entry = (*this)[number];
  if (call == kNoSite || !entry.is_library) return entry.id;
  if (entry.last_call == call) return entry.last_seen_from;
  auto [it, fresh] = seen_from_.try_emplace(uint64_t{number} << 24 | call, SiteId{});
  if (fresh) {
    SiteText seen = text_of(call);
    // What the user wrote at the call says more than the library's own variable.
    if (seen.expression.empty()) seen.expression = text_of(number).expression;
    it->second = intern(seen);
  }
  entry.last_call = call;
  return entry.last_seen_from = it->second;
}

FunctionId SiteTable::function(uint32_t number) {
  Entry& entry = (*this)[number];
  if (!entry.has_function) {
    const std::string_view name = text_of(number).function;
    entry.function = tables_.functions.intern(name.empty() ? "(unknown function)" : name);
    entry.has_function = true;
  }
  return entry.function;
}

std::string_view SiteTable::expression(uint32_t number) const {
  std::string_view text = trace::trim(text_of(number).expression);
  while (text.starts_with('&')) text = trace::trim(text.substr(1));
  return text;
}

void SiteTable::add_pc_site(uint32_t number, SiteText text) {
  pc_sites_.insert_or_assign(number, text);
}

}  // namespace foretell::recording
