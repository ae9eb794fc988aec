// SPDX-License-Identifier: Apache-2.0

// The JSON of `foretell determinism`; docs/determinism.md documents it. Keys are added, never
// renamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analysis/determinism/determinism.h"

namespace foretell::report {

class DeterminismSummary;

class DeterminismJson {
 public:
  // `counts_choices`: whether the results have what only the tables need.
  DeterminismJson(analysis::DeterminismOptions::Mode mode, bool counts_choices);
  ~DeterminismJson();

  // Files below `directory` are named as seen from there.
  void add(std::string_view name, const trace::Trace& trace,
           const analysis::DeterminismResult& result, std::string_view directory);
  void add(const DeterminismSummary& summary);
  std::string text() const;

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

}  // namespace foretell::report
