// SPDX-License-Identifier: Apache-2.0

#include "trace/std/std_printer.h"

#include <fmt/format.h>

#include <string_view>

namespace foretell::trace {
namespace {

std::string_view std_word(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
      return "r";
    case EventKind::Write:
      return "w";
    case EventKind::Acquire:
      return "acq";
    case EventKind::Release:
      return "rel";
    case EventKind::Fork:
      return "fork";
    case EventKind::Join:
      return "join";
    case EventKind::BlockBegin:
      return "begin";
    case EventKind::BlockEnd:
      return "end";
    case EventKind::Request:
      return "req";
    default:
      return "";
  }
}

std::string operand_of(const Event& e, const TraceTables& tables) {
  switch (operands_of(e.kind)) {
    case Operands::Access:
      return tables.location_name(e.location());
    case Operands::Lock:
      return std::string(tables.locks[e.lock()]);
    case Operands::Thread:
      return std::string(tables.threads[e.other_thread()]);
    default:
      return std::string(tables.labels[e.label()]);
  }
}

// The separators of a line cannot be part of a name.
void put_escaped(std::string_view name, std::string& out) {
  for (char c : name) out += c == '|' || c == '\n' || c == '\r' ? '_' : c;
}

}  // namespace

bool print_std_event(const Event& e, const TraceTables& tables, std::string& out) {
  const std::string_view word = std_word(e.kind);
  if (word.empty()) return false;
  put_escaped(tables.threads[e.thread], out);
  out += '|';
  out += word;
  out += '(';
  put_escaped(operand_of(e, tables), out);
  out += ')';
  if (e.site != kNoSite) {
    out += '|';
    put_escaped(tables.site_name(e.site), out);
  }
  out += '\n';
  return true;
}

}  // namespace foretell::trace
