// SPDX-License-Identifier: Apache-2.0

// The section in which `foretell cc` keeps the bitcode of what it compiles.
//
// A section holds records, one for each source file linked into the object, without padding:
//   KeptHeader
//   stored_size bytes: site rows (recording::SiteRow), strings, bitcode; compressed as the header
//   says
//
// Rows and strings are exactly those the runtime copies into a recording when the object registers
// itself, so their hash, `identity`, joins a module of a recording with its bitcode: the site
// number of a record is the module's first site plus an index into these rows.
//
// In the bitcode, metadata says which instruction has which site:
//   instruction  !foretell.site !{i32 role, i32 site, i32 role, i32 site, ...}
//   function     !foretell.site !{i32 role, i32 site}   if its entries and exits are recorded
//   global       !foretell.global !{i32 index}          its row among the globals of the module
#pragma once

#include <stdint.h>

namespace foretell::recording {

inline constexpr char kKeptSection[] = ".foretell_bc";
inline constexpr char kSiteMetadata[] = "foretell.site";
inline constexpr char kGlobalMetadata[] = "foretell.global";

inline constexpr char kKeptMagic[8] = {'F', 'T', 'L', 'L', 'B', 'C', '\r', '\n'};
inline constexpr uint32_t kKeptVersion = 1;

enum class KeptCompression : uint32_t { none, zstd };

// What a site of an instruction stands for.
enum class SiteRole : uint32_t {
  access,       // load, store, atomic, or the memory operand of inline assembly
  copy_source,  // of a memory intrinsic
  copy_target,
  fence,
  call,
  branch,
  function,
};
inline constexpr uint32_t kSiteRoleCount = 7;

struct KeptHeader {
  char magic[8];
  uint32_t version;
  KeptCompression compression;
  uint64_t stored_size;
  uint64_t size;      // of rows, strings and bitcode together
  uint64_t checksum;  // XXH3 of the stored bytes
  uint64_t identity;  // XXH3 of rows and strings
  uint64_t strings_size;
  uint32_t site_count;
  uint32_t name;  // of the source file, an offset into the strings
};
static_assert(sizeof(KeptHeader) == 64);

}  // namespace foretell::recording
