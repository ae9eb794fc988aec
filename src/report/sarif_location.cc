// SPDX-License-Identifier: Apache-2.0

#include "report/sarif_location.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace foretell::report {
namespace {

using Json = nlohmann::ordered_json;

// RFC 3986: everything but unreserved characters and the separators of a path.
std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+";
  std::string text;
  for (char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      text += c;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

// Compilers count bytes.
uint32_t column_in_characters(std::string_view line, uint32_t column) {
  const std::string_view before = line.substr(0, column - 1);
  return 1 + static_cast<uint32_t>(std::ranges::count_if(
                 before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string SarifLocations::folder_uri(std::string_view folder) {
  return fmt::format("file://{}{}", percent_encoded(folder), folder.ends_with('/') ? "" : "/");
}

Json SarifLocations::artifact(const std::string& file) const {
  if (!file.starts_with('/')) {
    return {{"uri", percent_encoded(file)}, {"uriBaseId", kBase}};
  }
  const std::string folder = directory_.ends_with('/') ? directory_ : directory_ + '/';
  if (!directory_.empty() && file.starts_with(folder)) {
    return {{"uri", percent_encoded(file.substr(folder.size()))}, {"uriBaseId", kBase}};
  }
  return {{"uri", "file://" + percent_encoded(file)}};
}

Json SarifLocations::region(const SourcePlace& place) {
  Json region = {{"startLine", place.line}};
  const auto line = sources_.line(place.file, place.line);
  if (place.column > 0) {
    const bool known = line && place.column <= line->size() + 1;
    region["startColumn"] = known ? column_in_characters(*line, place.column) : place.column;
  }
  if (line) region["snippet"] = {{"text", *line}};
  return region;
}

Json SarifLocations::of(const finding::DescribedEvent& event, const std::string& message) {
  Json location = Json::object();
  const auto place = parse_place(event.site);
  if (place) {
    location["physicalLocation"] = {{"artifactLocation", artifact(place->file)},
                                    {"region", region(*place)}};
  } else {
    location["physicalLocation"] = {{"artifactLocation", artifact(fallback_)}};
  }
  if (!event.function.empty()) {
    Json function = {{"fullyQualifiedName", event.function}, {"kind", "function"}};
    location["logicalLocations"] = Json::array({std::move(function)});
  }
  location["message"] = {{"text", message}};
  return location;
}

}  // namespace foretell::report
