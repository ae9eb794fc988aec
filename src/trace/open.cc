// SPDX-License-Identifier: Apache-2.0

// Format detection, most certain sign first:
//   magic bytes                                       ftrace, recording
//   a header that gives the exact file size           rapid-binary
//   control characters: .bin and .data files          rapid-binary; otherwise nothing known
//   a known RoadRunner event among the first lines    roadrunner (other output may come before it)
//   a '|' in the first line that is not a comment     std, unless the line begins like Tiddle
//   any other text                                    tiddle
#include "trace/open.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "trace/ftrace/ftrace_reader.h"
#include "trace/rapid_binary/rapid_binary_reader.h"
#include "trace/recording/recording_reader.h"
#include "trace/roadrunner/roadrunner_reader.h"
#include "trace/std/std_reader.h"
#include "trace/text.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

constexpr std::string_view kFtraceMagic{"FTRACE\x1a\n", 8};
constexpr size_t kLookAhead = size_t{64} << 10;

constexpr std::array<std::string_view, kTraceFormatCount> kNames = {
    "ftrace", "tiddle", "std", "roadrunner", "rapid-binary", "recording"};

bool looks_binary(std::string_view head) {
  return std::ranges::any_of(head, [](char c) {
    return (static_cast<uint8_t>(c) < 0x20 && !(c >= '\t' && c <= '\r')) || c == 0x7f;
  });
}

bool begins_like_tiddle(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  if (word == "vrd" || word == "vwr") return true;
  for (uint8_t i = 0; i < kEventKindCount; ++i) {
    if (word == word_of(EventKind{i})) return true;
  }
  return false;
}

TraceFormat detect_text_format(std::string_view head) {
  for (LineScanner lines(head); !lines.at_end();) {
    if (is_roadrunner_event(lines.next())) return TraceFormat::roadrunner;
  }
  for (LineScanner lines(head); !lines.at_end();) {
    const std::string_view line = trim(lines.next());
    if (line.empty() || line.starts_with('#') || line.starts_with("//")) continue;
    const bool std = line.find('|') != std::string_view::npos && !begins_like_tiddle(line);
    return std ? TraceFormat::std : TraceFormat::tiddle;
  }
  return TraceFormat::tiddle;
}

}  // namespace

std::string_view name_of(TraceFormat format) {
  return kNames[to_index(format)];
}

std::optional<TraceFormat> parse_format(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TraceFormat>(found - kNames.begin());
}

Result<TraceFormat> detect_format(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with(kFtraceMagic)) return TraceFormat::ftrace;
  if (looks_like_recording(bytes)) return TraceFormat::recording;
  if (is_whole_rapid_binary(bytes)) return TraceFormat::rapid_binary;
  const std::string_view head = bytes.substr(0, kLookAhead);
  if (!looks_binary(head)) return detect_text_format(head);
  if (name.ends_with(".data") || name.ends_with(".bin")) return TraceFormat::rapid_binary;
  return std::unexpected(Diagnostic{"not a trace in any known format", std::string(name)}.with_note(
      "if it is one, name its format with --input-format"));
}

Result<std::unique_ptr<TraceReader>> open_trace(InputFile file, std::optional<TraceFormat> format) {
  if (!format) {
    FORETELL_TRY(detected, detect_format(file.bytes(), file.name()));
    format = detected;
  }
  switch (*format) {
    case TraceFormat::ftrace:
      return make_ftrace_reader(std::move(file));
    case TraceFormat::tiddle:
      return make_tiddle_reader(std::move(file));
    case TraceFormat::std:
      return make_std_reader(std::move(file));
    case TraceFormat::roadrunner:
      return make_roadrunner_reader(std::move(file));
    case TraceFormat::rapid_binary:
      return make_rapid_binary_reader(std::move(file));
    case TraceFormat::recording:
      return make_recording_reader(std::move(file));
  }
  const bool format_has_reader = false;
  CHECK(format_has_reader);
}

}  // namespace foretell::trace
