// SPDX-License-Identifier: Apache-2.0

#include "program/statements.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>
#include <set>

namespace foretell::program {
namespace {

// The loads that a value comes from.
struct Sources {
  std::set<SiteIndex> loads;
  bool is_complete = true;  // nothing else leads to it
};

class Slicer {
 public:
  explicit Slicer(const Facts& facts)
      : facts_(facts), calls_at_(facts.sites.size()), unknown_(facts.sites.size()) {
    for (const Call& call : facts.calls) {
      if (call.site) calls_at_[place(*call.site)].push_back(&call);
      callers_[call.callee].push_back(&call);
    }
    for (const Dependence& value : facts.dependences) {
      if (value.role == UseRole::value && value.site) stored_[*value.site].push_back(&value);
      if (value.role == UseRole::condition && value.branch) {
        conditions_[*value.branch].push_back(&value);
      }
      if (value.role == UseRole::result) results_[value.function].push_back(&value);
      if (value.role == UseRole::argument && value.site) {
        arguments_[{*value.site, value.argument}].push_back(&value);
      }
    }
    for (const Access& access : facts.accesses) sites_of_[access.function].insert(access.site);
    for (const Call& call : facts.calls) {
      if (call.site) sites_of_[call.caller].insert(*call.site);
    }
  }

  std::vector<Statement> run() {
    std::vector<Statement> all(facts_.sites.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i].site = SiteIndex{i};
    for (const auto& [site, values] : stored_) {
      const Sources sources = sources_of(values);
      if (!sources.is_complete) unknown_[place(site)] = true;
      all[place(site)].uses.assign(sources.loads.begin(), sources.loads.end());
    }
    for (const Scope& scope : facts_.scopes) add_scope(scope, all);
    for (Statement& statement : all) {
      sort_out(statement.scope);
      sort_out(statement.changes);
    }
    std::erase_if(all, [&](const Statement& s) { return unknown_[place(s.site)]; });
    return all;
  }

 private:
  template <class Id>
  static void sort_out(std::vector<Id>& ids) {
    std::ranges::sort(ids);
    const auto repeats = std::ranges::unique(ids);
    ids.erase(repeats.begin(), repeats.end());
  }

  void add_scope(const Scope& scope, std::vector<Statement>& all) {
    std::set<SiteIndex> sites;
    std::set<FunctionIndex> called;
    for (SiteIndex site : scope.sites) add_site(site, sites, called);
    Sources sources;
    const auto conditions = conditions_.find(scope.branch);
    if (conditions == conditions_.end()) {
      // A call that may not return decides by all that it does.
      sources.is_complete = facts_.branches[place(scope.branch)].kind == BranchKind::choice;
    } else {
      sources = sources_of(conditions->second);
    }
    if (!sources.is_complete) {
      for (SiteIndex site : sites) unknown_[place(site)] = true;
    }
    for (SiteIndex load : sources.loads) {
      Statement& deciding = all[place(load)];
      deciding.scope.insert(deciding.scope.end(), sites.begin(), sites.end());
      for (TargetIndex target : facts_.memory[place(scope.writes)].targets) {
        const ObjectIndex object = facts_.targets[place(target)].object;
        if (facts_.objects[place(object)].kind == ObjectKind::global) {
          deciding.changes.push_back(object);
        }
      }
    }
  }

  // With all that is called there.
  void add_site(SiteIndex site, std::set<SiteIndex>& sites, std::set<FunctionIndex>& called) const {
    if (!sites.insert(site).second) return;
    for (const Call* call : calls_at_[place(site)]) {
      if (!called.insert(call->callee).second) continue;
      const auto inside = sites_of_.find(call->callee);
      if (inside == sites_of_.end()) continue;
      for (SiteIndex each : inside->second) add_site(each, sites, called);
    }
  }

  Sources sources_of(const std::vector<const Dependence*>& values) {
    followed_.clear();
    Sources sources;
    for (const Dependence* value : values) add(*value, sources);
    return sources;
  }

  void add(const Dependence& value, Sources& sources) {
    if (!followed_.insert(&value).second) return;
    if (value.has_untracked) sources.is_complete = false;
    sources.loads.insert(value.loads.begin(), value.loads.end());
    for (ParameterIndex parameter : value.parameters) add_argument(value, parameter, sources);
    for (SiteIndex call : value.results) add_results(call, sources);
    for (BranchIndex branch : value.branches) {
      const auto conditions = conditions_.find(branch);
      if (conditions == conditions_.end()) continue;
      for (const Dependence* condition : conditions->second) add(*condition, sources);
    }
  }

  void add_argument(const Dependence& value, ParameterIndex parameter, Sources& sources) {
    const auto callers = callers_.find(value.function);
    // A thread begins with it, or nobody is seen to call it: the argument is not followed.
    if (callers == callers_.end()) {
      sources.is_complete = false;
      return;
    }
    for (const Call* call : callers->second) {
      const auto arguments =
          call->site ? arguments_.find({*call->site, static_cast<uint32_t>(place(parameter))})
                     : arguments_.end();
      // Without a row it is a constant, unless the call itself is not known.
      if (!call->site || call->is_indirect) sources.is_complete = false;
      if (arguments == arguments_.end()) continue;
      for (const Dependence* argument : arguments->second) add(*argument, sources);
    }
  }

  void add_results(SiteIndex site, Sources& sources) {
    if (calls_at_[place(site)].empty()) sources.is_complete = false;
    for (const Call* call : calls_at_[place(site)]) {
      if (facts_.functions[place(call->callee)].body != Body::present) sources.is_complete = false;
      const auto results = results_.find(call->callee);
      if (results == results_.end()) continue;
      for (const Dependence* result : results->second) add(*result, sources);
    }
  }

  using Rows = std::vector<const Dependence*>;

  const Facts& facts_;
  std::vector<std::vector<const Call*>> calls_at_;  // by site
  absl::flat_hash_map<FunctionIndex, std::vector<const Call*>> callers_;
  absl::flat_hash_map<SiteIndex, Rows> stored_;
  absl::flat_hash_map<BranchIndex, Rows> conditions_;
  absl::flat_hash_map<FunctionIndex, Rows> results_;
  absl::flat_hash_map<std::pair<SiteIndex, uint32_t>, Rows> arguments_;
  absl::flat_hash_map<FunctionIndex, std::set<SiteIndex>> sites_of_;
  std::vector<bool> unknown_;                        // by site
  absl::flat_hash_set<const Dependence*> followed_;  // for the present question
};

}  // namespace

std::vector<Statement> statements_of(const Facts& facts) {
  return Slicer(facts).run();
}

}  // namespace foretell::program
