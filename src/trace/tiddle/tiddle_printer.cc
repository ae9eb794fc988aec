// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "trace/contained_statements.h"
#include "trace/tiddle/tiddle_lexer.h"
#include "trace/tiddle/tiddle_reader.h"
#include "trace/waiting.h"

namespace foretell::trace {
namespace {

using tiddle::quote_if_needed;

void put_location(const TraceTables& tables, const Location& location, std::string& out) {
  const std::string_view space = tables.strings[location.space];
  if (space.empty() && location.size > 0) {
    out += fmt::format(" {:#x}:{}", location.offset, location.size);
    return;
  }
  out += ' ' + quote_if_needed(space);
  if (location.size > 0) out += fmt::format("+{}:{}", location.offset, location.size);
}

void put_location(const TraceTables& tables, LocationId id, std::string& out) {
  put_location(tables, tables.locations[id], out);
}

void put_value(uint64_t value, std::string& out) {
  out += fmt::format(" {}", static_cast<int64_t>(value));
}

void put_ticket(uint64_t ticket, std::string_view no_partner, std::string& out) {
  if (ticket == Event::kUnknown) return;
  if (ticket == Event::kNoPartner) {
    out += fmt::format(" {}", no_partner);
  } else {
    out += fmt::format(" #{}", ticket - 1);
  }
}

void put_site(const TraceTables& tables, SiteId id, std::string& out) {
  if (id == kNoSite) return;
  const Site& site = tables.sites[id];
  const std::string_view file = tables.strings[site.file];
  out += " @" + quote_if_needed(file);
  if (site.line > 0) out += fmt::format(":{}", site.line);
  if (site.column > 0) out += fmt::format(":{}", site.column);
  if (site.function != StringId{}) out += " in=" + quote_if_needed(tables.strings[site.function]);
  if (site.expression != StringId{})
    out += " as=" + quote_if_needed(tables.strings[site.expression]);
}

}  // namespace

void print_tiddle_event(const Event& e, const TraceTables& tables, std::string& out) {
  auto put_name = [&](std::string_view name) { out += ' ' + quote_if_needed(name); };
  out += word_of(e.kind);
  put_name(tables.threads[e.thread]);
  switch (operands_of(e.kind)) {
    case Operands::None:
      break;
    case Operands::Access:
    case Operands::Alloc:
      put_location(tables, e.location(), out);
      if (e.has_value()) put_value(e.value, out);
      break;
    case Operands::Free:
      put_location(tables, e.location(), out);
      break;
    case Operands::Atomic:
      put_location(tables, e.location(), out);
      out += fmt::format(" {}", word_of(e.order));
      if (e.has_value()) put_value(e.value, out);
      break;
    case Operands::AtomicRmw:
      put_location(tables, e.location(), out);
      out += fmt::format(" {}", word_of(e.order));
      if (e.has_value() && e.has_read_value()) {
        put_value(e.read_value(), out);
        put_value(e.value, out);
      }
      break;
    case Operands::Order:
      out += fmt::format(" {}", word_of(e.order));
      break;
    case Operands::Lock:
      put_name(tables.locks[e.lock()]);
      break;
    case Operands::Thread:
      put_name(tables.threads[e.other_thread()]);
      break;
    case Operands::Label:
      put_name(tables.labels[e.label()]);
      break;
    case Operands::Function:
      put_name(tables.functions[e.function()]);
      break;
    case Operands::Wait:
    case Operands::Wake:
      put_name(tables.conditions[e.condition()]);
      put_name(tables.locks[e.lock()]);
      if (e.kind == EventKind::WaitEnd) put_ticket(e.value, "spurious", out);
      break;
    case Operands::Notify:
      put_name(tables.conditions[e.condition()]);
      put_ticket(e.value, "", out);
      break;
    case Operands::Barrier:
      put_name(tables.barriers[e.barrier()]);
      put_ticket(e.value, "", out);
      break;
    case Operands::Post:
    case Operands::Down:
      put_name(tables.semaphores[e.semaphore()]);
      put_ticket(e.value, "initial", out);
      break;
    case Operands::Branch:
      if (e.has_value()) put_value(e.value, out);
      break;
    case Operands::User: {
      put_name(tables.user_events[e.user_event()]);
      const std::string_view arguments = tables.strings[e.arguments()];
      if (!arguments.empty()) put_name(arguments);
      break;
    }
  }
  if (is_limited(e)) out += " limited";
  put_site(tables, e.site, out);
  out += '\n';
}

void print_tiddle_statements(const TraceTables& tables, std::string& out) {
  const std::vector<SiteId> contained = contained_statements(tables.facts);
  for (const StatementFacts& facts : tables.facts.statements) {
    out += "statement";
    put_site(tables, facts.statement, out);
    if (!facts.scope.empty()) out += " scope";
    for (SiteId site : facts.scope) put_site(tables, site, out);
    if (!facts.uses.empty()) out += " uses";
    for (SiteId site : facts.uses) put_site(tables, site, out);
    if (!facts.changes.empty()) out += " changes";
    for (const Location& range : facts.changes) put_location(tables, range, out);
    if (std::ranges::find(contained, facts.statement) != contained.end()) out += " contained";
    out += '\n';
  }
}

std::string print_tiddle(const Trace& raw) {
  std::string out;
  print_tiddle_statements(raw.tables, out);
  for (const Event& e : raw.events) print_tiddle_event(e, raw.tables, out);
  return out;
}

}  // namespace foretell::trace
