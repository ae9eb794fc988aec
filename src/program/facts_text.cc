#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/fact_words.h"
#include "program/print_facts.h"

namespace foretell::program {
namespace {

std::string text_of(const Position& position) {
  if (position.file.empty() || position.line == 0) return "?";
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "access" -> "accesses": the only one of our nouns that needs it.
std::string counted_accesses(size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "access" : "accesses");
}

bool is_unshared(const Facts& facts, const auto& row) {
  return facts.memory_of(row).sharing != Sharing::shared;
}

std::string_view reason(const Memory& memory) {
  switch (memory.sharing) {
    case Sharing::shared:
      return memory.reaches_unknown ? "unknown code may reach it" : "several threads may touch it";
    case Sharing::initial_thread:
      return "only the initial thread touches it";
    case Sharing::confined:
      return "no pointer to it leaves its thread";
  }
  return "";
}

void print_objects(const Facts& facts, bool unshared, std::string& out) {
  for (const Object& object : facts.objects) {
    if (is_unshared(facts, object) != unshared) continue;
    // The compiler's own slots.
    if (object.kind == ObjectKind::stack && object.name.empty()) continue;
    out +=
        fmt::format("  {:<12} {}  {}", word_of(object.kind), object.name, text_of(object.position));
    if (object.function)
      out += fmt::format("  in {}", facts.functions[place(*object.function)].name);
    out += fmt::format("  ({})\n", reason(facts.memory_of(object)));
  }
}

void print_functions(const Facts& facts, std::string& out) {
  std::map<size_t, std::set<std::string>> callees;
  for (const Call& call : facts.calls)
    callees[place(call.caller)].insert(facts.functions[place(call.callee)].name);
  std::map<size_t, size_t> branches;
  for (const Branch& branch : facts.branches) branches[place(branch.function)]++;
  for (size_t i = 0; i < facts.functions.size(); i++) {
    const Function& function = facts.functions[i];
    if (function.body != Body::present) continue;
    out += fmt::format("  {}  {}  run by {}", function.name, text_of(function.position),
                       word_of(function.run_by));
    if (branches[i] > 0)
      out += fmt::format(", {} {}", branches[i], branches[i] == 1 ? "branch" : "branches");
    out += '\n';
    for (const std::string& callee : callees[i]) out += fmt::format("    calls {}\n", callee);
  }
}

void print_unknowns(const Facts& facts, std::string& out) {
  for (const Unknown& unknown : facts.unknowns) {
    out += fmt::format("  {}", word_of(unknown.kind));
    if (!unknown.name.empty()) out += fmt::format(" {}", unknown.name);
    if (unknown.uses > 1) out += fmt::format(", {} times", unknown.uses);
    out += '\n';
  }
}

}  // namespace

std::string facts_text(const Facts& facts) {
  const auto unshared =
      std::ranges::count_if(facts.accesses, [&](const Access& a) { return is_unshared(facts, a); });
  std::string out =
      fmt::format("{}: {}, {}, {}\n{}, of which {} of memory that is not shared\n",
                  facts.subject.path, counted(facts.modules.size(), "module"),
                  counted(facts.sites.size(), "site"), counted(facts.functions.size(), "function"),
                  counted_accesses(facts.accesses.size()), unshared);
  out += "\nmodules\n";
  for (const Module& module : facts.modules)
    out +=
        fmt::format("  {}  {} from {}, identity {:016x}\n", module.source,
                    counted(module.site_count, "site"), place(module.first_site), module.identity);
  out += "\nnot shared between threads\n";
  print_objects(facts, true, out);
  out += "\nmay be shared\n";
  print_objects(facts, false, out);
  out += "\nfunctions\n";
  print_functions(facts, out);
  if (!facts.unknowns.empty()) out += "\nunknown, and assumed to do anything\n";
  print_unknowns(facts, out);
  return out;
}

}  // namespace foretell::program
