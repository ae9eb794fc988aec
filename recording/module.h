// SPDX-License-Identifier: Apache-2.0

// Modules: the tables of places and globals that the pass puts into every object file.
#pragma once

#include <stdint.h>

#include "record.h"

namespace foretell::recording {

// One row for each place that can record something. Strings are offsets into the module's strings;
// offset 0 is the empty string.
struct SiteRow {
  uint32_t file;
  uint32_t line;
  uint32_t column;
  uint32_t function;    // demangled, without parameters: "Queue::push"
  uint32_t expression;  // what a person would write: "acc.balance", "q->tail", "buf[i]"; of a call,
                        // its first pointer argument
  uint32_t flags;       // SiteFlags, and the op of its compact records (site_flags, op_of)
};
static_assert(sizeof(SiteRow) == 24);

enum SiteFlags : uint32_t {
  kSiteCall = 1,      // a call
  kSiteFunction = 2,  // the function itself, at its declaration
  kSiteLibrary = 4,   // in a system header: reports show the nearest caller outside
};

inline constexpr unsigned kSiteOpShift = 8;
constexpr uint32_t site_flags(uint32_t flags, Op op) {
  return flags | static_cast<uint32_t>(op) << kSiteOpShift;
}
// As a number: that of a forged row may be no op.
constexpr uint32_t op_of(const SiteRow& row) {
  return row.flags >> kSiteOpShift;
}

// A global variable, so that its address has a name.
struct GlobalRow {
  uint64_t address;
  uint64_t size;  // in the low 48 bits; kGlobalZeroed above
  uint32_t name;
  uint32_t fields;  // "0=lock;40=head;44=tail", empty if it has none that are known
};
static_assert(sizeof(GlobalRow) == 24);

// The program's image fills the variable with zeros.
inline constexpr uint64_t kGlobalZeroed = uint64_t{1} << 63;

// Registered by a constructor the pass adds to each object file. The runtime copies everything
// into the recording, so nobody needs the binary to read it.
struct Module {
  uint32_t abi;  // kAbi
  uint32_t site_count;
  const SiteRow* sites;
  const GlobalRow* globals;
  const char* strings;
  uint64_t strings_size;
  uint64_t global_count;
  uint64_t* site_bits;  // out: the number of each site << kSiteShift; at least one
  uint32_t name;        // the source file
  uint32_t skipped;     // accesses left out because their stack slot never escapes
  uint32_t repeated;    // accesses left out because an equal one stands before them in the block
  uint32_t padding;
};

inline constexpr uint32_t kAbi = 3;

// How a module's chunk begins; followed by its sites, globals and strings.
struct ModuleBlob {
  uint32_t first_site;
  uint32_t site_count;
  uint64_t global_count;
  uint64_t strings_size;
  uint32_t name;
  uint32_t skipped;
  uint32_t repeated;
  uint32_t is_binary;  // 1: an executable or library whose PcSites need a symbolizer; strings hold
                       // its path
};
static_assert(sizeof(ModuleBlob) == 40);

}  // namespace foretell::recording
