// SPDX-License-Identifier: Apache-2.0

#include "symbolic/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "smt/solver_chain.h"
#include "symbolic/schedules/expr_text.h"
#include "symbolic/schedules/print.h"

namespace foretell::symbolic {

smt::Query coverage_query(const EpochCover& epoch, const Cover& cover, smt::ExprContext& context) {
  smt::Query query{.purpose = "an input without a schedule",
                   .constraints = cover.known,
                   .model = smt::ModelWanted::none};
  for (const auto& [schedule, alternative] : epoch.order)
    query.constraints.push_back(context.logical_not(
        context.logical_and(epoch.schedules[schedule].alternatives[alternative].conditions)));
  return query;
}

namespace {

// What a place holds (executor/inputs.h), as the constrained program would read it.
std::optional<uint64_t> read_state(const ProgramState& state, const Access& access,
                                   uint32_t bytes) {
  Memory memory = state.memory;
  Value at = Value::pointer(kNullObject, 0);
  if (!access.is_register) {
    at = Value::pointer(state.globals[access.global], 0);
  } else {
    if (access.thread >= state.threads.size()) return {};
    const Thread& thread = state.threads[access.thread];
    bool is_found = false;
    for (size_t f = 0; f < thread.frames.size(); f++) {
      const bool is_top = f + 1 == thread.frames.size();
      const uint32_t site = is_top ? thread.request_call->id : thread.frames[f + 1].call->id;
      if (site != access.site || access.reg >= thread.frames[f].registers.size()) continue;
      at = thread.frames[f].registers[access.reg];
      is_found = true;
    }
    if (!is_found) return {};
    if (access.offsets.empty()) return at.bits;
  }
  for (size_t i = 0;; i++) {
    if (at.kind != Value::Kind::pointer || at.object == kNullObject) return {};
    const uint64_t offset = at.bits + static_cast<uint64_t>(access.offsets[i]);
    const bool is_last = i + 1 == access.offsets.size();
    const uint64_t size = is_last ? bytes : 8;
    if (offset > memory[at.object].size || size > memory[at.object].size - offset) return {};
    at = memory.load(at.object, offset, size);
    if (is_last) return at.bits;
  }
}

class Verifier {
 public:
  Verifier(const program::Code& code, Cover& cover, smt::ExprContext& context,
           const ExecutionLimits& limits, std::unique_ptr<smt::SolverChain> solver)
      : code_(code),
        facts_(code, cover.has_epochs, cover.readings),
        cover_(cover),
        context_(context),
        limits_(limits),
        inputs_(context),
        solver_(std::move(solver)) {
    for (const Input& input : cover.inputs) inputs_.add(input);
  }

  Verification run(size_t random_inputs) {
    found_.covers = smt::OutcomeKind::unsat;
    for (const EpochCover& epoch : cover_.epochs) {
      const auto kind = solver_->check(coverage_query(epoch, cover_, context_)).kind;
      if (kind != smt::OutcomeKind::unsat) found_.covers = kind;
      for (const CoveredSchedule& covered : epoch.schedules)
        if (covered.schedule.end == EndKind::marker &&
            covered.schedule.end_epoch >= cover_.epochs.size())
          found_.wrong.push_back("a schedule ends in an epoch that is not there");
    }
    for (const CoveredSchedule& covered : cover_.epochs[0].schedules)
      for (const Alternative& alternative : covered.alternatives) {
        check_example(covered, alternative);
        check_others(covered, alternative);
      }
    check_random(random_inputs);
    add_findings();
    return std::move(found_);
  }

 private:
  smt::Model model_of(const std::map<std::string, uint64_t>& values) const {
    smt::Model model;
    for (const Input& input : inputs_.all())
      if (const auto at = values.find(std::string(input.name())); at != values.end())
        model.set(input.variable, smt::Bits(input.variable.width(), at->second));
    return model;
  }
  std::string text_of(const smt::Model& model) const {
    std::map<std::string, uint64_t> values;
    for (const Input& input : inputs_.all())
      values[std::string(input.name())] = std::get<smt::Bits>(model.value_of(input.variable)).low();
    return command_text(arguments_of(cover_, values));
  }
  // The first schedule whose constraint holds, as the constrained program selects it.
  const CoveredSchedule* select(const smt::Model& model, uint32_t number_of = 0) const {
    const EpochCover& epoch = cover_.epochs[number_of];
    smt::Evaluator values(model);
    for (const auto& [schedule, alternative] : epoch.order)
      if (values.all_true(epoch.schedules[schedule].alternatives[alternative].conditions))
        return &epoch.schedules[schedule];
    return nullptr;
  }
  bool follows(const Schedule& schedule, const Path& path) const;
  void check_run(const smt::Model& model, const CoveredSchedule& expected);
  smt::Model model_in(uint32_t epoch, const ProgramState& state, const smt::Model& model) const;
  void check_example(const CoveredSchedule& covered, const Alternative& alternative);
  void check_others(const CoveredSchedule& covered, const Alternative& alternative);
  void check_random(size_t count);
  void add_findings();

  const program::Code& code_;
  const ControlFacts facts_;
  Cover& cover_;
  smt::ExprContext& context_;
  const ExecutionLimits& limits_;
  Inputs inputs_;
  std::unique_ptr<smt::SolverChain> solver_;
  Verification found_;
  std::map<const CoveredSchedule*, std::string> seen_;  // with an input that led to it
};

// The run has the schedule, or ends the program before its end.
bool Verifier::follows(const Schedule& schedule, const Path& path) const {
  if (path.schedule.threads == schedule.threads && path.schedule.end == schedule.end) return true;
  const bool ends_early = path.schedule.end == EndKind::failed ||
                          (path.schedule.end == EndKind::exited && path.exit_status != 0);
  return ends_early && is_prefix(path.schedule, schedule);
}

// Through all epochs, as the constrained program does: each schedule is selected by what the state of the
// run holds where it is to be read.
void Verifier::check_run(const smt::Model& model, const CoveredSchedule& expected) {
  constexpr int kMostEpochs = 300;
  found_.runs++;
  const CoveredSchedule* selected = &expected;
  std::optional<ProgramState> state;
  uint32_t epoch = 0;
  for (int i = 0; i < kMostEpochs; i++) {
    seen_.try_emplace(selected, text_of(model));
    const ProgramStart start{.fixed_arguments = cover_.fixed_arguments,
                             .arguments_are_fixed = cover_.arguments_are_fixed,
                             .state = state ? &*state : nullptr,
                             .epoch = epoch,
                             .guide = &selected->schedule};
    Interpreter interpreter(code_, facts_, context_, inputs_, limits_, start, model, true);
    const Path path = interpreter.run();
    if (!path.refused.empty()) {
      found_.wrong.push_back(fmt::format("{}: {}", text_of(model), path.refused));
      return;
    }
    if (!follows(selected->schedule, path)) {
      found_.wrong.push_back(
          fmt::format("{} does not follow the schedule that it selects in epoch {}", text_of(model),
                      epoch + 1));
      return;
    }
    if (path.schedule.end != EndKind::marker) return;
    state = interpreter.take_state();
    epoch = selected->schedule.end_epoch;
    selected = select(model_in(epoch, *state, model), epoch);
    if (!selected) {
      found_.wrong.push_back(
          fmt::format("{} selects no schedule in epoch {}", text_of(model), epoch + 1));
      return;
    }
  }
}

// The inputs of the program, and those of an epoch that begins with this state.
smt::Model Verifier::model_in(uint32_t epoch, const ProgramState& state,
                              const smt::Model& model) const {
  smt::Model all = model;
  for (const Input& input : inputs_.all()) {
    if (input.kind != InputKind::state || input.index != epoch || !input.access) continue;
    const uint32_t width = input.variable.width();
    if (const auto bits = read_state(state, *input.access, width / 8))
      all.set(input.variable, smt::Bits(width, *bits & mask_of(width)));
  }
  return all;
}

void Verifier::check_example(const CoveredSchedule& covered, const Alternative& alternative) {
  const smt::Model model = model_of(alternative.example);
  smt::Evaluator values(model);
  if (!values.all_true(cover_.known) || !values.all_true(alternative.conditions))
    found_.wrong.push_back(fmt::format("{} is not an example of its constraint", text_of(model)));
  check_run(model, covered);
}

// Inputs as far from the example as the solver likes.
void Verifier::check_others(const CoveredSchedule& covered, const Alternative& alternative) {
  constexpr int kOthers = 2;
  std::vector<smt::Expr> conditions = cover_.known;
  conditions.insert(conditions.end(), alternative.conditions.begin(), alternative.conditions.end());
  std::map<std::string, uint64_t> last = alternative.example;
  for (int i = 0; i < kOthers; i++) {
    for (const Input& input : inputs_.all())
      if (input.kind != InputKind::argument_count && input.kind != InputKind::state)
        if (const auto at = last.find(std::string(input.name())); at != last.end()) {
          std::vector<smt::Expr> other = conditions;
          other.push_back(context_.not_equal(
              input.variable, context_.constant(input.variable.width(), at->second)));
          const smt::Outcome outcome = solver_->check({.purpose = "another input of a constraint",
                                                       .constraints = other,
                                                       .model = smt::ModelWanted::any});
          if (outcome.kind != smt::OutcomeKind::sat) continue;
          conditions = std::move(other);
          const CoveredSchedule* selected = select(outcome.model);
          if (selected && (selected == &covered || covered.schedule.end != EndKind::failed))
            check_run(outcome.model, *selected);
          at->second = std::get<smt::Bits>(outcome.model.value_of(input.variable)).low();
        }
  }
}

// Small numbers are where programs decide; others must not be forgotten.
void Verifier::check_random(size_t count) {
  std::mt19937_64 random(1);
  // Without inputs one run is like the other.
  if (cover_.arguments_are_fixed) return;
  for (size_t i = 0; i < count; i++) {
    smt::Model model;
    for (const Input& input : inputs_.all()) {
      if (input.kind == InputKind::state) continue;
      const uint32_t width = input.variable.width();
      uint64_t value = random() % 4 == 0 ? random() : random() % 12 - 2;
      if (input.kind == InputKind::argument_count)
        value = 1 + random() % (cover_.most_arguments + 1);
      model.set(input.variable, smt::Bits(width, value));
    }
    const CoveredSchedule* selected = select(model);
    if (!selected) {
      found_.wrong.push_back(fmt::format("{} selects no schedule", text_of(model)));
      continue;
    }
    check_run(model, *selected);
  }
}

void Verifier::add_findings() {
  for (const EpochCover& epoch : cover_.epochs)
    for (const CoveredSchedule& covered : epoch.schedules) {
      const bool deadlocks = covered.schedule.end == EndKind::deadlock;
      if (!deadlocks && covered.schedule.end != EndKind::failed) continue;
      const std::string what =
          fmt::format("{}: {}", deadlocks ? "deadlock" : "failure", covered.schedule.end_text);
      const auto seen = seen_.find(&covered);
      if (&epoch == &cover_.epochs[0])
        found_.findings.push_back(
            fmt::format("{}\n  as in {}", what,
                        command_text(arguments_of(cover_, covered.alternatives[0].example))));
      else if (seen != seen_.end())
        found_.findings.push_back(fmt::format("{}\n  as in {}", what, seen->second));
      else
        found_.possible.push_back(fmt::format("{}\n  in the epoch that begins at {}, if {}", what,
                                              epoch.name,
                                              c_text(covered.alternatives[0].conditions)));
    }
  for (const EpochCover& epoch : cover_.epochs) found_.schedules += epoch.schedules.size();
  found_.schedules_seen = seen_.size();
}

}  // namespace

Result<Verification> verify(const program::Code& code, Cover& cover, smt::ExprContext& context,
                            const ExecutionLimits& limits, size_t random_inputs) {
  smt::ChainOptions options{
      .validate_models = true, .independence = false, .cache = false, .z3 = smt::Z3Use::fresh};
  FORETELL_TRY(solver, smt::SolverChain::create(std::move(options)));
  return Verifier(code, cover, context, limits, std::move(solver)).run(random_inputs);
}

}  // namespace foretell::symbolic
