// SPDX-License-Identifier: Apache-2.0

// ChunkList: where the chunks of an .ftrace file are, from its index or by walking it.
//
// The index is believed only if its checksum holds. Without it the chunks are walked from the
// front, and each is checked completely. The first place without a good chunk is where the file is
// torn, unless a good chunk follows anywhere after it: then the file is damaged, not torn, and
// events are missing in the middle, which is an error.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/input_file.h"
#include "trace/ftrace/ftrace_format.h"

namespace foretell::trace::ftrace {

struct ChunkList {
  std::vector<IndexEntry> chunks;
  uint64_t event_count = 0;
  bool torn = false;
  uint64_t torn_at = 0;  // offset of the first byte that was not understood
};

// Messages have no `where`; the caller knows the file's name.
Result<ChunkList> find_chunks(InputFile& file);

// The header of the chunk at `offset`, checked on its own and against the end of the file.
Result<ChunkHeader> chunk_header_at(std::string_view file, uint64_t offset);
// Its payloads, with their checksums verified.
Result<std::string_view> definitions_at(std::string_view file, uint64_t offset,
                                        const ChunkHeader& header);
Result<std::string_view> events_at(std::string_view file, uint64_t offset,
                                   const ChunkHeader& header);

}  // namespace foretell::trace::ftrace
