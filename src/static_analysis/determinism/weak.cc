// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/weak.h"

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "static_analysis/determinism/variables.h"
#include "static_analysis/interpreter/interpreter.h"

namespace foretell::static_analysis {
namespace {

using domain::Observation;
using interpreter::Interpreter;
using interpreter::PlaceId;
using llvm::dyn_cast;
using memory::JoinedValue;
using memory::ThreadValues;

// The block of all that a cell may hold; nothing if there may be two. Level 1 asks each thread's
// values, level 2 has only all of them together.
std::optional<int64_t> block_of(const ThreadValues<interpreter::Value>& cell,
                                const Observation& observation) {
  std::optional<int64_t> block;
  for (const auto& [writer, value] : cell.values()) {
    if (value.is_nothing()) continue;
    const auto one = value.block_in(observation);
    if (!one || (block && *block != *one)) return {};
    block = one;
  }
  return block;
}

std::optional<int64_t> block_of(const JoinedValue<interpreter::Value>& cell,
                                const Observation& observation) {
  return cell.read() ? cell.read()->block_in(observation) : std::nullopt;
}

// Definition 3: equal abstract values.
bool are_equal(const ThreadValues<interpreter::Value>& cell, const Observation& observation) {
  const auto& values = cell.values();
  return std::ranges::all_of(values, [&](const auto& entry) {
    const interpreter::Value& first = values.begin()->second;
    if (observation.kind() == Observation::Kind::constant) return entry.second == first;
    return entry.second.block_in(observation) == first.block_in(observation);
  });
}

bool are_equal(const JoinedValue<interpreter::Value>& cell, const Observation& observation) {
  return cell.writers().size() < 2 || block_of(cell, observation).has_value();
}

std::string text_of(const ThreadValues<interpreter::Value>& cell, const PairRules& rules) {
  std::string text;
  for (const auto& [writer, value] : cell.values()) {
    const auto index = static_cast<uint32_t>(writer);
    const std::string name =
        writer == memory::kSystem ? "the beginning"
        : index == 1              ? "main"
                                  : fmt::format("T{} ({})", index - 1,
                                                rules.threads[static_cast<ThreadId>(index - 1)].name);
    text += fmt::format("{}{} from {}", text.empty() ? "" : ", ", value.text(), name);
  }
  return text;
}

std::string text_of(const JoinedValue<interpreter::Value>& cell, const PairRules&) {
  return fmt::format("{} from {} writers", cell.read() ? cell.read()->text() : "nothing",
                     cell.writers().size());
}

// What the user is interested in.
class Scope {
 public:
  Scope(const PairRules& rules, const interpreter::Places& places,
        const DeterminismOptions& options)
      : rules_(rules), places_(places), options_(options) {}

  std::string name_of(PlaceId place) const {
    return variable_name(places_[place].target, rules_.points_to, rules_.objects);
  }
  bool has(PlaceId place) const {
    if (options_.variables.empty()) return !places_[place].is_confined;
    const std::string name = name_of(place);
    return std::ranges::any_of(options_.variables,
                               [&](const std::string& one) { return is_part_of(name, one); });
  }
  bool has(ThreadId thread) const {
    const std::string& name = rules_.threads[thread].name;
    return options_.threads.empty() || llvm::is_contained(options_.threads, name) ||
           llvm::is_contained(options_.threads, fmt::format("T{}", number(thread)));
  }
  bool has_state(const char* state) const {
    return options_.states.empty() || llvm::is_contained(options_.states, state);
  }
  bool has_outputs() const { return options_.variables.empty(); }

  // What was named and is not there.
  Result<void> check() const {
    for (const std::string& variable : options_.variables) {
      bool found = false;
      for (size_t i = 0; i < places_.size() && !found; i++)
        found = is_part_of(name_of(PlaceId(i)), variable);
      if (!found) return fail("no variable '{}' is accessed by this program", variable);
    }
    for (const std::string& name : options_.threads) {
      bool found = false;
      for (size_t i = 0; i < rules_.threads.size() && !found; i++)
        found = rules_.threads[ThreadId(i)].name == name || name == fmt::format("T{}", i);
      if (!found) return fail("there is no thread '{}' in this program", name);
    }
    return {};
  }

 private:
  const PairRules& rules_;
  const interpreter::Places& places_;
  const DeterminismOptions& options_;
};

template <typename Cell>
class Judge {
 public:
  Judge(const PairRules& rules, const interpreter::Places& places,
        const Interpreter<Cell>& interpreted, const Scope& scope, const Observation& observation)
      : rules_(rules),
        places_(places),
        interpreted_(interpreted),
        scope_(scope),
        observation_(observation) {}

  std::vector<NondeterminismReport> judge(const Tags& tags, const std::vector<Source>& sources) {
    if (scope_.has_state("reads")) judge_reads(tags);
    if (scope_.has_state("final") && scope_.has(kMain)) judge_final(tags);
    if (scope_.has_outputs()) judge_outputs(tags);
    for (const Source& source : sources)
      if (source.kind == Nondeterminism::exit ||
          (source.kind == Nondeterminism::order && scope_.has_outputs()))
        add(source.kind, source.what, source.first, source.thread, source.why, source.remedy);
    return std::move(reports_);
  }

  std::vector<NondeterminismReport> judge_as_in_paper(bool is_weak) {
    const auto differs = [&](const Cell& cell) {
      return cell.writers().size() > 1 && !(is_weak && are_equal(cell, observation_));
    };
    if (scope_.has_state("reads"))
      for (const auto& read : interpreted_.reads())
        if (scope_.has(read.place) && scope_.has(read.thread) && differs(read.seen))
          add_place(read.place, read.instruction, read.thread,
                    fmt::format("it may read {}", text_of(read.seen, rules_)));
    if (scope_.has_state("final") && scope_.has(kMain))
      for (const auto& [place, cell] : interpreted_.final_memory())
        if (scope_.has(place) && differs(cell))
          add_place(place, nullptr, kMain,
                    fmt::format("in the end it may hold {}", text_of(cell, rules_)));
    return std::move(reports_);
  }

 private:
  void judge_reads(const Tags& tags) {
    for (const auto& read : interpreted_.reads())
      if (tags.is_tagged(read.place) && scope_.has(read.place) && scope_.has(read.thread) &&
          !block_of(read.seen, observation_))
        add_place(read.place, read.instruction, read.thread,
                  fmt::format("it may read {}", text_of(read.seen, rules_)));
  }

  void judge_final(const Tags& tags) {
    for (size_t i = 0; i < places_.size(); i++) {
      const auto place = static_cast<PlaceId>(i);
      if (!tags.is_tagged(place) || !scope_.has(place)) continue;
      const auto found = interpreted_.final_memory().find(place);
      if (found == interpreted_.final_memory().end())
        add_place(place, nullptr, kMain, "its values are not followed");
      else if (!block_of(found->second, observation_))
        add_place(place, nullptr, kMain,
                  fmt::format("in the end it may hold {}", text_of(found->second, rules_)));
    }
  }

  // What is written out, and what main returns.
  void judge_outputs(const Tags& tags) {
    for (size_t i = 0; i < rules_.threads.size(); i++) {
      const auto thread = static_cast<ThreadId>(i);
      for (const llvm::Function* function : rules_.threads[thread].functions)
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
          if (const auto* call = dyn_cast<llvm::CallBase>(&instruction))
            judge_output(*call, thread, tags);
          const auto* result = dyn_cast<llvm::ReturnInst>(&instruction);
          if (result && thread == kMain && function == rules_.threads[kMain].root &&
              result->getReturnValue() && tags.is_tagged(*result))
            judge_value(*result->getReturnValue(), instruction, thread, "what main returns", tags);
        }
    }
  }

  void judge_output(const llvm::CallBase& call, ThreadId thread, const Tags& tags) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return;
    const std::string name = callee->getName().str();
    const bool ends = name == "exit" || name == "_exit" || name == "_Exit" ||
                      name == "quick_exit" || name == "abort" || name == "__assert_fail";
    const bitcode::External& external = rules_.points_to.externals().of(name);
    if (!ends && (external.synchronizes || !external.has_state)) return;
    if (!ends && external.effect == bitcode::Effect::allocates) return;
    const std::string what = fmt::format("what '{}' is given", name);
    if (tags.is_conditional(call))
      return add(Nondeterminism::order, fmt::format("whether '{}' is called", name), &call, thread,
                 "a condition that depends on the schedule decides it", "");
    for (const llvm::Use& argument : call.args())
      if (tags.is_tagged(*argument.get())) judge_value(*argument.get(), call, thread, what, tags);
    for (const PlaceId place : places_.touched_by(call).reads)
      if (tags.is_tagged(place))
        add(Nondeterminism::order, what, &call, thread,
            fmt::format("it is given '{}', which may depend on the schedule",
                        scope_.name_of(place)),
            "");
  }

  void judge_value(const llvm::Value& value, const llvm::Instruction& at, ThreadId thread,
                   const std::string& what, const Tags& tags) {
    const interpreter::Value known = interpreted_.value_of(value, thread);
    if (!tags.is_conditional(at) && known.block_in(observation_)) return;
    add(Nondeterminism::result, what, &at, thread, fmt::format("it may be {}", known.text()), "");
  }

  void add_place(PlaceId place, const llvm::Instruction* at, ThreadId thread, std::string why) {
    // The end is where main returns.
    for (const llvm::BasicBlock& block : *rules_.threads[kMain].root)
      if (!at && llvm::isa<llvm::ReturnInst>(block.getTerminator())) at = block.getTerminator();
    add(Nondeterminism::memory, scope_.name_of(place), at, thread, std::move(why), "");
  }

  void add(Nondeterminism kind, std::string what, const llvm::Instruction* at, ThreadId thread,
           std::string why, std::string remedy) {
    auto known = std::ranges::find_if(reports_, [&](const NondeterminismReport& one) {
      return one.kind == kind && one.variable == what;
    });
    if (known == reports_.end())
      known = reports_.insert(reports_.end(), {kind, what, {}, std::move(why), std::move(remedy)});
    if (!at) return;
    AccessReport access = Findings(rules_).report(*at, thread);
    const bool is_new = std::ranges::none_of(known->accesses, [&](const AccessReport& one) {
      return one.place == access.place && one.thread == access.thread;
    });
    if (is_new) known->accesses.push_back(std::move(access));
  }

  const PairRules& rules_;
  const interpreter::Places& places_;
  const Interpreter<Cell>& interpreted_;
  const Scope& scope_;
  const Observation& observation_;
  std::vector<NondeterminismReport> reports_;
};

NondeterminismReport too_large() {
  return {Nondeterminism::memory,
          "the program as a whole",
          {},
          "it is too large for its values to be followed",
          ""};
}

template <typename Cell, typename F>
std::vector<NondeterminismReport> with_level(const PairRules& rules,
                                             const interpreter::Places& places, const Scope& scope,
                                             const Observation& observation, F judge) {
  const Interpreter<Cell> interpreted(rules, places);
  if (interpreted.gave_up()) return {too_large()};
  return judge(Judge<Cell>(rules, places, interpreted, scope, observation));
}

template <typename F>
Result<WeakAnswer> at_level(const PairRules& rules, const interpreter::Places& places,
                            const DeterminismOptions& options, F judge) {
  const Scope scope(rules, places, options);
  if (auto known = scope.check(); !known) return std::unexpected(std::move(known).error());
  FORETELL_TRY(observation, Observation::parse(options.weak.empty() ? "constant" : options.weak));
  if (options.level == 2)
    return WeakAnswer{
        with_level<JoinedValue<interpreter::Value>>(rules, places, scope, observation, judge)};
  return WeakAnswer{
      with_level<ThreadValues<interpreter::Value>>(rules, places, scope, observation, judge)};
}

}  // namespace

Result<WeakAnswer> check_weakly(const PairRules& rules, const std::vector<Conflict>& conflicts,
                                const std::vector<Source>& sources,
                                const DeterminismOptions& options) {
  const interpreter::Places places(rules);
  const Tags tags(rules, places, conflicts, sources);
  return at_level(rules, places, options, [&](auto&& judge) { return judge.judge(tags, sources); });
}

Result<WeakAnswer> check_as_in_paper(const PairRules& rules, const DeterminismOptions& options) {
  const interpreter::Places places(rules);
  return at_level(rules, places, options,
                  [&](auto&& judge) { return judge.judge_as_in_paper(!options.weak.empty()); });
}

}  // namespace foretell::static_analysis
