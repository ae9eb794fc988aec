// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/parallel.h"
#include "judge/excerpt.h"
#include "pipeline/judging.h"

namespace foretell::pipeline {
namespace {

// How far apart the events usually are that the judge has to swap (judge/judge.cc).
constexpr uint64_t kEventsBefore = 8192;
// Stretches that are closer than this become one.
constexpr uint64_t kGap = 8192;

struct Question {
  Ruling* ruling;
  const finding::Proposal* candidate;
  EventIndex first, last;  // of the events it is about
};

struct QuestionedStretch {
  judge::Stretch stretch;
  std::vector<Question> questions;
};

bool is_over_locks(const finding::Proposal& proposal) {
  return proposal.events.size() > 1 &&
         std::ranges::all_of(proposal.events, [](const finding::EventRef& e) {
           return e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared;
         });
}

// Whether the events around it tell enough (judge/excerpt.h).
bool can_be_decided_by_excerpt(const finding::Proposal& proposal) {
  switch (proposal.kind) {
    case finding::FindingKind::race:
    case finding::FindingKind::memory:
    case finding::FindingKind::atomicity:
      return true;
    case finding::FindingKind::deadlock:
      return is_over_locks(proposal);
    case finding::FindingKind::nondeterminism:
      return proposal.events.size() > 1;  // else about the initial value
    case finding::FindingKind::property:
    case finding::FindingKind::misuse:
      break;
  }
  return false;
}

Question question_of(Ruling& ruling, const finding::Proposal& candidate) {
  Question question{&ruling, &candidate, kNoEvent, EventIndex{}};
  auto include = [&](const finding::EventRef& e) {
    question.first = std::min(question.first, e.index);
    question.last = std::max(question.last, e.index);
  };
  std::ranges::for_each(candidate.events, include);
  std::ranges::for_each(candidate.meeting, include);
  return question;
}

// What cannot be asked is settled.
std::vector<Question> questions_about(std::vector<Ruling>& rulings, uint64_t farthest) {
  std::vector<Question> questions;
  for (Ruling& ruling : rulings) {
    if (!ruling.is_judged()) continue;
    for (const finding::Proposal& candidate : ruling.group->candidates) {
      const Question question = question_of(ruling, candidate);
      if (!can_be_decided_by_excerpt(candidate)) {
        ruling.settle(candidate, judge::JudgeOutcome::gave_up,
                      "the trace is too long to be judged as a whole");
      } else if (to_index(question.last) - to_index(question.first) > farthest) {
        ruling.settle(candidate, judge::JudgeOutcome::gave_up,
                      fmt::format("more than {} events lie between the first and the last event "
                                  "of it, too many to be judged",
                                  farthest));
      } else {
        questions.push_back(question);
      }
    }
  }
  std::ranges::sort(questions, {}, [](const Question& q) { return std::pair(q.first, q.last); });
  return questions;
}

// A stretch is at most twice as long as the longest question. So at least half of it is new, and all
// stretches together have no more than a few times as many events as the trace.
std::vector<QuestionedStretch> stretches_of(const std::vector<Question>& questions,
                                            uint64_t farthest) {
  const uint64_t longest = 2 * farthest;
  std::vector<QuestionedStretch> stretches;
  for (const Question& question : questions) {
    const uint64_t first = to_index(question.first), last = to_index(question.last);
    if (!stretches.empty()) {
      QuestionedStretch& before = stretches.back();
      const uint64_t from = to_index(before.stretch.from), end = to_index(before.stretch.last);
      if (first <= end + kGap && std::max(last, end) - from < longest) {
        before.stretch.last = EventIndex{std::max(last, end)};
        before.questions.push_back(question);
        continue;
      }
    }
    const uint64_t from = first - std::min({first, kEventsBefore, longest - (last - first)});
    stretches.push_back({{EventIndex{from}, question.last}, {question}});
  }
  std::ranges::sort(stretches, {}, [](const QuestionedStretch& s) { return s.stretch.from; });
  return stretches;
}

class ExcerptJudging {
 public:
  ExcerptJudging(std::vector<QuestionedStretch> stretches, const JudgingOptions& options)
      : stretches_(std::move(stretches)), options_(options) {}

  std::vector<judge::Stretch> stretches() const {
    std::vector<judge::Stretch> all;
    all.reserve(stretches_.size());
    for (const QuestionedStretch& s : stretches_) all.push_back(s.stretch);
    return all;
  }

  void judge(size_t stretch, const judge::Excerpt* excerpt, EventIndex ambiguous) {
    if (options_.is_over()) return;
    if (excerpt == nullptr) {
      for (const Question& question : stretches_[stretch].questions) {
        if (question.ruling->witness) continue;
        question.ruling->settle(
            *question.candidate, judge::JudgeOutcome::gave_up,
            fmt::format("the order of event {}, a read, and the writes that raced with it in a "
                        "--parallel recording is not known",
                        to_index(ambiguous)));
      }
      return;
    }
    const std::vector<std::vector<Question>> by_ruling = unsettled(stretch);
    if (by_ruling.empty()) return;
    const judge::Judge judge(*excerpt, options_.judge);
    parallel_for(by_ruling.size(), options_.jobs, [&](size_t i) {
      for (const Question& question : by_ruling[i]) {
        if (question.ruling->witness || options_.is_over()) return;
        judge_candidate(judge, *question.candidate, false, *question.ruling);
      }
    });
    watch(by_ruling, *excerpt);
  }

 private:
  std::vector<std::vector<Question>> unsettled(size_t stretch) const {
    std::vector<Question> questions;
    std::ranges::copy_if(stretches_[stretch].questions, std::back_inserter(questions),
                         [](const Question& q) { return !q.ruling->witness; });
    std::ranges::sort(questions, {}, [](const Question& q) {
      return std::pair(q.ruling, q.candidate);  // candidates in their order
    });
    std::vector<std::vector<Question>> by_ruling;
    for (const Question& question : questions) {
      const bool same = !by_ruling.empty() && by_ruling.back()[0].ruling == question.ruling;
      if (!same) by_ruling.emplace_back();
      by_ruling.back().push_back(question);
    }
    return by_ruling;
  }

  void watch(const std::vector<std::vector<Question>>& by_ruling, const judge::Excerpt& excerpt) {
    std::vector<Ruling*> rulings;
    rulings.reserve(by_ruling.size());
    for (const std::vector<Question>& questions : by_ruling) {
      rulings.push_back(questions[0].ruling);
    }
    watch_order(rulings, watched_);
    const std::span<const trace::Event> events = excerpt.trace.events;
    for (Ruling* ruling : rulings) {
      if (!ruling->watch) continue;
      ruling->watch->on_events(events.subspan(excerpt.begin, excerpt.end - excerpt.begin));
    }
  }

  std::vector<QuestionedStretch> stretches_;
  const JudgingOptions& options_;
  size_t watched_ = 0;
};

}  // namespace

Result<void> judge_excerpts(trace::TraceStream& stream, std::vector<Ruling>& rulings,
                            const JudgingOptions& options) {
  const std::vector<Question> questions = questions_about(rulings, options.excerpt_events);
  ExcerptJudging judging(stretches_of(questions, options.excerpt_events), options);
  const std::vector<judge::Stretch> stretches = judging.stretches();
  if (stretches.empty()) return {};

  judge::WaitFates fates(stretches);
  if (stream.tables().conditions.size() > 0) {
    auto followed = for_each_batch(stream, "judge: follow the waits", options.progress,
                                   [&](std::span<const trace::Event> batch) {
                                     fates.on_events(batch);
                                     return !options.is_over();
                                   });
    if (!followed) return followed;
  }
  // Without the fates of all waits no excerpt is right; if the time is over nothing is judged.

  judge::ExcerptCutter cutter(
      stretches, fates, [&](LocationId id) { return stream.allocation_of(id); },
      [&](size_t stretch, const judge::Excerpt* excerpt, EventIndex ambiguous) {
        judging.judge(stretch, excerpt, ambiguous);
      });
  stream.collect_folded(&cutter.folded());
  auto judged =
      for_each_batch(stream, "judge", options.progress, [&](std::span<const trace::Event> batch) {
        cutter.on_events(batch);
        return !options.is_over();
      });
  stream.collect_folded(nullptr);
  if (!judged) return judged;
  cutter.finish();
  return {};
}

}  // namespace foretell::pipeline
