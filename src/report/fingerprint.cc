// SPDX-License-Identifier: Apache-2.0

#include "report/fingerprint.h"

#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "report/source.h"

namespace foretell::report {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Tabs, indentation and alignment change with every formatter.
std::string without_spaces(std::string_view text) {
  std::string kept(text);
  std::erase_if(kept, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  return kept;
}

// The variable as the source writes it, else its name without offset and size; nothing if only an
// address is known.
std::string variable_of(const finding::DescribedEvent& e) {
  if (!e.expression.empty()) return e.expression;
  if (e.object.starts_with("0x")) return "";
  return e.object.substr(0, e.object.find('+'));
}

// A lock that a thread was about to request in one run, it already waited for in another.
finding::Operation operation_of(const finding::DescribedEvent& e) {
  if (e.operation == trace::EventKind::Request) return trace::EventKind::Acquire;
  if (e.operation == trace::EventKind::RequestShared) return trace::EventKind::AcquireShared;
  return e.operation;
}

class Recipe {
 public:
  explicit Recipe(SourceFiles& sources) : sources_(sources) {}

  std::string of(const finding::Finding& f) {
    std::vector<std::string> parts;
    for (const finding::DescribedEvent& e : f.events) parts.push_back(event_text(e, f));
    // Which thread came first depends on the schedule.
    std::ranges::sort(parts);
    std::string text = fmt::format("{}\n{}", kFingerprintVersion, word_of(f.kind()));
    for (const std::string& part : parts) text += '\n' + part;
    if (const auto* violation = f.as<finding::AtomicityFinding>()) {
      for (const std::string& block : violation->blocks) text += '\n' + without_positions(block);
    }
    return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
  }

 private:
  std::string event_text(const finding::DescribedEvent& e, const finding::Finding& f) {
    std::string text =
        fmt::format("{}\t{}\t{}\t{}", word_of(operation_of(e)), without_positions(e.function),
                    variable_of(e), line_text(e.site));
    if (f.as<finding::DeadlockFinding>() == nullptr) return text;
    // What a thread waits for says little without what it holds meanwhile.
    for (const finding::HeldLock& lock : e.locks) text += '\t' + line_text(lock.site);
    return text;
  }

  std::string line_text(const std::string& site) {
    const auto place = parse_place(site);
    if (!place) return "";
    const auto line = sources_.line(place->file, place->line);
    return line ? without_spaces(*line) : "";
  }

  SourceFiles& sources_;
};

using Position = std::vector<std::tuple<std::string, uint32_t, uint32_t>>;

Position position_of(const finding::Finding& f) {
  Position position;
  for (const finding::DescribedEvent& e : f.events) {
    const auto place = parse_place(e.site);
    if (place) position.emplace_back(place->file, place->line, place->column);
  }
  std::ranges::sort(position);
  return position;
}

void add_to(std::vector<finding::Finding>& findings, Recipe& recipe) {
  std::map<std::string, std::vector<finding::Finding*>> same;
  for (finding::Finding& f : findings) {
    f.fingerprint = recipe.of(f);
    same[f.fingerprint].push_back(&f);
  }
  for (auto& [fingerprint, group] : same) {
    // As they stand in the report where the places do not tell.
    std::ranges::sort(group, {},
                      [](const finding::Finding* f) { return std::pair(position_of(*f), f); });
    for (size_t i = 1; i < group.size(); ++i) {
      group[i]->fingerprint = fmt::format("{}-{}", fingerprint, i + 1);
    }
  }
}

}  // namespace

std::string without_positions(std::string_view function) {
  constexpr std::string_view kLambda = "(lambda at ";
  constexpr std::string_view kNumbered = "$_";
  std::string text;
  while (!function.empty()) {
    if (function.starts_with(kLambda)) {
      text += "(lambda)";
      const size_t end = function.find(')');
      function.remove_prefix(end == std::string_view::npos ? function.size() : end + 1);
    } else if (function.starts_with(kNumbered)) {
      text += kNumbered;
      function.remove_prefix(kNumbered.size());
      while (!function.empty() && is_digit(function[0])) function.remove_prefix(1);
    } else {
      text += function[0];
      function.remove_prefix(1);
    }
  }
  return text;
}

void add_fingerprints(finding::AnalysisResult& result) {
  SourceFiles sources;
  Recipe recipe(sources);
  add_to(result.findings, recipe);
  add_to(result.dismissed, recipe);
}

}  // namespace foretell::report
