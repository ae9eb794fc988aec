// SPDX-License-Identifier: Apache-2.0

// The site tables of the modules a recorded program had loaded: what a site number means, and which
// global variable lies at an address.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "recording/module.h"
#include "trace/recording/chunk_streams.h"

namespace foretell::recording {

// A site row with its strings. The views live as long as the Modules.
struct SiteText {
  std::string_view file, function, expression;
  uint32_t line = 0, column = 0, flags = 0;
};

struct Global {
  uint64_t address = 0, size = 0;
  std::string_view name, fields, module;
  bool zeroed = false;  // the program's image has zeros there
};

class Modules {
 public:
  static Result<Modules> load(const ChunkStreams& streams);

  // The row of a site that a pass has made; nothing for any other site.
  std::optional<SiteText> site(uint32_t number) const;

  // The op of the compact records of each site.
  std::span<const uint8_t> site_ops() const { return site_ops_; }

  // Sorted by address, each address once.
  const std::vector<Global>& globals() const { return globals_; }
  const Global* global_at(uint64_t address) const;

  // Paths of the executables and libraries that PcSites name, in the order of their numbers: those
  // with is_binary set, counted from 0.
  const std::vector<std::string>& binaries() const { return binaries_; }

  uint64_t skipped() const { return skipped_; }
  uint64_t repeated() const { return repeated_; }

 private:
  static constexpr uint8_t kNoOp = 0xff;

  struct Sites {
    uint32_t first = 0, count = 0;
    const std::vector<char>* bytes = nullptr;  // its module's
    std::string_view strings;
  };

  Result<void> add(const std::vector<char>& bytes);
  void add_globals(const ModuleBlob& blob, const std::vector<char>& bytes, size_t rows,
                   std::string_view strings);
  void sort_globals();

  std::vector<std::unique_ptr<std::vector<char>>> bytes_;  // of each module; views point into them
  std::vector<Sites> sites_;                               // by first
  std::vector<uint8_t> site_ops_;
  std::vector<Global> globals_;
  std::vector<std::string> binaries_;
  uint64_t skipped_ = 0, repeated_ = 0;
};

}  // namespace foretell::recording
