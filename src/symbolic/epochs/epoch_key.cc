// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "symbolic/epochs/join.h"

namespace foretell::symbolic {
namespace {

// Objects by the way they are reached first: the same for states that correspond.
class ObjectNames {
 public:
  explicit ObjectNames(const ProgramState& state) : memory_(state.memory) {
    for (size_t i = 0; i < state.globals.size(); i++)
      visit(state.globals[i], fmt::format("g{}", i));
    for (size_t t = 0; t < state.threads.size(); t++) visit_thread(state.threads[t], t);
    while (!open_.empty()) {
      const ObjectNumber object = open_.front();
      open_.pop_front();
      for (const auto& [offset, value] : memory_[object].cells)
        visit(value, fmt::format("{}+{}", names_[number(object)], offset));
    }
  }

  std::string operator()(ObjectNumber object) const {
    const auto known = names_.find(number(object));
    return known == names_.end() ? "?" : known->second;
  }

 private:
  void visit_thread(const Thread& thread, size_t t) {
    for (size_t i = 0; i < thread.own_globals.size(); i++)
      visit(thread.own_globals[i], fmt::format("t{}g{}", t, i));
    for (size_t f = 0; f < thread.frames.size(); f++) {
      const auto& registers = thread.frames[f].registers;
      for (size_t r = 0; r < registers.size(); r++)
        visit(registers[r], fmt::format("t{}f{}r{}", t, f, r));
      for (size_t s = 0; s < thread.frames[f].slots.size(); s++)
        visit(thread.frames[f].slots[s], fmt::format("t{}f{}s{}", t, f, s));
    }
  }
  void visit(const Value& value, const std::string& name) {
    if (value.kind == Value::Kind::pointer && !value.opaque) visit(value.object, name);
  }
  void visit(ObjectNumber object, const std::string& name) {
    if (object == kNullObject || !names_.try_emplace(number(object), name).second) return;
    open_.push_back(object);
  }

  const Memory& memory_;
  std::map<uint32_t, std::string> names_;
  std::deque<ObjectNumber> open_;
};

}  // namespace

std::string epoch_key(const program::Code& code, const ProgramState& state) {
  const ObjectNames names(state);
  std::string text;
  for (const Thread& thread : state.threads) {
    text += "thread";
    if (thread.is_done) {
      text += thread.is_joined ? " free\n" : " done\n";
      continue;
    }
    for (const Frame& frame : thread.frames)
      text +=
          fmt::format(" {}:{}:{}", code.functions[frame.function].name, frame.block, frame.next);
    const SyncRequest& request = thread.request;
    text += fmt::format(" {} at {} {} {}", static_cast<int>(request.kind), request.instruction,
                        request.is_awake_part, request.stops);
    if (request.kind == SyncKind::pthread_join) text += fmt::format(" {}", request.number);
    for (const auto& [object, offset] : request.objects)
      text += fmt::format(" {}+{}", names(object), offset);
    text += "\n";
  }
  return text + state.synchronization.state_text(names);
}

std::string epoch_name(const program::Code& code, const ProgramState& state) {
  std::string text;
  for (size_t t = 0; t < state.threads.size(); t++) {
    const Thread& thread = state.threads[t];
    if (thread.is_done) continue;
    text += fmt::format("{}T{} {}", text.empty() ? "" : ", ", t,
                        code.text_of(thread.request_call->position));
    const auto& operands = thread.request_call->operands;
    if (!thread.request.stops && !operands.empty() &&
        operands[0].kind == program::Operand::Kind::function)
      text += fmt::format(" in {}", code.functions[operands[0].index].name);
  }
  return text;
}

}  // namespace foretell::symbolic
