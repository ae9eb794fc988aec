// SPDX-License-Identifier: Apache-2.0

// Search (COVER figure 4): every epoch that may be reached.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/epochs/join.h"
#include "symbolic/epochs/stability.h"
#include "symbolic/search/search.h"

namespace foretell::symbolic {
namespace {

// Z3's steps for one query.
constexpr smt::StepLimit kQuerySteps{20'000'000};
// How often an epoch is enumerated again because its state grew.
constexpr uint32_t kMostRounds = 200;

}  // namespace

void Search::note_unreadable(const Conditions& conditions) {
  for (const smt::Expr& condition : conditions)
    smt::visit_unknown(
        condition, [](smt::Expr) { return false; },
        [&](smt::Expr part) {
          if (part.kind() != smt::ExprKind::variable) return;
          const Input* input = inputs_.input_of(part);
          if (input && input->kind == InputKind::state && !input->access)
            add_note({NoteKind::unmodeled, true,
                      fmt::format("what decides the schedule cannot be read at run time: {}",
                                  input->name()),
                      ""});
        });
}

uint32_t Search::follow(Path& path, const Slice& slice, ProgramState end) {
  end.synchronization.begin_epoch();
  const std::string key = epoch_key(code_, end);
  uint32_t number_of = 0;
  while (number_of < epochs_.size() && (number_of == 0 || epochs_[number_of].key != key))
    number_of++;
  if (number_of == epochs_.size())
    epochs_.push_back({.key = key, .cover = {.name = epoch_name(code_, end)}});
  Epoch& epoch = epochs_[number_of];
  const Stability stability(code_, *facts_, path, slice.taken, end.memory);
  Joined joined = join_states(code_, facts_->markers(), context_, inputs_, number_of,
                              epoch.state ? &*epoch.state : nullptr, end, stability);
  if (joined.failed)
    add_note({NoteKind::limited, true,
              "an epoch begins with different objects that are locked or waited for",
              epoch.cover.name});
  if (!joined.changed) return number_of;
  epoch.state = std::move(joined.state);
  inputs_.set_objects(number_of, std::move(joined.places));
  epoch.is_open = true;
  if (number_of == now_)
    epoch.restarts = true;
  else
    epoch.worklist.clear();
  return number_of;
}

std::string Search::reason_to_stop() const {
  const std::string reason = options_.stop ? options_.stop() : "";
  if (!reason.empty()) return reason;
  size_t schedules = 0;
  for (const Epoch& epoch : epochs_) schedules += epoch.cover.schedules.size();
  if (schedules >= options_.most_schedules)
    return fmt::format("--max-schedules={}", options_.most_schedules);
  if (epochs_.size() > options_.most_epochs)
    return fmt::format("--max-epochs={}", options_.most_epochs);
  return "";
}

Result<bool> Search::step_epoch(uint32_t number_of) {
  now_ = number_of;
  if (epochs_[now_].worklist.empty()) {
    Epoch& epoch = epochs_[now_];
    if (++epoch.rounds > kMostRounds) {
      add_note({NoteKind::limited, true, "the state of an epoch kept growing", epoch.cover.name});
      epoch.is_open = false;
      return false;
    }
    epoch.cover = {.name = epoch.cover.name};
    epoch.not_covered.clear();
    epoch.worklist.push_back({});
    epoch.next = 0;
  }
  const Conditions constraint = epochs_[now_].worklist[epochs_[now_].next];
  JournalEntry entry;
  const JournalEntry* known = entries_ < done_->size() ? &(*done_)[entries_] : nullptr;
  if (auto ran = run_one(constraint, known, entry); !ran) return std::unexpected(ran.error());
  if (!known)
    if (auto kept = journal_(entry); !kept) return std::unexpected(kept.error());
  entries_++;
  if (begins_again_) {
    begins_again_ = false;
    begin();
    return true;
  }
  Epoch& epoch = epochs_[now_];
  // Its own end made its state weaker: what was found so far is for fewer inputs.
  if (epoch.restarts) {
    epoch.restarts = false;
    epoch.worklist.clear();
    return true;
  }
  if (++epoch.next < epoch.worklist.size()) return true;
  epoch.worklist.clear();
  epoch.is_open = false;
  return false;
}

Result<Cover> Search::run(const std::vector<JournalEntry>& done,
                          const std::function<Result<void>(const JournalEntry&)>& journal) {
  smt::ChainOptions chain{
      .log_directory = options_.log_directory, .z3 = smt::Z3Use::incremental, .limit = kQuerySteps};
  FORETELL_TRY(solver, smt::SolverChain::create(std::move(chain)));
  solver_ = std::move(solver);
  done_ = &done;
  journal_ = journal;
  for (;;) {
    const auto open = std::ranges::find_if(epochs_, &Epoch::is_open);
    if (open == epochs_.end()) break;
    cover_.stopped_by = reason_to_stop();
    if (!cover_.stopped_by.empty()) break;
    if (options_.progress) options_.progress(gathered(), left_to_try());
    if (auto more = step_epoch(static_cast<uint32_t>(open - epochs_.begin())); !more)
      return std::unexpected(more.error());
  }
  Cover cover = gathered();
  cover.is_complete = cover.stopped_by.empty() && !cover.has_open_notes();
  return cover;
}

Cover Search::gathered() const {
  Cover cover = cover_;
  for (const Epoch& epoch : epochs_) cover.epochs.push_back(epoch.cover);
  cover.inputs = inputs_.all();
  return cover;
}

size_t Search::left_to_try() const {
  size_t count = 0;
  for (const Epoch& epoch : epochs_)
    if (epoch.is_open) count += std::max<size_t>(1, epoch.worklist.size() - epoch.next);
  return count;
}

}  // namespace foretell::symbolic
