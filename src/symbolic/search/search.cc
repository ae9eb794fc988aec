// SPDX-License-Identifier: Apache-2.0

#include "symbolic/search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "symbolic/slicing/precondition_slice.h"

namespace foretell::symbolic {
namespace {

// How often a run may be begun again to get around code that ends the program.
constexpr int kMostDetours = 64;
// Inputs for which small values are tried first.
constexpr size_t kMostSmallInputs = 16;

}  // namespace

Search::Search(const program::Code& code, smt::ExprContext& context, SearchOptions options)
    : code_(code), context_(context), options_(std::move(options)), inputs_(context) {
  begin();
}

// With the points of reading that are known by now.
void Search::begin() {
  const uint64_t paths = cover_.paths, steps = cover_.steps;
  facts_ = std::make_unique<ControlFacts>(code_, options_.has_epochs, readings_);
  inputs_.clear();
  known_.clear();
  epochs_.clear();
  cover_ = {};
  cover_.paths = paths;
  cover_.steps = steps;
  cover_.readings = readings_;
  cover_.threads = options_.limits.threads;
  cover_.arguments_are_fixed = options_.start.arguments_are_fixed;
  cover_.fixed_arguments = options_.start.fixed_arguments;
  cover_.most_arguments = options_.limits.arguments;
  cover_.most_argument_bytes = options_.limits.argument_bytes;
  const program::CodeFunction* main = code_.find_function("main");
  if (main && main->parameters > 0 && !options_.start.arguments_are_fixed) {
    const smt::Expr count = inputs_.find(InputKind::argument_count);
    known_.push_back(context_.sle(context_.constant(32, 1), count));
    known_.push_back(context_.sle(count, context_.constant(32, options_.limits.arguments + 1)));
  }
  cover_.known = known_;
  cover_.has_epochs = options_.has_epochs;
  epochs_.push_back({.cover = {.name = "entry"}});
}

bool Search::needs_readings(const Slice& slice) {
  if (!options_.has_epochs) return false;
  const size_t before = facts_->markers().readings().size();
  std::set<uint32_t> more = readings_;
  for (const Slice::Opaque& opaque : slice.opaque)
    if (opaque.origin != 0) more.insert(opaque.origin - 1);
  if (more == readings_) return false;
  readings_ = more;
  return Markers(code_, true, more).readings().size() > before;
}

smt::Outcome Search::ask(const std::string& purpose, Conditions conditions) {
  conditions.insert(conditions.begin(), known_.begin(), known_.end());
  return solver_->check({.purpose = purpose,
                         .constraints = std::move(conditions),
                         .model = smt::ModelWanted::canonical});
}

// Inputs of 0, or else 1, make short paths and tests that people can read.
void Search::make_small(const Conditions& conditions, smt::Model& model) {
  Conditions all = conditions;
  size_t tried = 0;
  for (const Input& input : inputs_.all()) {
    if (++tried > kMostSmallInputs) return;
    const uint32_t width = input.variable.width();
    bool is_set = false;
    for (uint64_t value : {0, 1, 2}) {
      const smt::Expr wish = context_.equal(input.variable, context_.constant(width, value));
      all.push_back(wish);
      smt::Outcome outcome = ask("a small input", all);
      if (outcome.kind == smt::OutcomeKind::sat) {
        model = std::move(outcome.model);
        is_set = true;
        break;
      }
      all.pop_back();
    }
    if (!is_set)
      all.push_back(context_.equal(
          input.variable, context_.constant(std::get<smt::Bits>(model.value_of(input.variable)))));
  }
}

std::optional<smt::Model> Search::uncovered_input(const Conditions& constraint,
                                                  const Conditions& more) {
  Conditions conditions = constraint;
  const Conditions& not_covered = epochs_[now_].not_covered;
  conditions.insert(conditions.end(), not_covered.begin(), not_covered.end());
  conditions.insert(conditions.end(), more.begin(), more.end());
  smt::Outcome outcome = ask("an input that is not covered", conditions);
  switch (outcome.kind) {
    case smt::OutcomeKind::unsat:
      return {};
    case smt::OutcomeKind::sat: {
      smt::Model model = std::move(outcome.model);
      make_small(conditions, model);
      return model;
    }
    case smt::OutcomeKind::unknown:
    case smt::OutcomeKind::timeout:
      add_note({NoteKind::unknown, true,
                fmt::format("the solver cannot tell whether a constraint is covered: {}",
                            outcome.reason),
                ""});
      return {};
  }
  return {};
}

std::map<std::string, uint64_t> Search::values_of(const smt::Model& model) const {
  std::map<std::string, uint64_t> values;
  for (const Input& input : inputs_.all())
    values[std::string(input.name())] = std::get<smt::Bits>(model.value_of(input.variable)).low();
  return values;
}

void Search::add_note(Note note) {
  if (std::ranges::find(cover_.notes, note) == cover_.notes.end())
    cover_.notes.push_back(std::move(note));
}

void Search::add_result(const Conditions& constraint, const Path& path, const Conditions& slice,
                        const std::map<std::string, uint64_t>& example, bool may_fail) {
  EpochCover& epoch = epochs_[now_].cover;
  // A condition that occurs again says nothing new.
  Conditions conditions;
  const auto add = [&](smt::Expr condition) {
    if (!condition.is_true() && std::ranges::find(conditions, condition) == conditions.end())
      conditions.push_back(condition);
  };
  // That every input fails was shown under the constraint only.
  if (may_fail || path.schedule.end == EndKind::failed)
    for (const smt::Expr& condition : constraint) add(condition);
  const size_t first_own = conditions.size();
  for (const smt::Expr& condition : slice) add(condition);
  auto at = std::ranges::find(epoch.schedules, path.schedule, &CoveredSchedule::schedule);
  // Inputs that end the program early can begin with any schedule (COVER 7.1.4).
  if (at == epoch.schedules.end() && may_fail && path.schedule.end == EndKind::exited &&
      path.exit_status != 0)
    at = std::ranges::find_if(epoch.schedules, [&](const CoveredSchedule& covered) {
      return is_prefix(path.schedule, covered.schedule);
    });
  if (at == epoch.schedules.end()) {
    epoch.schedules.push_back({.schedule = path.schedule});
    at = epoch.schedules.end() - 1;
  }
  at->alternatives.push_back({conditions, example});
  epoch.order.emplace_back(static_cast<uint32_t>(at - epoch.schedules.begin()),
                           static_cast<uint32_t>(at->alternatives.size() - 1));
  note_unreadable(conditions);
  epochs_[now_].not_covered.push_back(context_.logical_not(context_.logical_and(conditions)));
  for (size_t i = first_own; i < conditions.size(); i++) {
    Conditions flipped(conditions.begin(), conditions.begin() + static_cast<ptrdiff_t>(i));
    flipped.push_back(context_.logical_not(conditions[i]));
    epochs_[now_].worklist.push_back(std::move(flipped));
  }
  for (const auto& thread : path.schedule.threads)
    for (const Node& node : thread)
      cover_.places[node.instruction] = code_.text_of(
          node.kind == NodeKind::marker ? facts_->markers().find(node.instruction)->position
                                        : facts_->instruction(node.instruction)->position);
}

Result<void> Search::run_one(const Conditions& constraint, const JournalEntry* known,
                             JournalEntry& entry) {
  // Ways around code that ends the program: without its condition at all, or only where it was met.
  // Only the second kind proves that there is no way around.
  Conditions bold, cautious;
  for (int round = 0;; round++) {
    std::optional<smt::Model> model;
    if (known) {
      entry = *known;
      if (known->is_covered) return {};
      model.emplace();
      for (const auto& [name, value] : known->inputs)
        for (const Input& input : inputs_.all())
          if (input.name() == name)
            model->set(input.variable, smt::Bits(input.variable.width(), value));
    } else {
      model = uncovered_input(constraint, bold);
      if (!model && !bold.empty()) {
        bold = cautious;
        model = uncovered_input(constraint, cautious);
      }
      if (!model && !cautious.empty()) {
        entry.may_fail = true;
        model = uncovered_input(constraint, {});
      }
    }
    if (!model) {
      entry.is_covered = true;
      return {};
    }
    ProgramStart start = options_.start;
    start.state = epochs_[now_].state ? &*epochs_[now_].state : nullptr;
    start.epoch = now_;
    Interpreter interpreter(code_, *facts_, context_, inputs_, options_.limits, start, *model,
                            entry.may_fail);
    Path path = interpreter.run();
    cover_.paths++;
    cover_.steps += path.steps.size();
    if (!path.refused.empty())
      return std::unexpected(Diagnostic{path.refused, ""}.with_note(
          "schedules are enumerated only for programs of which everything that runs is modeled"));
    if (path.avoidable && !entry.may_fail && round < kMostDetours) {
      bold.push_back(context_.logical_not(path.avoidable->condition));
      Conditions way = path.avoidable->way;
      way.push_back(path.avoidable->condition);
      cautious.push_back(context_.logical_not(context_.logical_and(way)));
      continue;
    }
    if (path.avoidable && !entry.may_fail)
      add_note({NoteKind::limited, true,
                fmt::format("{} ways around code that ends the program were tried", kMostDetours),
                path.schedule.end_text});
    for (const Note& note : path.notes) add_note(note);
    const Slice slice = precondition_slice(code_, *facts_, path, interpreter.memory());
    entry.inputs = values_of(*model);
    if (needs_readings(slice)) {
      begins_again_ = true;
      return {};
    }
    for (const Slice::Opaque& opaque : slice.opaque)
      add_note({NoteKind::unmodeled, true, opaque.text, ""});
    if (path.schedule.end == EndKind::marker)
      path.schedule.end_epoch = follow(path, slice, interpreter.take_state());
    add_result(constraint, path, slice.conditions, entry.inputs, entry.may_fail);
    return {};
  }
}

}  // namespace foretell::symbolic
