// SPDX-License-Identifier: Apache-2.0

// How much of what was predicted is replayed: the options that run and test share.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>

#include "finding/result.h"

namespace foretell::cli {

struct ReplayOptions {
  size_t most = 32;
  bool never = false;
  double timeout = 0;  // seconds; 0: what the replayer thinks best

  void add_to(CLI::App& command);
  std::optional<std::chrono::milliseconds> time_limit() const;
  // Why a finding is not replayed after `replayed` others were; empty if it is.
  std::string why_not(const finding::Finding& finding, size_t replayed, bool interrupted) const;
};

}  // namespace foretell::cli
