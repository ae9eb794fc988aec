// SPDX-License-Identifier: Apache-2.0

// The sites of objects built with -fsanitize=thread: PcSite records, put into words when a
// recording is opened.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "trace/recording/chunk_streams.h"
#include "trace/recording/modules.h"
#include "trace/recording/sites.h"
#include "trace/recording/symbolizer.h"

namespace foretell::recording {

// Gives `sites` the place of every PcSite of the recording: what the symbolizer `tool` knows of it,
// or else "module+0x12". Adds a warning if the tool is missing.
Result<void> load_pc_sites(const ChunkStreams& streams, const Modules& modules, SiteTable& sites,
                           std::vector<Diagnostic>& warnings, std::string_view tool = kSymbolizer);

}  // namespace foretell::recording
