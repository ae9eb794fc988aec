// SPDX-License-Identifier: Apache-2.0

#include "tiddle/random.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tiddle/random_threads.h"

namespace foretell::tiddle {
namespace {

class Generator {
 public:
  explicit Generator(const RandomOptions& options) : options_(options), threads_(options) {}

  Result<trace::Trace> run() {
    std::vector<trace::EventKind> kinds;
    for (const std::string& word : options_.kinds) {
      auto kind = kind_of(word);
      if (!kind) return fail("unknown operation '{}'", word);
      kinds.push_back(*kind);
    }
    add_closers(kinds);
    if (options_.threads == 0) return fail("a trace needs at least one thread");
    if (options_.fork_join) kinds.push_back(trace::EventKind::Fork);
    if (kinds.empty()) return fail("there is no kind of operation to choose from");
    while (threads_.events() < options_.events) {
      const size_t left = options_.events - threads_.events();
      if (threads_.obligations() >= left ? close_something() : do_something(kinds)) continue;
      // Nothing asked for is possible now: make room, or stop.
      if (!close_something() && !do_something(kinds, Openers::always)) break;
    }
    return threads_.take_trace();
  }

 private:
  static std::optional<trace::EventKind> kind_of(const std::string& word) {
    for (size_t i = 0; i < trace::kEventKindCount; ++i) {
      const auto kind = static_cast<trace::EventKind>(i);
      if (word_of(kind) == word) return kind;
    }
    return {};
  }

  static void add_closers(std::vector<trace::EventKind>& kinds) {
    constexpr std::pair<trace::EventKind, trace::EventKind> kPairs[] = {
        {trace::EventKind::Acquire, trace::EventKind::Release},
        {trace::EventKind::AcquireShared, trace::EventKind::ReleaseShared},
        {trace::EventKind::BlockBegin, trace::EventKind::BlockEnd},
        {trace::EventKind::FunctionEnter, trace::EventKind::FunctionExit},
        {trace::EventKind::WaitBegin, trace::EventKind::WaitEnd},
        {trace::EventKind::BarrierEnter, trace::EventKind::BarrierExit},
    };
    auto has = [&](trace::EventKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
    for (auto [opener, closer] : kPairs) {
      if (has(opener) && !has(closer)) kinds.push_back(closer);
    }
  }

  // Openers begin what needs another event to end.
  enum class Openers { if_they_fit, always };

  bool fits(trace::EventKind kind) const {
    size_t needed = 0;
    switch (kind) {
      case trace::EventKind::Acquire:
      case trace::EventKind::AcquireShared:
      case trace::EventKind::BlockBegin:
      case trace::EventKind::FunctionEnter:
      case trace::EventKind::WaitBegin:
      case trace::EventKind::Fork:
      case trace::EventKind::Alloc:
        needed = 2;
        break;
      case trace::EventKind::BarrierEnter:
        needed = 2 * kParties;
        break;
      default:
        return true;
    }
    return threads_.events() + threads_.obligations() + needed <= options_.events;
  }

  bool do_something(std::vector<trace::EventKind> kinds, Openers openers = Openers::if_they_fit) {
    if (openers == Openers::if_they_fit) {
      std::erase_if(kinds, [&](trace::EventKind kind) { return !fits(kind); });
    }
    if (kinds.empty()) return false;
    Dice& dice = threads_.dice();
    // Draw a few times; then go through everything, so that "no" is certain.
    for (int draw = 0; draw < 20; ++draw) {
      if (threads_.attempt(kinds[dice.below(kinds.size())], dice.below(options_.threads)))
        return true;
    }
    for (uint32_t t = 0; t < options_.threads; ++t) {
      for (trace::EventKind kind : kinds) {
        if (threads_.attempt(kind, t)) return true;
      }
    }
    return false;
  }

  bool close_something() {
    const uint32_t first = threads_.dice().below(options_.threads);
    for (uint32_t i = 0; i < options_.threads; ++i) {
      const uint32_t t = static_cast<uint32_t>((first + i) % options_.threads);
      for (trace::EventKind kind :
           {trace::EventKind::Release, trace::EventKind::ReleaseShared, trace::EventKind::BlockEnd,
            trace::EventKind::FunctionExit, trace::EventKind::BarrierExit,
            trace::EventKind::WaitEnd, trace::EventKind::Free}) {
        if (threads_.attempt(kind, t, true)) return true;
      }
    }
    // Somebody alone at a barrier needs company.
    if (threads_.needs_company_at_barrier()) {
      for (uint32_t t = 0; t < options_.threads; ++t) {
        if (threads_.attempt(trace::EventKind::BarrierEnter, t)) return true;
      }
    }
    return options_.fork_join && threads_.attempt(trace::EventKind::Join, 0);
  }

  const RandomOptions& options_;
  RandomThreads threads_;
};

}  // namespace

Result<trace::Trace> random_trace(const RandomOptions& options) {
  return Generator(options).run();
}

}  // namespace foretell::tiddle
