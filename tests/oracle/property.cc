// SPDX-License-Identifier: Apache-2.0

#include "property.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::oracle {
namespace {

uint64_t number_from_environment(const char* name, uint64_t by_default) {
  const char* text = std::getenv(name);
  return text == nullptr ? by_default : std::strtoull(text, nullptr, 10);
}

rc::Random random_of(uint64_t number) {
  const uint64_t seed = number_from_environment("FORETELL_ORACLE_SEED", 1);
  return rc::Random(rc::Random::Key{seed, number, 0, 0});
}

rc::Shrinkable<Events> shrinkable_trace(const Profile& profile, uint64_t number) {
  return traces(profile)(random_of(number));
}

class Trial {
 public:
  Trial(uint64_t number, const Trials& trials, const Property& property)
      : number_(number), trials_(trials), property_(property) {}

  std::string fault_of(const Events& events) const {
    const auto normal = well_formed(events);
    if (!normal || normal->events.size() > trials_.most_events) return {};
    Dice dice(random_of(number_).split());
    return property_(*normal, dice);
  }

  // Goes down rapidcheck's tree of smaller traces, always to the first that fails too.
  Events smallest(rc::Shrinkable<Events> failing) const {
    for (bool found = true; found;) {
      found = false;
      auto candidates = failing.shrinks();
      while (auto candidate = candidates.next()) {
        if (fault_of(candidate->value()).empty()) continue;
        failing = std::move(*candidate);
        found = true;
        break;
      }
    }
    return failing.value();
  }

 private:
  uint64_t number_;
  const Trials& trials_;
  const Property& property_;
};

}  // namespace

Events nth_trace(const Profile& profile, uint64_t number) {
  return shrinkable_trace(profile, number).value();
}

size_t trace_count(size_t by_default) {
  return number_from_environment("FORETELL_ORACLE_TRACES", by_default);
}

void expect_property(std::string_view name, const Profile& profile, Trials trials,
                     const Property& property) {
  for (uint64_t number = 0; number < trace_count(trials.traces); ++number) {
    const Trial trial(number, trials, property);
    const auto trace = shrinkable_trace(profile, number);
    if (trial.fault_of(trace.value()).empty()) continue;

    const Events smallest = trial.smallest(trace);
    const std::string text = print_tiddle(to_trace(smallest));
    const std::string file = fmt::format("oracle-{}-{}.tiddle", name, profile.name);
    std::ofstream(file) << "# " << name << " fails on this trace\n" << text;
    ADD_FAILURE() << name << " fails on trace " << number << " of profile " << profile.name << ": "
                  << trial.fault_of(smallest) << "\nsmallest trace that fails:\n"
                  << text << "It is in " << file
                  << ": put it into tests/regress/ with its expectation.";
    return;
  }
}

}  // namespace foretell::oracle
