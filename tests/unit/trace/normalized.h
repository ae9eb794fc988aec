// SPDX-License-Identifier: Apache-2.0

// Tiddle text in, and what the normalizer makes of it as text out: the language of its tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {

// What the normalizer has against `text`, "" if nothing.
inline std::string refusal(std::string_view text) {
  auto raw = parse_tiddle(text);
  if (!raw) return "not Tiddle: " + raw.error().to_text();
  auto normal = normalize(*std::move(raw));
  return normal ? "" : normal.error().where + ": " + normal.error().message;
}

namespace normalized_text {

inline std::string partner(const Event& e) {
  return e.partner() == kNoEvent ? "none" : std::to_string(to_index(e.partner()));
}

inline std::string operands(const Trace& trace, const Event& e) {
  switch (operands_of(e.kind)) {
    case Operands::Access:
    case Operands::Atomic:
    case Operands::AtomicRmw:
    case Operands::Free: {
      std::string text = trace.location_name(e.location());
      if (e.has_read_value()) text += fmt::format(" {}", static_cast<int64_t>(e.read_value()));
      if (e.has_value()) text += fmt::format(" {}", static_cast<int64_t>(e.value));
      return text;
    }
    case Operands::Alloc:
      return trace.tables.location_name(e.location());
    case Operands::Lock:
      return std::string(trace.tables.locks[e.lock()]);
    case Operands::Thread:
      return std::string(trace.tables.threads[e.other_thread()]);
    case Operands::Wake:
      return fmt::format("{} by {}", trace.tables.conditions[e.condition()], partner(e));
    case Operands::Down:
      return fmt::format("{} by {}", trace.tables.semaphores[e.semaphore()], partner(e));
    case Operands::Barrier:
      return fmt::format("{} {}", trace.tables.barriers[e.barrier()], e.generation());
    case Operands::Wait:
    case Operands::Notify:
      return std::string(trace.tables.conditions[e.condition()]);
    case Operands::Post:
      return std::string(trace.tables.semaphores[e.semaphore()]);
    case Operands::Label:
      return std::string(trace.tables.labels[e.label()]);
    case Operands::Function:
      return std::string(trace.tables.functions[e.function()]);
    case Operands::None:
    case Operands::Order:
    case Operands::Branch:
    case Operands::User:
      return "";
  }
  return "";
}

}  // namespace normalized_text

// The normalized events of `text`, one a line: index, word, thread, operands.
inline std::string normalized(std::string_view text) {
  auto raw = parse_tiddle(text);
  if (!raw) return "not Tiddle: " + raw.error().to_text();
  auto normal = normalize(*std::move(raw));
  if (!normal) return normal.error().to_text();
  std::string out;
  for (const Event& e : normal->events) {
    out += fmt::format("{} {} {}", to_index(e.index), word_of(e.kind),
                       normal->tables.threads[e.thread]);
    if (const std::string rest = normalized_text::operands(*normal, e); !rest.empty()) {
      out += ' ' + rest;
    }
    out += '\n';
  }
  return out;
}

}  // namespace foretell::trace
