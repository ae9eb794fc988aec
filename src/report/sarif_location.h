// SPDX-License-Identifier: Apache-2.0

// Source positions as SARIF writes them: URIs, columns in characters.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "finding/result.h"
#include "report/source.h"

namespace foretell::report {

class SarifLocations {
 public:
  // Files below `directory` become relative to the base kBase; events without a position are said
  // to be in `fallback`, the trace.
  SarifLocations(std::string directory, std::string fallback)
      : directory_(std::move(directory)), fallback_(std::move(fallback)) {}

  static constexpr std::string_view kBase = "SRCROOT";

  // A `location` object with the event's place, its function and `message`.
  nlohmann::ordered_json of(const finding::DescribedEvent& event, const std::string& message);

  // "file:///home/me/a%20b/" of a folder.
  static std::string folder_uri(std::string_view folder);

 private:
  nlohmann::ordered_json artifact(const std::string& file) const;
  nlohmann::ordered_json region(const SourcePlace& place);

  std::string directory_, fallback_;
  SourceFiles sources_;
};

}  // namespace foretell::report
