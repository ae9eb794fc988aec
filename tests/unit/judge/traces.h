// SPDX-License-Identifier: Apache-2.0

// Small normalized traces for the tests of this room: from Tiddle text, or at random.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "judge/reordering.h"
#include "trace/tiddle/tiddle_reader.h"
#include "trace/trace.h"

namespace foretell::judge {

inline Result<trace::Trace> try_trace(std::string_view text) {
  auto raw = trace::parse_tiddle(text);
  if (!raw) return raw;
  return normalize(std::move(*raw));
}

inline trace::Trace trace_of(std::string_view text) {
  auto trace = try_trace(text);
  if (trace) return std::move(*trace);
  ADD_FAILURE() << trace.error().to_text();
  return {};
}

inline Interleaving recorded_order(const trace::Trace& trace) {
  Interleaving order(trace.events.size());
  for (Position p = 0; p < order.size(); ++p) order[p] = p;
  return order;
}

// Text of a random well-formed trace: random operations, those the normalizer refuses left out.
class RandomTraces {
 public:
  explicit RandomTraces(uint64_t seed) : random_(seed) {}

  std::string next(size_t events, uint32_t threads) {
    flavour_ = below(kFlavours);
    std::string text;
    size_t size = 0;
    for (int tries = 0; size < events && tries < 200; ++tries) {
      const std::string longer = text + operation(threads) + "\n";
      auto trace = try_trace(longer);
      if (!trace || trace->events.size() > events) continue;
      text = longer;
      size = trace->events.size();
    }
    return text;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  const char* one_of(std::vector<const char*> words) {
    return words[below(static_cast<uint32_t>(words.size()))];
  }

  // Half of the operations come from the trace's flavour, so that rare kinds meet each other.
  std::string operation(uint32_t threads) {
    const std::string thread = " " + std::to_string(1 + below(threads)) + " ";
    const std::string other = std::to_string(1 + below(threads));
    const std::string lock = one_of({"l", "l", "m"});
    const std::string variable = one_of({"x", "x", "y"});
    switch (below(2) == 0 ? flavour_ : below(kFlavours)) {
      case 0:
        return one_of({"acq", "rel"}) + thread + lock;
      case 1:
        return one_of({"sacq", "srel", "acq", "rel", "tryfail", "stryfail", "req", "sreq"}) +
               thread + lock;
      case 2:
        return condition_operation(thread);
      case 3:
        return one_of({"enter", "leave"}) + thread + "b";
      case 4:
        return one_of({"post", "down"}) + thread + "s";
      case 5:
        return one_of({"fork", "join"}) + thread + other;
      case 6:
        return below(2) == 0 ? one_of({"alloc", "free"}) + thread + "h"
                             : one_of({"wr", "rd"}) + thread + one_of({"h", "h+0:4"});
      case 7:
        return one_of({"ard", "awr", "rmw"}) + thread + variable;
      case 8:
        return one_of({"branch", "fence", "start", "exit"}) + thread;
      default:
        return one_of({"wr", "rd"}) + thread + variable;
    }
  }

  std::string condition_operation(const std::string& thread) {
    switch (below(6)) {
      case 0:
        return "acq" + thread + "l";
      case 1:
        return "rel" + thread + "l";
      case 2:
        return "wait" + thread + "c l";
      case 3:
        return "wake" + thread + "c l" + one_of({"", "", "", " spurious"});
      default:
        return one_of({"notify", "notify", "notifyall"}) + thread + "c";
    }
  }

  static constexpr uint32_t kFlavours = 13;  // from 9 on: accesses
  uint32_t flavour_ = 0;
  std::mt19937_64 random_;
};

}  // namespace foretell::judge
