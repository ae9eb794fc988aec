// SPDX-License-Identifier: Apache-2.0

#include "judge/smt_search.h"

#include <map>
#include <vector>

#include "smt/order_solver.h"

namespace foretell::judge {
namespace {

using Literal = smt::OrderSolver::Literal;

class Encoding {
 public:
  Encoding(const TraceFacts& facts, const Goal& goal, const Needs& needs, const Window& window)
      : facts_(facts), goal_(goal), window_(window), solver_(window.size()) {
    for (size_t t = 0; t < facts.thread_count(); ++t) {
      first_item_.push_back(events_.size());
      for (uint32_t s = window.begins[t]; s < window.limits[t]; ++s) {
        events_.push_back(facts.events_of[t][s]);
      }
    }
    gather();
    for (Position p : events_) add_event(p);
    for (const auto& [lock, sections] : sections_) add_exclusion(sections);
    add_goal(needs);
  }

  SearchResult solve(uint32_t effort) {
    if (contradiction_) return {SearchOutcome::exhausted};
    switch (solver_.solve(effort)) {
      case smt::SolverOutcome::gave_up:
        return {SearchOutcome::budget_spent};
      case smt::SolverOutcome::unsolvable:
        return {SearchOutcome::exhausted};
      case smt::SolverOutcome::solved:
        break;
    }
    SearchResult result{SearchOutcome::found};
    for (smt::OrderSolver::Item item : solver_.order()) result.order.push_back(events_[item]);
    return result;
  }

 private:
  struct Section {
    Position begin, end;  // no end: kNoPosition
  };

  bool is_recorded(Position p) const { return p < window_.from; }
  bool is_in_window(Position p) const {
    return !is_recorded(p) && facts_.step[p] < window_.limits[facts_.thread_index(p)];
  }
  smt::OrderSolver::Item item(Position p) const {
    const size_t t = facts_.thread_index(p);
    return static_cast<smt::OrderSolver::Item>(first_item_[t] + facts_.step[p] - window_.begins[t]);
  }

  // One clause. What is decided by the window itself (recorded events have happened, in their
  // order, before all others; events beyond it never happen) is not left to the solver.
  class Clause {
   public:
    explicit Clause(Encoding& encoding) : encoding_(encoding) {}
    ~Clause() {
      if (holds_) return;
      if (literals_.empty()) encoding_.contradiction_ = true;
      encoding_.solver_.require_one_of(literals_);
    }
    Clause(const Clause&) = delete;
    Clause& operator=(const Clause&) = delete;

    Clause& happens(Position p) {
      if (encoding_.is_recorded(p)) holds_ = true;
      if (encoding_.is_in_window(p)) literals_.push_back(Literal::chosen(encoding_.item(p)));
      return *this;
    }
    Clause& absent(Position p) {
      if (encoding_.is_in_window(p)) {
        literals_.push_back(Literal::not_chosen(encoding_.item(p)));
      } else if (!encoding_.is_recorded(p)) {
        holds_ = true;
      }
      return *this;
    }
    // Of events that happen.
    Clause& before(Position p, Position q) {
      if (encoding_.is_recorded(p)) {
        if (!encoding_.is_recorded(q) || p < q) holds_ = true;
      } else if (encoding_.is_in_window(p) && encoding_.is_in_window(q)) {
        literals_.push_back(Literal::before(encoding_.item(p), encoding_.item(q)));
      }
      return *this;
    }
    Clause& either(Literal literal) {
      literals_.push_back(literal);
      return *this;
    }

   private:
    Encoding& encoding_;
    std::vector<Literal> literals_;
    bool holds_ = false;
  };
  Clause clause() { return Clause(*this); }

  // What the clauses of one event ask about the others.
  void gather() {
    for (Position p : events_) {
      const trace::Event& e = facts_.event(p);
      if (is_write(e.kind)) writes_[e.location()].push_back(p);
      if (begins_section(e.kind)) sections_[e.lock()].push_back({p, facts_.match[p]});
      if (e.kind == trace::EventKind::WaitBegin) waits_[e.condition()].push_back(p);
    }
    if (window_.from == 0) return;
    for (size_t t = 0; t < facts_.thread_count(); ++t) {
      const uint32_t done = window_.begins[t];
      for (Position begin : facts_.locks.open_sections(t, done)) {
        sections_[facts_.event(begin).lock()].push_back({begin, facts_.match[begin]});
      }
      if (done == 0) continue;
      const Position last = facts_.events_of[t][done - 1];
      const trace::Event& e = facts_.event(last);
      if (e.kind == trace::EventKind::WaitBegin && facts_.waited_unnotified(last, window_.from)) {
        waits_[e.condition()].push_back(last);
      }
    }
  }

  void add_event(Position p) {
    const trace::Event& e = facts_.event(p);
    const std::vector<Position>& mine = facts_.events_of[to_index(e.thread)];
    if (facts_.step[p] > 0) {
      const Position previous = mine[facts_.step[p] - 1];
      clause().absent(p).happens(previous);
      clause().before(previous, p);
    }
    facts_.for_each_need(p, [&](Position needed) {
      clause().absent(p).happens(needed);
      clause().absent(p).before(needed, p);
    });
    if (is_access(e.kind)) add_access(p, e);
    if (e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared)
      add_try(p, e);
    if (e.kind == trace::EventKind::WaitEnd && facts_.partner[p] != kNoPosition) {
      clause().absent(p).before(facts_.wait_of(p), facts_.partner[p]);
    }
    if (e.kind == trace::EventKind::NotifyOne) add_notify(p, e);
    if (e.kind == trace::EventKind::NotifyAll) add_notify_all(p, e);
  }

  void add_access(Position p, const trace::Event& e) {
    if (e.is_ambiguous()) clause().absent(p);
    if (is_read(e.kind) && !e.is_ambiguous()) {
      const Position writer = facts_.partner[p];
      const Position recorded = facts_.last_write_before(e.location(), window_.from);
      const bool lost = writer == kNoPosition || is_recorded(writer);
      if (lost && recorded != writer) clause().absent(p);
      for (Position other : writes_[e.location()]) {
        if (other == p || other == writer) continue;
        Clause keeps(*this);
        keeps.absent(p).absent(other).before(p, other);
        if (writer != kNoPosition) keeps.before(other, writer);
      }
    }
    auto frees = facts_.frees_of.find(e.location());
    if (frees == facts_.frees_of.end()) return;
    for (size_t i = facts_.frees_before[p]; i < frees->second.size(); ++i) {
      const Position free = frees->second[i];
      if (free != p) clause().absent(p).absent(free).before(p, free);
    }
  }

  void add_exclusion(const std::vector<Section>& sections) {
    for (size_t i = 0; i < sections.size(); ++i) {
      for (size_t j = i + 1; j < sections.size(); ++j) {
        const Section &a = sections[i], &b = sections[j];
        const trace::Event &first = facts_.event(a.begin), &second = facts_.event(b.begin);
        if (first.thread == second.thread || !excludes(first.kind, second.kind)) continue;
        const Literal a_first = ends_before(a, b), b_first = ends_before(b, a);
        clause().absent(a.begin).absent(b.begin).either(a_first).either(b_first);
      }
    }
  }

  // True only if `a` ends before `b` begins.
  Literal ends_before(const Section& a, const Section& b) {
    const Literal literal = solver_.fresh();
    if (a.end == kNoPosition) {
      clause().either(!literal);
    } else {
      clause().either(!literal).happens(a.end);
      clause().either(!literal).before(a.end, b.begin);
    }
    return literal;
  }

  void add_try(Position p, const trace::Event& e) {
    Clause somebody(*this);
    somebody.absent(p);
    for (const Section& section : sections_[e.lock()]) {
      if (e.kind == trace::EventKind::TryFailShared &&
          !begins_exclusive(facts_.event(section.begin).kind)) {
        continue;
      }
      const Literal holds = solver_.fresh();
      clause().either(!holds).happens(section.begin);
      clause().either(!holds).before(section.begin, p);
      if (section.end != kNoPosition) {
        clause().either(!holds).absent(section.end).before(p, section.end);
      }
      somebody.either(holds);
    }
  }

  // What ends a wait's being un-notified: its notify, or a wake that needs none. Nothing if neither
  // is in the trace.
  Position ends_unnotified(Position wait) const {
    const Position wake = facts_.wake_of(wait);
    if (wake == kNoPosition) return kNoPosition;
    return facts_.partner[wake] == kNoPosition ? wake : facts_.partner[wake];
  }

  // True only if `wait` is under way and un-notified when `notify` happens.
  Literal finds(Position notify, Position wait) {
    const Literal literal = solver_.fresh();
    clause().either(!literal).happens(wait);
    clause().either(!literal).before(wait, notify);
    const Position end = ends_unnotified(wait);
    if (end != kNoPosition && end != notify) {
      clause().either(!literal).absent(end).before(end, wait).before(notify, end);
    }
    return literal;
  }

  // True only if it is not.
  Literal misses(Position notify, Position wait) {
    const Literal literal = solver_.fresh();
    Clause missed(*this);
    missed.either(!literal).absent(wait).before(notify, wait);
    const Position end = ends_unnotified(wait);
    if (end != kNoPosition && end != notify) {
      const Literal ended = solver_.fresh();
      clause().either(!ended).happens(end);
      clause().either(!ended).before(wait, end);
      clause().either(!ended).before(end, notify);
      missed.either(ended);
    }
    return literal;
  }

  void add_notify(Position p, const trace::Event& e) {
    const Position served = facts_.partner[p];
    if (served == kNoPosition && facts_.found_waiter.contains(p)) return;
    const Literal nobody = solver_.fresh();
    for (Position wait : waits_[e.condition()]) {
      clause().either(!nobody).either(misses(p, wait));
    }
    Clause allowed(*this);
    allowed.absent(p).either(nobody);
    if (served != kNoPosition) allowed.either(finds(p, facts_.wait_of(served)));
  }

  void add_notify_all(Position p, const trace::Event& e) {
    for (Position wait : waits_[e.condition()]) {
      if (facts_.wake_of(wait) == kNoPosition || facts_.waited_unnotified(wait, p)) continue;
      clause().absent(p).either(misses(p, wait));
    }
  }

  void add_goal(const Needs& needs) {
    for (size_t t = 0; t < facts_.thread_count(); ++t) {
      const uint32_t limit = needs.limits()[t];
      if (limit > 0) clause().happens(facts_.events_of[t][limit - 1]);
    }
    if (needs.forbidden_free() != kNoPosition) clause().absent(needs.forbidden_free());
    for (auto [before, after] : orders_of(facts_, goal_)) clause().before(before, after);
    if (goal_.kind == GoalKind::meeting) {
      for (Position acquire : goal_.events) add_free_lock(facts_.event(acquire));
    }
    if (!goal_.stops_at_read()) return;
    const LocationId location = facts_.event(goal_.events.back()).location();
    const Position recorded = facts_.last_write_before(location, window_.from);
    const bool lost = goal_.writer == kNoPosition || is_recorded(goal_.writer);
    if (lost && recorded != goal_.writer) contradiction_ = true;
    for (Position other : writes_[location]) {
      if (other == goal_.writer) continue;
      Clause last(*this);
      last.absent(other);
      if (goal_.writer != kNoPosition) last.before(other, goal_.writer);
    }
  }

  // At the end nobody is in a section that excludes the one `acquire` would begin.
  void add_free_lock(const trace::Event& acquire) {
    for (const Section& section : sections_[acquire.lock()]) {
      const trace::Event& begin = facts_.event(section.begin);
      if (begin.thread == acquire.thread || !excludes(begin.kind, acquire.kind)) continue;
      Clause over(*this);
      over.absent(section.begin);
      if (section.end != kNoPosition) over.happens(section.end);
    }
  }

  const TraceFacts& facts_;
  const Goal& goal_;
  const Window& window_;
  smt::OrderSolver solver_;
  bool contradiction_ = false;
  std::vector<size_t> first_item_;  // by thread
  std::vector<Position> events_;    // by item
  // In order, so that the solver sees the same question each time.
  std::map<LocationId, std::vector<Position>> writes_;
  std::map<LockId, std::vector<Section>> sections_;
  std::map<ConditionId, std::vector<Position>> waits_;
};

}  // namespace

SearchResult smt_search(const TraceFacts& facts, const Goal& goal, const Needs& needs,
                        const Window& window, uint32_t effort) {
  return Encoding(facts, goal, needs, window).solve(effort);
}

}  // namespace foretell::judge
