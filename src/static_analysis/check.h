// SPDX-License-Identifier: Apache-2.0

// What `foretell check` asks of this room, and what it answers.
//
// A verdict is about every schedule and every input of a program. "Race-free" is a proof, under the
// assumptions that the answer lists; "not proved" names the pairs of accesses that no rule orders.
//
// This header is free of LLVM: it is what the command includes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::static_analysis {

struct CheckOptions {
  std::string entry = "main";
  std::vector<std::string> assumed;      // names the user vouches for; "all" is every one
  uint64_t max_product_states = 100000;  // of the finite product; 0 turns it off
  bool dump = false;                     // the prepared program, to standard error
};

struct Place {
  std::string file;
  uint32_t line = 0, column = 0;
  bool operator==(const Place&) const = default;
};

enum class AccessMode : uint8_t { read, write, update };

struct AccessReport {
  Place place;
  AccessMode mode{};
  bool is_atomic = false;
  std::string thread;              // "main", "T1 (worker)"
  bool many = false;               // the thread stands for several
  std::vector<std::string> locks;  // surely held
};

struct PairReport {
  std::string variable;
  AccessReport first, second;
};

// Something that cannot be analyzed, and that the verdict would have to assume harmless.
struct Assumption {
  std::string name;    // as --assume takes it
  std::string reason;  // "function 'f' has no body here"
  Place place;
};

enum class Verdict : uint8_t { proved, not_proved };

struct CheckResult {
  Verdict verdict = Verdict::not_proved;
  std::vector<PairReport> pairs;
  std::vector<Assumption> unaccepted;  // these alone make the verdict "not proved"
  std::vector<Assumption> accepted;
  uint64_t threads = 0, accesses = 0, shared_pairs = 0;
  uint64_t product_states = 0;
  bool product_finished = false;
  std::string product_problem;                         // why the product says nothing
  std::vector<std::pair<std::string, double>> phases;  // milliseconds, for --stats
};

// A module of bitcode, in memory.
struct BitcodeFile {
  std::string name;
  std::string bytes;
};

// Of LLVM bitcode or assembly; or a program or an object file that `foretell cc` made.
Result<CheckResult> check_races(const std::vector<BitcodeFile>& files, const CheckOptions& options);

}  // namespace foretell::static_analysis
