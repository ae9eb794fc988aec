// SPDX-License-Identifier: Apache-2.0

// The interpreter's threads: who goes on, and what an operation of synchronization needs and does.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/executor/interpreter.h"
#include "symbolic/executor/thread_handles.h"

namespace foretell::symbolic {

using program::CodeInstruction;

void Interpreter::advance(uint32_t thread) {
  while (!is_over_ && !threads_[thread].is_done && !threads_[thread].has_request)
    if (execute(thread) == Flow::stops) break;
}

// Nobody can go on: the end of the epoch if somebody stopped for it, a deadlock if not.
void Interpreter::end_blocked() {
  const bool is_epoch =
      std::ranges::any_of(threads_, [](const Thread& t) { return !t.is_done && t.request.stops; });
  path_.schedule.end = is_epoch ? EndKind::marker : EndKind::deadlock;
  for (uint32_t t = 0; t < threads_.size(); t++) {
    if (threads_[t].is_done) continue;
    std::string& text = path_.schedule.end_text;
    if (!is_epoch)
      text += (text.empty() ? "" : "; ") + synchronization_.describe_wait(t, threads_[t].request);
    // What it waits for is part of why nobody goes on.
    if (!threads_[t].request.is_awake_part)
      record(*threads_[t].request_call, top(t).serial).detail = threads_[t].request_detail;
  }
}

// The thread with the fewest nodes of those that can go on. False if the path is over.
bool Interpreter::choose_and_perform() {
  std::optional<uint32_t> chosen;
  bool anybody = false;
  for (uint32_t t = 0; t < threads_.size(); t++) {
    if (threads_[t].is_done) continue;
    anybody = true;
    if (!synchronization_.is_ready(t, threads_[t].request)) continue;
    const auto length = [&](uint32_t of) { return synchronization_.nodes()[of].size(); };
    if (!chosen || length(t) < length(*chosen)) chosen = t;
  }
  if (!chosen) {
    if (anybody) end_blocked();
    return false;
  }
  finish_request(*chosen);
  return !is_over_;
}

void Interpreter::finish_request(uint32_t t) {
  const CodeInstruction& call = *threads_[t].request_call;
  const SyncKind kind = threads_[t].request.kind;
  if (kind == SyncKind::pthread_create && synchronization_.live_threads() > limits_.threads) {
    record(call, top(t).serial).detail = threads_[t].request_detail;
    path_.schedule.end = EndKind::thread_limit;
    path_.schedule.end_text =
        fmt::format("{}: more than {} threads at once", place_of(call), limits_.threads);
    is_over_ = true;
    return;
  }
  const bool is_second_part = threads_[t].request.is_awake_part;
  const SyncOutcome outcome = synchronization_.perform(t, threads_[t].request);
  if (!outcome.error.empty()) {
    fail(call, outcome.error, {});
    return;
  }
  if (!is_second_part) {
    Step& step = record(call, top(t).serial);
    step.detail = threads_[t].request_detail;
    if (kind == SyncKind::pthread_create)
      step.choice = static_cast<uint32_t>(path_.frames.size()) + 1;
  }
  if (outcome.is_asleep) {
    threads_[t].request.is_awake_part = true;
    return;
  }
  threads_[t].has_request = false;
  if (kind == SyncKind::marker && facts_.markers().reading(call.id))
    threads_[t].passed_reading = call.id;
  if (kind == SyncKind::process_exit) {
    path_.exit_status = threads_[t].exit_status;
    is_over_ = true;
  } else if (kind == SyncKind::pthread_exit || kind == SyncKind::thread_return) {
    keep_result(t, call);
    threads_[t].is_done = true;
  } else {
    if (kind == SyncKind::pthread_create) start_thread(t, call);
    if (kind == SyncKind::pthread_join) hand_over_result(t, call);
    set(top(t), call, Value::integer(32, static_cast<uint32_t>(outcome.result)));
  }
}

void Interpreter::start_thread(uint32_t creator, const CodeInstruction& call) {
  const Value function = value_of(call.operands[3], top(creator));
  const Value argument = value_of(call.operands[4], top(creator));
  const auto number_of = static_cast<uint32_t>(synchronization_.nodes()[creator].back().result);
  path_.schedule.participants++;
  Detail handle;
  store_anywhere(value_of(call.operands[1], top(creator)), 8,
                 Value::integer(64, handle_of(number_of)), handle);
  auto& writes = path_.details[threads_[creator].request_detail - 1].writes;
  writes.insert(writes.end(), handle.writes.begin(), handle.writes.end());
  Thread thread;
  thread.frames.push_back(make_frame(number(function.object), number_of, ~0u, {argument}));
  thread.own_globals = globals_;
  for (size_t i = 0; i < code_.globals.size(); i++)
    if (code_.globals[i].is_thread_local)
      thread.own_globals[i] = memory_.add({.name = code_.globals[i].name,
                                           .size = code_.globals[i].size,
                                           .abstract = code_.globals[i].objects,
                                           .bytes = code_.globals[i].bytes});
  if (number_of == threads_.size())
    threads_.push_back(std::move(thread));
  else
    threads_[number_of] = std::move(thread);
  if (const auto* marker = facts_.markers().at(number(function.object), 0))
    arrive_at_marker(number_of, *marker);
}

// Results of threads pass through memory of their own, so slices find what they depend on.
void Interpreter::keep_result(uint32_t t, const CodeInstruction& call) {
  Thread& thread = threads_[t];
  if (t == 0) return;
  thread.exit_object = memory_.add({.name = fmt::format("the result of thread {}", t), .size = 8});
  CodeInstruction& made = path_.made.emplace_back(CodeInstruction{
      .operation = program::Operation::freeze, .id = call.id, .position = call.position});
  if (call.operation == program::Operation::call)
    made.operands = {call.operands[1]};
  else
    made.operands = call.operands;
  Detail detail{.writes = {{thread.exit_object, 0, 8}}};
  if (thread.exit_value.width != 0) memory_.store(thread.exit_object, 0, 8, thread.exit_value);
  const uint32_t number_of = add_detail(std::move(detail));
  record(made, top(t).serial).detail = number_of;
}

void Interpreter::hand_over_result(uint32_t joiner, const CodeInstruction& call) {
  const Value to = value_of(call.operands[2], top(joiner));
  Thread& ended = threads_[threads_[joiner].request.number];
  ended.is_joined = true;
  if (to.is_null() || ended.exit_object == kNullObject) return;
  CodeInstruction& made = path_.made.emplace_back(CodeInstruction{
      .operation = program::Operation::freeze, .id = call.id, .position = call.position});
  made.operands = {call.operands[2]};
  Detail detail;
  if (!resolve(call, to, 8, detail)) return;
  detail.reads.push_back({ended.exit_object, 0, 8});
  store_anywhere(to, 8, memory_.load(ended.exit_object, 0, 8), detail);
  const uint32_t number_of = add_detail(std::move(detail));
  record(made, top(joiner).serial).detail = number_of;
}

Interpreter::Flow Interpreter::request(uint32_t t, const CodeInstruction& instruction,
                                       SyncKind kind) {
  Thread& thread = threads_[t];
  Frame& frame = thread.frames.back();
  SyncRequest made{.kind = kind, .instruction = instruction.id};
  Detail detail{.is_kept = true};
  const auto argument = [&](uint32_t i) { return value_of(instruction.operands[i], frame); };
  const auto add_object = [&](uint32_t i) {
    const Value at = argument(i);
    detail.kept_operands.push_back(i);
    if (at.is_unknown_address()) {
      refuse(instruction, "it is not known what this operation is about when the epoch begins");
      return false;
    }
    if (!resolve(instruction, at, 1, detail)) return false;
    pin(at, detail, "the object of this operation");
    made.objects.emplace_back(at.object, at.bits);
    return true;
  };
  switch (kind) {
    case SyncKind::pthread_create: {
      detail.kept_operands.push_back(3);
      if (argument(3).kind != Value::Kind::function)
        return refuse(instruction, "the start function of a thread is not known");
      if (code_.functions[number(argument(3).object)].blocks.empty())
        return refuse(instruction, "a thread begins in a function without code");
      break;
    }
    case SyncKind::pthread_join: {
      detail.kept_operands.push_back(1);
      const auto of = thread_of(pin(argument(1), detail, "the thread to join"));
      made.number = of ? *of : ~uint64_t{0};
      break;
    }
    case SyncKind::pthread_exit:
      thread.exit_value = argument(1);
      break;
    case SyncKind::process_exit:
    case SyncKind::thread_return:
    case SyncKind::marker:
      break;
    case SyncKind::pthread_cond_wait:
      if (!add_object(1) || !add_object(2)) return Flow::stops;
      break;
    case SyncKind::pthread_barrier_init:
    case SyncKind::sem_init:
      if (!add_object(1)) return Flow::stops;
      detail.kept_operands.push_back(3);
      made.number = pin(argument(3), detail, "this count");
      break;
    default:
      if (!add_object(1)) return Flow::stops;
  }
  if (kind == SyncKind::pthread_barrier_wait && facts_.markers().has_any())
    made.stops = should_stop(t, instruction.id, true);
  thread.request = std::move(made);
  thread.request_call = &instruction;
  thread.request_operands = detail.kept_operands;
  thread.request_detail = add_detail(std::move(detail));
  thread.has_request = true;
  // What only prepares an object waits for nobody.
  if (!is_ordered(kind)) finish_request(t);
  return is_over_ ? Flow::stops : Flow::goes_on;
}

}  // namespace foretell::symbolic
