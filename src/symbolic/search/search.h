// SPDX-License-Identifier: Apache-2.0

// SearchInEpoch (COVER figure 5): enumerates a set of schedules that covers all inputs.
//
// Take an input that no constraint covers yet, run it, slice the run: the conditions of the slice
// are a constraint under which this schedule can be followed. Then each condition in turn is
// negated, under those before it, and what is not covered already is tried the same way. When
// nothing is left the constraints cover everything.
//
// Where paths end at markers, epochs begin (COVER figure 4). The state of each covers all ends that lead
// to it (epochs/join.h); when a new end makes it weaker the epoch is enumerated again.
//
// Solvers answer by steps, not by time, and models are canonical and small where possible, so the
// same program gives the same set on every machine. What was tried is journaled (the inputs of each
// run), so a search that was cut short goes on without asking the solver again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/code.h"
#include "smt/expr_context.h"
#include "smt/solver_chain.h"
#include "symbolic/executor/interpreter.h"
#include "symbolic/schedules/cover.h"
#include "symbolic/slicing/precondition_slice.h"

namespace foretell::symbolic {

struct SearchOptions {
  ExecutionLimits limits;
  ProgramStart start;
  bool has_epochs = true;  // or one for the whole program
  uint64_t most_epochs = 1'000;
  uint64_t most_schedules = 100'000;
  std::string log_directory;
  // Asked before each run; a reason to stop, or nothing.
  std::function<std::string()> stop;
  std::function<void(const Cover& cover, size_t open)> progress;
};

// One run of a search: what it was begun with. Enough to do it again.
struct JournalEntry {
  std::map<std::string, uint64_t> inputs;
  bool may_fail = false;
  bool is_covered = false;  // nothing was left to run
};

class Search {
 public:
  Search(const program::Code& code, smt::ExprContext& context, SearchOptions options);

  // `done` are entries of an earlier search, in their order. Each new one is given to `journal`.
  Result<Cover> run(const std::vector<JournalEntry>& done,
                    const std::function<Result<void>(const JournalEntry&)>& journal);
  std::string statistics_text() const { return solver_->statistics_text(); }

 private:
  using Conditions = std::vector<smt::Expr>;

  struct Epoch {
    std::string key;
    std::optional<ProgramState> state;  // not of the first, which begins with main
    EpochCover cover;
    bool is_open = true;    // to be enumerated, or enumerated again
    bool restarts = false;  // from the beginning: its state has grown
    uint32_t rounds = 0;
    std::vector<smt::Expr> not_covered;  // by each alternative found so far
    std::vector<Conditions> worklist;
    size_t next = 0;
  };

  // True if there is more to do.
  Result<bool> step_epoch(uint32_t number);
  std::string reason_to_stop() const;
  Cover gathered() const;
  size_t left_to_try() const;
  // Where a path ends at markers: the epoch that begins there, with a state that covers it.
  // Whether a decision that no term expresses can be read at a point that was not known.
  bool needs_readings(const Slice& slice);
  void begin();
  uint32_t follow(Path& path, const Slice& slice, ProgramState end);
  void note_unreadable(const Conditions& conditions);

  // An input under `constraint` that nothing covers; nothing if there is none.
  std::optional<smt::Model> uncovered_input(const Conditions& constraint, const Conditions& more);
  smt::Outcome ask(const std::string& purpose, Conditions conditions);
  void make_small(const Conditions& conditions, smt::Model& model);
  Result<void> run_one(const Conditions& constraint, const JournalEntry* known,
                       JournalEntry& entry);
  void add_result(const Conditions& constraint, const Path& path, const Conditions& slice,
                  const std::map<std::string, uint64_t>& example, bool may_fail);
  void add_note(Note note);
  std::map<std::string, uint64_t> values_of(const smt::Model& model) const;

  const program::Code& code_;
  std::unique_ptr<ControlFacts> facts_;
  std::set<uint32_t> readings_;  // that paths have turned out to need
  bool begins_again_ = false;
  smt::ExprContext& context_;
  SearchOptions options_;
  std::unique_ptr<smt::SolverChain> solver_;
  Inputs inputs_;
  Conditions known_;
  std::vector<Epoch> epochs_;
  uint32_t now_ = 0;  // the epoch that is enumerated
  const std::vector<JournalEntry>* done_ = nullptr;
  size_t entries_ = 0;
  std::function<Result<void>(const JournalEntry&)> journal_;
  Cover cover_;
};

}  // namespace foretell::symbolic
