// SPDX-License-Identifier: Apache-2.0

// Which format a trace is in, and the reader for it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/input_file.h"
#include "trace/reader.h"

namespace foretell::trace {

enum class TraceFormat : uint8_t { ftrace, tiddle, std, roadrunner, rapid_binary, recording };

inline constexpr size_t kTraceFormatCount = 6;

// The name on the command line: "ftrace", "rapid-binary", ...
std::string_view name_of(TraceFormat format);
std::optional<TraceFormat> parse_format(std::string_view name);

// The format of `bytes`, from their beginning and, where that is not enough, from the file's name.
// An empty input is an empty Tiddle text; binary data of no known format is an error.
Result<TraceFormat> detect_format(std::string_view bytes, std::string_view name);

// A reader for `file`, in the given format or the one detected.
Result<std::unique_ptr<TraceReader>> open_trace(InputFile file, std::optional<TraceFormat> format);

}  // namespace foretell::trace
