// SPDX-License-Identifier: Apache-2.0

#include "report/remembered_names.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/split.h"

namespace foretell::report {
namespace {

// What is shown, and so may be named by a person.
bool is_shown(const finding::Finding& f) {
  return f.verdict <= finding::Verdict::predicted;
}

// Of a fingerprint, the number behind it counts its equals in one run, and another run may have
// found others of them. Within a build, lines tell them apart in all runs.
std::string key_of(const finding::Finding& f, std::map<std::string, size_t>& equals) {
  std::vector<std::string> places;
  for (const finding::DescribedEvent& e : f.events) {
    places.push_back(e.site.substr(e.site.rfind('/') + 1));
  }
  std::ranges::sort(places);
  std::string text;
  for (const std::string& place : places) text += place + '\n';
  std::string key = fmt::format("{}@{:016x}", f.fingerprint.substr(0, f.fingerprint.find('-')),
                                XXH3_64bits(text.data(), text.size()));
  const size_t before = equals[key]++;
  return before == 0 ? key : fmt::format("{}-{}", key, before + 1);
}

}  // namespace

RememberedNames RememberedNames::parse(std::string_view text) {
  RememberedNames names;
  for (std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 3 || std::ranges::any_of(words, &std::string_view::empty)) continue;
    names.newest(std::string(words[0]))
        .rows.push_back({std::string(words[1]), std::string(words[2])});
  }
  return names;
}

RememberedNames::Build& RememberedNames::newest(const std::string& build) {
  if (!builds_.empty() && builds_.back().build == build) return builds_.back();
  const auto known = std::ranges::find(builds_, build, &Build::build);
  if (known == builds_.end()) {
    builds_.push_back({build, {}});
    if (builds_.size() > kMostBuilds) builds_.erase(builds_.begin());
  } else {
    std::rotate(known, known + 1, builds_.end());
  }
  return builds_.back();
}

void RememberedNames::apply(finding::AnalysisResult& result, const std::string& build) {
  std::vector<Row>& rows = newest(build).rows;
  std::map<std::string, std::string> by_key;
  std::map<std::string, size_t> equals;
  std::set<std::string> used;
  for (const Row& row : rows) {
    by_key.emplace(row.key, row.name);
    used.insert(row.name);
  }
  std::map<finding::FindingKind, size_t> last;
  auto fresh = [&](const finding::Finding& f) {
    std::string name;
    do {
      name = fmt::format("{}-{}", word_of(f.kind()), ++last[f.kind()]);
    } while (!used.insert(name).second);
    return name;
  };
  std::vector<finding::Finding*> others;
  for (finding::Finding& f : result.findings) {
    if (!is_shown(f)) {
      others.push_back(&f);
      continue;
    }
    std::string key = key_of(f, equals);
    if (const auto known = by_key.find(key); known != by_key.end()) {
      f.id = known->second;
    } else {
      f.id = fresh(f);
      rows.push_back({std::move(key), f.id});
    }
  }
  for (finding::Finding& f : result.dismissed) others.push_back(&f);
  for (finding::Finding* f : others) f->id = fresh(*f);
  if (rows.size() > kMostNames) rows.erase(rows.begin(), rows.end() - kMostNames);
}

std::string RememberedNames::to_text() const {
  std::string text;
  for (const Build& build : builds_) {
    for (const Row& row : build.rows) {
      text += fmt::format("{} {} {}\n", build.build, row.key, row.name);
    }
  }
  return text;
}

}  // namespace foretell::report
