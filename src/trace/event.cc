// SPDX-License-Identifier: Apache-2.0

#include "trace/event.h"

#include <array>

namespace foretell::trace {
namespace {

struct KindRow {
  std::string_view word;
  Operands operands;
  std::string_view action, verb, participle;
  std::string_view text;
};

constexpr std::array<KindRow, kEventKindCount> kKinds = {{
#define FORETELL_EVENT(kind, word, operands, event_class, action, verb, participle, text) \
  {#word, Operands::operands, action, verb, participle, text},
#include "trace/event.def"
}};

}  // namespace

std::string_view word_of(EventKind kind) {
  return kKinds[to_index(kind)].word;
}
std::string_view action_of(EventKind kind) {
  return kKinds[to_index(kind)].action;
}
std::string_view verb_of(EventKind kind) {
  return kKinds[to_index(kind)].verb;
}
std::string_view participle_of(EventKind kind) {
  return kKinds[to_index(kind)].participle;
}
std::string_view text_of(EventKind kind) {
  return kKinds[to_index(kind)].text;
}
Operands operands_of(EventKind kind) {
  return kKinds[to_index(kind)].operands;
}
std::string_view word_of(MemoryOrder order) {
  return kMemoryOrderWords[to_index(order)];
}

}  // namespace foretell::trace
