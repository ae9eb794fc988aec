#include "pipeline/explained_by_races.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace foretell {
namespace {

// Where an event is, or which one it is if its place has no name.
std::string place_of(const DescribedEvent& e) {
  return e.site.empty() ? std::to_string(to_index(e.index)) : e.site;
}

using Places = std::pair<std::string, std::string>;

Places places_of(const DescribedEvent& a, const DescribedEvent& b) {
  Places places{place_of(a), place_of(b)};
  if (places.second < places.first) std::swap(places.first, places.second);
  return places;
}

}  // namespace

void drop_what_races_explain(std::vector<Finding>& findings) {
  std::set<Places> races;
  for (const Finding& f : findings) {
    if (f.as<RaceFinding>() != nullptr && f.verdict != Verdict::possible) {
      races.insert(places_of(f.events[0], f.events[1]));
    }
  }
  std::erase_if(findings, [&](const Finding& f) {
    const auto* read = f.as<NondeterminismFinding>();
    if (read == nullptr) return false;
    std::vector<const DescribedEvent*> accesses;
    for (const DescribedEvent& e : f.events) accesses.push_back(&e);
    if (read->seen_write) accesses.push_back(&*read->seen_write);
    for (size_t i = 0; i < accesses.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (races.contains(places_of(*accesses[i], *accesses[j]))) return true;
      }
    }
    return false;
  });
}

}  // namespace foretell
