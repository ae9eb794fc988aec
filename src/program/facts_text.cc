// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/fact_words.h"
#include "program/print_facts.h"

namespace foretell::program {
namespace {

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "access" -> "accesses": the only one of our nouns that needs it.
std::string counted_accesses(size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "access" : "accesses");
}

std::string_view reason(const Object& object) {
  switch (object.sharing) {
    case Sharing::shared:
      return object.reaches_unknown ? "unknown code may reach it" : "several threads may touch it";
    case Sharing::initial_thread:
      return "only the initial thread touches it";
    case Sharing::confined:
      return "no pointer to it leaves its thread";
  }
  return "";
}

class FactsText {
 public:
  FactsText(const Facts& facts, const std::string& folder) : facts_(facts), folder_(folder + "/") {}

  std::string take() {
    print_summary();
    print_modules();
    out_ += "\nnot shared between threads\n";
    print_objects(true);
    out_ += "\nmay be shared\n";
    print_objects(false);
    out_ += "\nfunctions\n";
    print_functions();
    if (!facts_.unknowns.empty()) out_ += "\nunknown, and assumed to do anything\n";
    print_unknowns();
    return std::move(out_);
  }

 private:
  void print_summary();
  void print_modules();
  void print_objects(bool unshared);
  void print_functions();
  void print_unknowns();

  std::string text_of(const Position& position) const {
    if (position.file.empty() || position.line == 0) return "?";
    std::string_view file = position.file;
    if (file.starts_with(folder_)) file.remove_prefix(folder_.size());
    if (position.column == 0) return fmt::format("{}:{}", file, position.line);
    return fmt::format("{}:{}:{}", file, position.line, position.column);
  }
  bool is_unshared(const Access& access) const {
    return facts_.memory_of(access).sharing != Sharing::shared;
  }

  const Facts& facts_;
  const std::string folder_;
  std::string out_;
};

void FactsText::print_summary() {
  const auto unshared =
      std::ranges::count_if(facts_.accesses, [&](const Access& a) { return is_unshared(a); });
  out_ = fmt::format("{}: {}, {}, {}\n{}, of which {} of memory that is not shared\n",
                     facts_.subject.path, counted(facts_.modules.size(), "module"),
                     counted(facts_.sites.size(), "site"),
                     counted(facts_.functions.size(), "function"),
                     counted_accesses(facts_.accesses.size()), unshared);
}

void FactsText::print_modules() {
  out_ += "\nmodules\n";
  for (const Module& module : facts_.modules)
    out_ +=
        fmt::format("  {}  {} from {}, identity {:016x}\n", module.source,
                    counted(module.site_count, "site"), place(module.first_site), module.identity);
}

void FactsText::print_objects(bool unshared) {
  for (const Object& object : facts_.objects) {
    if ((object.sharing != Sharing::shared) != unshared) continue;
    // The compiler's own slots.
    if (object.kind == ObjectKind::stack && object.name.empty()) continue;
    out_ +=
        fmt::format("  {:<12} {}  {}", word_of(object.kind), object.name, text_of(object.position));
    if (object.function)
      out_ += fmt::format("  in {}", facts_.functions[place(*object.function)].name);
    out_ += fmt::format("  ({})\n", reason(object));
  }
}

void FactsText::print_functions() {
  std::map<size_t, std::set<std::string>> callees;
  for (const Call& call : facts_.calls)
    callees[place(call.caller)].insert(facts_.functions[place(call.callee)].name);
  std::map<size_t, size_t> branches;
  for (const Branch& branch : facts_.branches) branches[place(branch.function)]++;
  for (size_t i = 0; i < facts_.functions.size(); i++) {
    const Function& function = facts_.functions[i];
    if (function.body != Body::present) continue;
    out_ += fmt::format("  {}  {}  run by {}", function.name, text_of(function.position),
                        word_of(function.run_by));
    if (branches[i] > 0)
      out_ += fmt::format(", {} {}", branches[i], branches[i] == 1 ? "branch" : "branches");
    out_ += '\n';
    for (const std::string& callee : callees[i]) out_ += fmt::format("    calls {}\n", callee);
  }
}

void FactsText::print_unknowns() {
  for (const Unknown& unknown : facts_.unknowns) {
    out_ += fmt::format("  {}", word_of(unknown.kind));
    if (!unknown.name.empty()) out_ += fmt::format(" {}", unknown.name);
    if (unknown.uses > 1) out_ += fmt::format(", {} times", unknown.uses);
    out_ += '\n';
  }
}

}  // namespace

std::string facts_text(const Facts& facts, const std::string& folder) {
  return FactsText(facts, folder).take();
}

}  // namespace foretell::program
