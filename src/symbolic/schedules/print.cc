// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/schedules/expr_text.h"

namespace foretell::symbolic {
namespace {

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string node_text(const Cover& cover, const Node& node) {
  std::string text(word_of(node.kind));
  if (!node.object.empty()) text += " " + node.object;
  if (node.kind == NodeKind::create) text += fmt::format(" T{}", node.result);
  if ((node.kind == NodeKind::try_lock || node.kind == NodeKind::try_down) && node.result != 0)
    text += " (fails)";
  const auto place = cover.places.find(node.instruction);
  if (place != cover.places.end())
    text += " :" + place->second.substr(place->second.rfind(':') + 1);
  return text;
}

// A linear order: the first node, by thread, whose predecessors are done.
std::vector<NodePlace> linear_order(const Schedule& schedule) {
  std::vector<NodePlace> order;
  std::vector<uint32_t> done(schedule.threads.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (uint32_t t = 0; t < schedule.threads.size(); t++) {
      if (done[t] == schedule.threads[t].size()) continue;
      const Node& node = schedule.threads[t][done[t]];
      if (!std::ranges::all_of(node.after, [&](const NodePlace& before) {
            return done[before.thread] > before.index;
          }))
        continue;
      order.push_back({t, done[t]++});
      goes_on = true;
    }
  }
  return order;
}

std::string end_text(const Schedule& schedule) {
  switch (schedule.end) {
    case EndKind::exited:
      return "runs to the end";
    case EndKind::deadlock:
      return "DEADLOCK: " + schedule.end_text;
    case EndKind::failed:
      return "FAILS: " + schedule.end_text;
    case EndKind::thread_limit:
      return schedule.end_text;
    case EndKind::marker:
      return fmt::format("goes on in epoch {}", schedule.end_epoch + 1);
  }
  return "";
}

}  // namespace

// Inputs of an epoch have its number in their names: "n@2" is n when epoch 2 begins.
std::string condition_text(const std::vector<smt::Expr>& conditions) {
  std::string text;
  const std::string full = c_text(conditions);
  for (size_t i = 0; i < full.size(); i++) {
    if (full[i] != '@') {
      text += full[i];
      continue;
    }
    while (i + 1 < full.size() &&
           (std::isdigit(static_cast<unsigned char>(full[i + 1])) || full[i + 1] == ':'))
      i++;
  }
  return text;
}

std::string example_text(const Cover& cover, size_t epoch, const Alternative& alternative) {
  if (epoch == 0) return command_text(arguments_of(cover, alternative.example));
  std::string text;
  std::vector<smt::Expr> used;
  for (smt::Expr condition : alternative.conditions)
    smt::visit_unknown(
        condition, [&](smt::Expr part) { return std::ranges::find(used, part) != used.end(); },
        [&](smt::Expr part) { used.push_back(part); });
  for (const Input& input : cover.inputs) {
    const auto value = alternative.example.find(std::string(input.name()));
    if (input.kind != InputKind::state || value == alternative.example.end() ||
        std::ranges::find(used, input.variable) == used.end())
      continue;
    const std::string name(input.name().substr(0, input.name().find('@')));
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name,
                        signed_of(value->second, input.variable.width()));
  }
  return text.empty() ? "any state" : text;
}

std::string command_text(const std::vector<std::string>& arguments) {
  std::string text = "./program";
  for (const std::string& argument : arguments) {
    const bool is_plain = !argument.empty() && std::ranges::all_of(argument, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    });
    text += " " + (is_plain ? argument : "'" + argument + "'");
  }
  return text;
}

std::vector<std::string> arguments_of(const Cover& cover,
                                      const std::map<std::string, uint64_t>& example) {
  if (cover.arguments_are_fixed) return cover.fixed_arguments;
  const auto argc = example.find("argc");
  const uint64_t count = argc == example.end() || argc->second == 0 ? 0 : argc->second - 1;
  std::vector<std::string> arguments(count);
  for (const Input& input : cover.inputs) {
    const auto value = example.find(std::string(input.name()));
    if (input.kind == InputKind::argument_count || input.kind == InputKind::state ||
        input.index > count || input.index == 0 || value == example.end())
      continue;
    std::string& argument = arguments[input.index - 1];
    if (input.kind == InputKind::argument_byte) {
      if (argument.size() <= input.byte) argument.resize(input.byte + 1, ' ');
      argument[input.byte] = static_cast<char>(value->second);
    } else {
      argument = std::to_string(signed_of(value->second, input.variable.width()));
    }
  }
  for (std::string& argument : arguments) {
    if (const size_t end = argument.find('\0'); end != std::string::npos) argument.resize(end);
  }
  return arguments;
}

std::string summary_text(const Cover& cover) {
  std::string text = fmt::format("{}, {}, {}", counted(cover.epochs.size(), "epoch"),
                                 counted(cover.pair_count(), "constraint"),
                                 counted(cover.schedule_count(), "schedule"));
  size_t deadlocks = 0, failures = 0;
  for (const EpochCover& epoch : cover.epochs)
    for (const CoveredSchedule& covered : epoch.schedules) {
      deadlocks += covered.schedule.end == EndKind::deadlock;
      failures += covered.schedule.end == EndKind::failed;
    }
  if (deadlocks > 0) text += fmt::format(", {} with a deadlock", deadlocks);
  if (failures > 0) text += fmt::format(", {} with a failure", failures);
  if (cover.is_complete) return text + "; every input is covered\n";
  text += "; INCOMPLETE";
  if (!cover.stopped_by.empty())
    text += ": stopped by " + cover.stopped_by;
  else if (cover.has_open_notes())
    text += ": see the open notes";
  return text + "\n";
}

std::string cover_text(const Cover& cover) {
  std::string text;
  for (const EpochCover& epoch : cover.epochs) {
    const auto number_of = static_cast<size_t>(&epoch - cover.epochs.data());
    text += number_of == 0 ? "epoch entry\n"
                           : fmt::format("epoch {}, from {}\n", number_of + 1, epoch.name);
    for (size_t i = 0; i < epoch.schedules.size(); i++) {
      const CoveredSchedule& covered = epoch.schedules[i];
      text += fmt::format(
          "  schedule {}: {}, {}, {}\n", i + 1, counted(covered.schedule.threads.size(), "thread"),
          counted(covered.schedule.node_count(), "operation"), end_text(covered.schedule));
      for (const Alternative& alternative : covered.alternatives)
        text += fmt::format("    if {}\n       as in {}\n", condition_text(alternative.conditions),
                            example_text(cover, number_of, alternative));
    }
  }
  for (const Note& note : cover.notes)
    text += fmt::format("{} {}{}{}\n", note.is_open ? "OPEN" : "note", name_of(note.kind),
                        note.place.empty() ? ": " : fmt::format(": {}: ", note.place), note.text);
  return text + summary_text(cover);
}

std::string schedule_text(const Cover& cover, const CoveredSchedule& covered) {
  const Schedule& schedule = covered.schedule;
  constexpr size_t kColumn = 26;
  std::string text = "   ";
  for (size_t t = 0; t < schedule.threads.size(); t++)
    text +=
        fmt::format(" {:<{}}", t == 0 ? std::string("T0 main") : fmt::format("T{}", t), kColumn);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  for (const NodePlace& place : linear_order(schedule)) {
    const Node& node = schedule.threads[place.thread][place.index];
    std::string after;
    for (const NodePlace& before : node.after)
      after += fmt::format("{}T{}.{}", after.empty() ? "  after " : ", ", before.thread,
                           before.index + 1);
    text += fmt::format("{:3} {:{}}{}.{} {}{}\n", "", "", place.thread * (kColumn + 1),
                        fmt::format("T{}", place.thread), place.index + 1, node_text(cover, node),
                        after);
  }
  return text + "    " + end_text(schedule) + "\n";
}

std::string cover_dot(const Cover& cover) {
  std::string text = "digraph schedules {\n  node [shape=box, fontsize=10];\n";
  size_t number_of = 0;
  for (const EpochCover& epoch : cover.epochs)
    for (const CoveredSchedule& covered : epoch.schedules) {
      number_of++;
      text += fmt::format("  subgraph cluster_{} {{\n    label=\"schedule {} of epoch {}\";\n",
                          number_of, number_of, epoch.name);
      const auto name = [&](const NodePlace& place) {
        return fmt::format("s{}_{}_{}", number_of, place.thread, place.index);
      };
      for (const NodePlace& place : linear_order(covered.schedule)) {
        const Node& node = covered.schedule.threads[place.thread][place.index];
        text += fmt::format("    {} [label=\"T{} {}\"];\n", name(place), place.thread,
                            node_text(cover, node));
        if (place.index > 0)
          text +=
              fmt::format("    {} -> {};\n", name({place.thread, place.index - 1}), name(place));
        for (const NodePlace& before : node.after)
          text += fmt::format("    {} -> {} [style=dashed];\n", name(before), name(place));
      }
      text += "  }\n";
    }
  return text + "}\n";
}

}  // namespace foretell::symbolic
