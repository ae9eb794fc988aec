// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "static_analysis/subject.h"

namespace foretell::static_analysis {
namespace {

bool is_same(const AccessReport& a, const AccessReport& b) {
  return a.place == b.place && a.mode == b.mode && a.thread == b.thread;
}

template <typename T>
void add_new(std::vector<T>& all, T one, auto same) {
  if (std::ranges::none_of(all, [&](const T& other) { return same(other, one); }))
    all.push_back(std::move(one));
}

}  // namespace

std::string Findings::name_of(ThreadId thread) const {
  if (thread == kMain) return "main";
  return fmt::format("T{} ({})", number(thread), rules_.threads[thread].name);
}

AccessReport Findings::report(const llvm::Instruction& instruction, ThreadId thread) const {
  AccessReport report{.place = place_of(instruction),
                      .thread = name_of(thread),
                      .many = !rules_.threads[thread].once};
  for (const HeldLock& lock : rules_.locks.at(instruction)) {
    std::string name = rules_.locks.name_of(lock);
    if (std::ranges::find(report.locks, name) == report.locks.end())
      report.locks.push_back(std::move(name));
  }
  return report;
}

AccessReport Findings::report(const Access& access) const {
  AccessReport made = report(*access.instruction, access.thread);
  made.mode = access.mode;
  made.is_atomic = access.is_atomic;
  return made;
}

std::string Findings::why(const Conflict& conflict, const Reductions& reductions) const {
  const Access& a = rules_.accesses[conflict.first];
  const Access& b = rules_.accesses[conflict.second];
  const Reduction* one = reductions.of(*a.instruction);
  const Reduction* other = reductions.of(*b.instruction);
  if (one && other && one->operation == other->operation && !is_exact(one->operation) &&
      reductions.explains(conflict, rules_))
    return "sums and products of floating point numbers differ by rounding when their order does";
  std::string text =
      a.thread == b.thread
          ? fmt::format("several threads of kind {} run at the same time", name_of(a.thread))
          : fmt::format("{} and {} run at the same time", name_of(a.thread), name_of(b.thread));
  const bool locked = a.is_atomic && b.is_atomic;
  if (locked)
    text += "; that the accesses are atomic does not decide which is first";
  else if (are_locked(a, b, conflict.object, rules_))
    text += "; their lock does not decide which is first";
  return text;
}

void Findings::add(const std::vector<Conflict>& conflicts, const Reductions& reductions) {
  for (const Conflict& conflict : conflicts) {
    const std::string name = rules_.objects.name_of(conflict.target);
    auto known = std::ranges::find_if(reports_, [&](const NondeterminismReport& one) {
      return one.kind == Nondeterminism::memory && one.variable == name;
    });
    if (known == reports_.end()) {
      const Access& a = rules_.accesses[conflict.first];
      const Access& b = rules_.accesses[conflict.second];
      const ThreadId earlier = a.thread == kMain ? b.thread : a.thread;
      const ThreadId later = a.thread == kMain ? a.thread : b.thread;
      reports_.push_back(
          {.kind = Nondeterminism::memory,
           .variable = name,
           .accesses = {},
           .why = why(conflict, reductions),
           .remedy =
               a.thread == b.thread
                   ? "give each thread a location of its own, and combine them after the joins"
               : later == kMain ? fmt::format("join {} before main gets there", name_of(earlier))
                                : fmt::format("join {} before {} is started", name_of(earlier),
                                              name_of(later))});
      known = reports_.end() - 1;
    }
    for (AccessIndex index : {conflict.first, conflict.second})
      add_new(known->accesses, report(rules_.accesses[index]), is_same);
  }
  // Reads first: they are what differs.
  for (NondeterminismReport& one : reports_)
    std::ranges::sort(one.accesses, {}, [](const AccessReport& access) {
      return std::tuple(access.mode != AccessMode::read, access.place.line, access.place.column,
                        access.thread);
    });
}

void Findings::add(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    const bool grouped = source.kind == Nondeterminism::order;
    auto known = std::ranges::find_if(reports_, [&](const NondeterminismReport& one) {
      return grouped && one.kind == source.kind && one.variable == source.what;
    });
    NondeterminismReport made{source.kind, source.what, {}, source.why, source.remedy};
    NondeterminismReport& into = known == reports_.end() ? made : *known;
    add_new(into.accesses, report(*source.first, source.thread), is_same);
    if (source.second)
      add_new(into.accesses, report(*source.second, source.second_thread), is_same);
    if (known == reports_.end())
      add_new(reports_, std::move(made), [](const auto& a, const auto& b) {
        return a.kind == b.kind && a.variable == b.variable && a.accesses.size() == 1 &&
               b.accesses.size() == 1 && a.accesses[0].place == b.accesses[0].place;
      });
  }
}

void Findings::add_reductions(const std::vector<Conflict>& explained,
                              const Reductions& reductions) {
  for (const Conflict& conflict : explained) {
    const std::string name = rules_.objects.name_of(conflict.target);
    auto known = std::ranges::find(reductions_, name, &ReductionReport::variable);
    if (known == reductions_.end()) {
      const Reduction* one = reductions.of(*rules_.accesses[conflict.first].instruction);
      reductions_.push_back({name, static_analysis::name_of(one->operation), {}});
      known = reductions_.end() - 1;
    }
    for (AccessIndex index : {conflict.first, conflict.second})
      add_new(known->places, place_of(*rules_.accesses[index].instruction), std::equal_to<>());
  }
}

void Findings::write_to(DeterminismResult& result) const {
  result.reports = reports_;
  result.reductions = reductions_;
}

}  // namespace foretell::static_analysis
