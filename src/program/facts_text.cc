// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  void print_flow(size_t function);
  void print_unknowns();
  std::string text_of(const Scope& scope) const;
  std::string text_of(const Dependence& dependence) const;
  std::string text_of(const Memory& memory) const;

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
  std::map<size_t, std::vector<const Scope*>> scopes_;  // by function
  std::map<size_t, std::vector<const Dependence*>> dependences_;
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
  for (const Branch& branch : facts_.branches)
    if (branch.kind == BranchKind::choice) branches[place(branch.function)]++;
  for (const Scope& scope : facts_.scopes)
    scopes_[place(facts_.branches[place(scope.branch)].function)].push_back(&scope);
  for (const Dependence& dependence : facts_.dependences)
    dependences_[place(dependence.function)].push_back(&dependence);
  for (size_t i = 0; i < facts_.functions.size(); i++) {
    const Function& function = facts_.functions[i];
    if (function.body != Body::present) continue;
    out_ += fmt::format("  {}  {}  run by {}", function.name, text_of(function.position),
                        word_of(function.run_by));
    if (branches[i] > 0)
      out_ += fmt::format(", {} {}", branches[i], branches[i] == 1 ? "branch" : "branches");
    out_ += '\n';
    for (const std::string& callee : callees[i]) out_ += fmt::format("    calls {}\n", callee);
    print_flow(i);
  }
}

std::string FactsText::text_of(const Memory& memory) const {
  std::set<std::string> names;
  for (TargetIndex target : memory.targets)
    names.insert(facts_.objects[place(facts_.targets[place(target)].object)].name);
  if (memory.reaches_unknown) names.insert("all that unknown code can reach");
  names.erase("");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string FactsText::text_of(const Scope& scope) const {
  const Branch& branch = facts_.branches[place(scope.branch)];
  std::string text = fmt::format(
      "{} {} controls {}", branch.kind == BranchKind::call ? "call that may not return" : "branch",
      text_of(branch.position), counted(scope.sites.size(), "site"));
  if (const std::string written = text_of(facts_.memory[place(scope.writes)]); !written.empty())
    text += fmt::format("; may write {}", written);
  const std::pair<bool, std::string_view> may[] = {{scope.synchronizes, "synchronizes"},
                                                   {scope.calls_unknown, "calls unknown code"},
                                                   {scope.allocates, "allocates or frees"},
                                                   {scope.has_state, "uses the state of a library"},
                                                   {scope.may_trap, "may trap"},
                                                   {scope.may_stop, "may not end"}};
  for (const auto& [holds, words] : may)
    if (holds) text += fmt::format("; {}", words);
  return text;
}

std::string FactsText::text_of(const Dependence& dependence) const {
  const auto place_of = [&](SiteIndex site) { return text_of(facts_.sites[place(site)].position); };
  std::vector<std::string> sources;
  for (SiteIndex site : dependence.loads) sources.push_back("the load " + place_of(site));
  for (ParameterIndex parameter : dependence.parameters)
    sources.push_back(fmt::format("parameter {}", place(parameter) + 1));
  for (SiteIndex site : dependence.results) sources.push_back("the result of " + place_of(site));
  for (BranchIndex branch : dependence.branches)
    sources.push_back("the branch " + text_of(facts_.branches[place(branch)].position));
  if (dependence.has_untracked) sources.push_back("something without a record");
  const std::string where = dependence.site ? place_of(*dependence.site)
                            : dependence.branch
                                ? text_of(facts_.branches[place(*dependence.branch)].position)
                                : "";
  std::string text(word_of(dependence.role));
  if (dependence.role == UseRole::argument) text += fmt::format(" {}", dependence.argument + 1);
  if (!where.empty()) text += " " + where;
  return fmt::format("{} from {}", text, fmt::join(sources, ", "));
}

void FactsText::print_flow(size_t function) {
  for (const Scope* scope : scopes_[function]) out_ += fmt::format("    {}\n", text_of(*scope));
  for (const Dependence* one : dependences_[function])
    out_ += fmt::format("    {}\n", text_of(*one));
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
