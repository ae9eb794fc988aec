// SPDX-License-Identifier: Apache-2.0

#include "trace/tables.h"

#include <fmt/format.h>

namespace foretell::trace {

std::string TraceTables::site_name(SiteId site) const {
  if (site == kNoSite) return "";
  const Site& row = sites[site];
  if (row.line == 0) return std::string(strings[row.file]);
  if (row.column == 0) return fmt::format("{}:{}", strings[row.file], row.line);
  return fmt::format("{}:{}:{}", strings[row.file], row.line, row.column);
}

std::string TraceTables::location_name(const Location& location) const {
  const std::string_view space = strings[location.space];
  if (space.empty()) return fmt::format("{:#x}:{}", location.offset, location.size);
  if (location.size == 0) return std::string(space);
  return fmt::format("{}+{}:{}", space, location.offset, location.size);
}

}  // namespace foretell::trace
