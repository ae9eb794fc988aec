// SPDX-License-Identifier: Apache-2.0

#include "analysis/property/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace foretell::analysis {
namespace {

using judge::Position;
using property_language::Argument;
using property_language::EventPattern;
using property_language::Property;
using property_language::Source;
using property_language::Value;
using trace::EventKind;

// A step that holds the first values of the user event after it (recording/property_hooks.h).
constexpr std::string_view kMoreValues = "foretell arguments";

// What one step has for an event.
struct Taken {
  std::vector<Value> arguments = {};
  Value result = {};
};

class NamedValues final : public property_language::Values {
 public:
  void set(const std::string& name, const Value& value) {
    if (!name.empty()) values_.insert_or_assign(name, value);
  }
  const Value* find(std::string_view name) const override {
    const auto it = values_.find(name);
    return it == values_.end() ? nullptr : &it->second;
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// Words of the arguments of a user event; quoted ones may have blanks.
Taken split_arguments(std::string_view text) {
  Taken taken;
  bool result = false;
  while (!text.empty()) {
    if (text[0] == ' ') {
      text.remove_prefix(1);
      continue;
    }
    size_t length = std::min(text.find(' '), text.size());
    if (text[0] == '"') length = std::min(text.find('"', 1), text.size() - 1) + 1;
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    if (word == "->") {
      result = true;
    } else if (result) {
      taken.result = Value::parse(word);
    } else {
      taken.arguments.push_back(Value::parse(word));
    }
  }
  return taken;
}

// "p->entry.size" and "entry.size" are the same variable.
bool is_same_variable(std::string_view wanted, std::string_view name) {
  auto plain = [](std::string_view text) {
    std::string dots;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool arrow = text.substr(i).starts_with("->");
      dots += arrow ? '.' : text[i];
      i += arrow ? 1 : 0;
    }
    return dots;
  };
  const std::string a = plain(wanted), b = plain(name);
  if (a == b) return true;
  return b.size() > a.size() && b.ends_with(a) &&
         (b[b.size() - a.size() - 1] == '.' || b[b.size() - a.size() - 1] == ':');
}

// With or without scopes and parameters.
bool is_same_function(std::string_view wanted, std::string_view name) {
  if (wanted == name) return true;
  const std::string_view bare = name.substr(0, name.find('('));
  if (wanted == bare) return true;
  return bare.size() > wanted.size() + 2 && bare.ends_with(wanted) &&
         bare.substr(0, bare.size() - wanted.size()).ends_with("::");
}

// What the reader of a recording says of the hooks that the program was compiled with.
bool has_hook(const trace::TraceTables& tables, std::string_view hook) {
  return tables.facts.other.find(fmt::format("hook.{}", hook)).has_value();
}

bool has_name(const Interner<UserEventId>& names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[UserEventId{static_cast<uint32_t>(i)}] == name) return true;
  }
  return false;
}

// One event of a property, held against one step after the other.
class Matcher {
 public:
  Matcher(const trace::Trace& trace, const Property& property, size_t event)
      : trace_(trace),
        property_(property),
        pattern_(property.events[event]),
        event_(event),
        hook_(hook_name(pattern_)),
        has_hook_(!hook_.empty() &&
                  (has_name(trace.tables.user_events, hook_) || has_hook(trace.tables, hook_))) {}

  std::optional<Occurrence> match(Position p) const {
    const trace::Event& e = trace_.events[p];
    auto taken = taken_from(e, p);
    if (!taken) return {};
    NamedValues values;
    auto takes = [&](const Argument& argument, const Value& value) {
      values.set(argument.name, value);
      return !argument.wanted || *argument.wanted == value;
    };
    if (pattern_.arguments) {
      if (pattern_.arguments->size() > taken->arguments.size()) return {};
      for (size_t i = 0; i < pattern_.arguments->size(); ++i) {
        if (!takes((*pattern_.arguments)[i], taken->arguments[i])) return {};
      }
    }
    if (!takes(pattern_.result, taken->result)) return {};
    const Value thread = Value::of(trace_.tables.threads[e.thread]);
    if (!takes(pattern_.thread, thread)) return {};
    if (pattern_.condition && !holds(*pattern_.condition, values)) return {};
    Occurrence found{p, event_, {}};
    for (const std::string& parameter : property_.parameters) {
      const Value* value = values.find(parameter);
      found.binding.push_back(value == nullptr ? std::optional<std::string>() : value->to_text());
    }
    return found;
  }

 private:
  std::optional<Taken> taken_from(const trace::Event& e, Position p) const;
  Taken values_of(const trace::Event& e, Position p) const;
  std::optional<Taken> function(const trace::Event& e, Position p, EventKind kind) const;
  std::optional<Taken> access(const trace::Event& e, Position p, bool reads) const;
  std::optional<Taken> object(std::string_view name) const {
    if (!pattern_.object.empty() && !is_same_variable(pattern_.object, name)) return {};
    return Taken{{Value::of(name)}};
  }

  const trace::Trace& trace_;
  const Property& property_;
  const EventPattern& pattern_;
  const size_t event_;
  const std::string hook_;
  const bool has_hook_;
};

// Its own values, after those of the steps right before it that hold the first ones.
Taken Matcher::values_of(const trace::Event& e, Position p) const {
  std::string text(trace_.tables.strings[e.arguments()]);
  for (Position q = p; q-- > 0;) {
    const trace::Event& before = trace_.events[q];
    if (before.thread != e.thread) continue;
    if (before.kind != EventKind::User ||
        trace_.tables.user_events[before.user_event()] != kMoreValues) {
      break;
    }
    text = fmt::format("{} {}", trace_.tables.strings[before.arguments()], text);
  }
  return split_arguments(text);
}

std::optional<Taken> Matcher::function(const trace::Event& e, Position p, EventKind kind) const {
  if (has_hook_) {
    if (e.kind != EventKind::User || trace_.tables.user_events[e.user_event()] != hook_) return {};
    return values_of(e, p);
  }
  if (e.kind != kind || !is_same_function(pattern_.object, trace_.tables.functions[e.function()])) {
    return {};
  }
  return Taken{};
}

std::optional<Taken> Matcher::access(const trace::Event& e, Position p, bool reads) const {
  if (!(reads ? is_read(e.kind) : is_write(e.kind))) return {};
  // Of an access to several cells the first stands for all.
  if (p > 0 && trace_.events[p - 1].index == e.index) return {};
  const bool named =
      is_same_variable(pattern_.object, trace_.location_name(e.location())) ||
      (e.site != kNoSite &&
       is_same_variable(pattern_.object,
                        trace_.tables.strings[trace_.tables.sites[e.site].expression]));
  if (!named) return {};
  Value value;
  if (reads && e.kind == EventKind::AtomicRmw) {
    if (e.has_read_value()) value = Value::of(static_cast<int64_t>(e.read_value()));
  } else if (e.has_value()) {
    value = Value::of(static_cast<int64_t>(e.value));
  }
  return Taken{{value}};
}

std::optional<Taken> Matcher::taken_from(const trace::Event& e, Position p) const {
  const trace::TraceTables& tables = trace_.tables;
  auto of_kind = [&](EventKind a, EventKind b) { return e.kind == a || e.kind == b; };
  switch (pattern_.source) {
    case Source::call:
      return function(e, p, EventKind::FunctionEnter);
    case Source::ret:
      return function(e, p, EventKind::FunctionExit);
    case Source::user:
      if (e.kind != EventKind::User || tables.user_events[e.user_event()] != pattern_.object) {
        return {};
      }
      return values_of(e, p);
    case Source::read:
      return access(e, p, true);
    case Source::write:
      return access(e, p, false);
    case Source::lock:
      if (!of_kind(EventKind::Acquire, EventKind::AcquireShared)) return {};
      return object(tables.locks[e.lock()]);
    case Source::unlock:
      if (!of_kind(EventKind::Release, EventKind::ReleaseShared)) return {};
      return object(tables.locks[e.lock()]);
    case Source::wait:
      if (e.kind != EventKind::WaitBegin) return {};
      return object(tables.conditions[e.condition()]);
    case Source::wake:
      if (e.kind != EventKind::WaitEnd) return {};
      return object(tables.conditions[e.condition()]);
    case Source::notify:
      if (!of_kind(EventKind::NotifyOne, EventKind::NotifyAll)) return {};
      return object(tables.conditions[e.condition()]);
    case Source::begin:
      if (e.kind != EventKind::BlockBegin) return {};
      return object(tables.labels[e.label()]);
    case Source::end:
      if (e.kind != EventKind::BlockEnd) return {};
      return object(tables.labels[e.label()]);
    case Source::start:
    case Source::exit:
      if (e.kind !=
          (pattern_.source == Source::start ? EventKind::ThreadBegin : EventKind::ThreadEnd)) {
        return {};
      }
      return Taken{};
    case Source::free:
      if (e.kind != EventKind::Free || (p > 0 && trace_.events[p - 1].index == e.index)) return {};
      return object(trace_.location_name(e.location()));
  }
  return {};
}

using Binding = std::vector<std::optional<std::string>>;

// Nothing if the two disagree.
std::optional<Binding> joined(const Binding& a, const Binding& b) {
  Binding all = a;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] && b[i] && *all[i] != *b[i]) return {};
    if (!all[i]) all[i] = b[i];
  }
  return all;
}

bool is_full(const Binding& binding) {
  return std::ranges::all_of(binding, [](const auto& value) { return value.has_value(); });
}

std::set<Binding> full_bindings(const std::set<Binding>& seen) {
  std::set<Binding> full;
  for (const Binding& binding : seen) {
    if (is_full(binding)) full.insert(binding);
  }
  if (!full.empty() || seen.empty()) return full;
  std::set<Binding> all = seen;
  for (size_t round = 0; round < seen.begin()->size(); ++round) {
    std::set<Binding> more;
    for (const Binding& a : all) {
      for (const Binding& b : seen) {
        if (all.size() + more.size() > kMostSlices) break;
        if (auto both = joined(a, b)) more.insert(std::move(*both));
      }
    }
    all.merge(more);
  }
  for (const Binding& binding : all) {
    if (is_full(binding)) full.insert(binding);
  }
  return full;
}

}  // namespace

std::string Slice::text(const Property& property) const {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", property.parameters[i], values[i]);
  }
  return text;
}

std::string hook_name(const EventPattern& event) {
  if (event.source != Source::call && event.source != Source::ret) return "";
  return fmt::format("{} {}", word_of(event.source), event.object);
}

Matched match_events(const trace::Trace& trace, const Property& property) {
  std::vector<Matcher> matchers;
  matchers.reserve(property.events.size());
  for (size_t i = 0; i < property.events.size(); ++i) matchers.emplace_back(trace, property, i);
  Matched matched;
  matched.count.resize(property.events.size());
  std::vector<Occurrence> occurrences;
  std::set<Binding> seen;
  for (Position p = 0; p < trace.events.size(); ++p) {
    for (const Matcher& matcher : matchers) {
      auto found = matcher.match(p);
      if (!found) continue;
      ++matched.count[found->event];
      seen.insert(found->binding);
      occurrences.push_back(std::move(*found));
    }
  }
  std::map<Binding, size_t> number;
  for (const Binding& binding : full_bindings(seen)) {
    if (matched.slices.size() == kMostSlices) {
      ++matched.left_out;
      continue;
    }
    number[binding] = matched.slices.size();
    Slice& slice = matched.slices.emplace_back();
    for (const auto& value : binding) slice.values.push_back(*value);
  }
  auto add = [&](size_t slice, const Occurrence& found) {
    auto& steps = matched.slices[slice].steps;
    if (steps.empty() || steps.back().first != found.at) steps.emplace_back(found.at, 0);
    steps.back().second |= property_language::EventSet{1} << found.event;
  };
  for (const Occurrence& found : occurrences) {
    if (is_full(found.binding)) {
      if (auto it = number.find(found.binding); it != number.end()) add(it->second, found);
      continue;
    }
    for (const auto& [binding, slice] : number) {
      if (joined(binding, found.binding)) add(slice, found);
    }
  }
  std::erase_if(matched.slices, [](const Slice& slice) { return slice.steps.empty(); });
  return matched;
}

std::vector<std::string> missing_hooks(const trace::TraceTables& tables, const Property& property) {
  std::vector<std::string> missing;
  if (!tables.facts.recording) return missing;  // a trace of another origin: its text says it all
  for (const EventPattern& event : property.events) {
    const std::string hook = hook_name(event);
    if (hook.empty() || has_hook(tables, hook)) continue;
    const bool takes = event.arguments || !event.result.name.empty() || event.result.wanted;
    bool entered = false;
    for (size_t i = 0; i < tables.functions.size() && !takes; ++i) {
      entered = entered || is_same_function(event.object,
                                            tables.functions[FunctionId{static_cast<uint32_t>(i)}]);
    }
    if (!entered) missing.push_back(hook);
  }
  return missing;
}

}  // namespace foretell::analysis
