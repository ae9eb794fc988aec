// Small normalised traces for the tests of this room: from Tiddle text, or at random.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "order/reordering.h"
#include "trace/tiddle/tiddle_reader.h"
#include "trace/trace.h"

namespace foretell {

inline Result<Trace> try_trace(std::string_view text) {
  auto raw = parse_tiddle(text);
  if (!raw) return raw;
  return normalize(std::move(*raw));
}

inline Trace trace_of(std::string_view text) {
  auto trace = try_trace(text);
  if (trace) return std::move(*trace);
  ADD_FAILURE() << trace.error().to_text();
  return {};
}

inline Interleaving recorded_order(const Trace& trace) {
  Interleaving order(trace.events.size());
  for (Position p = 0; p < order.size(); ++p) order[p] = p;
  return order;
}

// Text of a random well-formed trace: random operations, those the normaliser refuses left out.
class RandomTraces {
 public:
  explicit RandomTraces(uint64_t seed) : random_(seed) {}

  std::string next(size_t events, uint32_t threads) {
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

  std::string operation(uint32_t threads) {
    const std::string thread = " " + std::to_string(1 + below(threads)) + " ";
    const std::string other = std::to_string(1 + below(threads));
    const std::string lock = one_of({"l", "l", "m"});
    const std::string variable = one_of({"x", "x", "y", "h"});
    switch (below(24)) {
      case 0:
      case 1:
      case 2:
        return "wr" + thread + variable;
      case 3:
      case 4:
      case 5:
        return "rd" + thread + variable;
      case 6:
        return one_of({"ard", "awr", "rmw"}) + thread + variable;
      case 7:
      case 8:
      case 9:
        return "acq" + thread + lock;
      case 10:
      case 11:
      case 12:
        return "rel" + thread + lock;
      case 13:
        return one_of({"sacq", "srel"}) + thread + lock;
      case 14:
        return one_of({"tryfail", "stryfail", "req"}) + thread + lock;
      case 15:
        return "fork" + thread + other;
      case 16:
        return "join" + thread + other;
      case 17:
        return "wait" + thread + "c " + lock;
      case 18:
        return "wake" + thread + "c " + lock + one_of({"", "", "", " spurious"});
      case 19:
        return one_of({"notify", "notify", "notifyall"}) + thread + "c";
      case 20:
        return one_of({"enter", "leave"}) + thread + "b";
      case 21:
        return one_of({"post", "down"}) + thread + "s";
      case 22:
        return one_of({"alloc", "free"}) + thread + "h";
      default:
        return below(2) == 0 ? one_of({"branch", "fence", "start"}) + thread
                             : one_of({"wr", "rd"}) + thread + "h+0:4";
    }
  }

  std::mt19937_64 random_;
};

}  // namespace foretell
