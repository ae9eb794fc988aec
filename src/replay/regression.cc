#include "replay/regression.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/input_file.h"

namespace foretell {
namespace {

using Json = nlohmann::ordered_json;

std::string file_of(const std::string& site) {
  const std::string path = site.substr(0, site.find(':'));
  return path.substr(path.rfind('/') + 1);
}

// Names in Tiddle end at white space and some signs.
std::string tiddle_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    out += plain ? c : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out.insert(0, "v");
  return out;
}

std::string at(const std::string& site) {
  return site.empty() || site.find(' ') != std::string::npos ? "" : " @" + site;
}

void take_locks(const DescribedEvent& e, std::string& text) {
  for (const HeldLock& lock : e.locks) {
    text += fmt::format("{} {} {}{}\n", lock.shared ? "sacq" : "acq", e.thread,
                        tiddle_name(lock.name), at(lock.site));
  }
}

void give_locks_back(const DescribedEvent& e, std::string& text) {
  for (auto lock = e.locks.rbegin(); lock != e.locks.rend(); ++lock) {
    text +=
        fmt::format("{} {} {}\n", lock->shared ? "srel" : "rel", e.thread, tiddle_name(lock->name));
  }
}

std::string access_text(const DescribedEvent& e, const std::string& variable) {
  return fmt::format("{} {} {}{}\n", e.operation, e.thread, variable, at(e.site));
}

}  // namespace

KnownBug bug_of(const Finding& finding) {
  KnownBug bug{.name = finding.id, .kind = finding.kind};
  for (const DescribedEvent& e : finding.events) {
    bug.places.push_back(fmt::format("{}: {}", e.function.empty() ? file_of(e.site) : e.function,
                                     e.expression.empty() ? e.object : e.expression));
  }
  std::ranges::sort(bug.places);
  return bug;
}

std::string to_json(const KnownBug& bug) {
  const Json json = {
      {"foretell_bug", 1}, {"name", bug.name}, {"kind", word_of(bug.kind)}, {"places", bug.places}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KnownBug> read_bug(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  // nlohmann reports by exceptions; none leaves this function.
  try {
    const Json json = Json::parse(file.bytes());
    if (json.at("foretell_bug") != 1) {
      return fail("{} is in a form that this Foretell does not know", path);
    }
    const auto kind = finding_kind(json.at("kind").get<std::string>());
    if (!kind) return fail("{} is of a kind that this Foretell does not know", path);
    KnownBug bug{.name = json.at("name"), .kind = *kind};
    json.at("places").get_to(bug.places);
    return bug;
  } catch (const Json::exception& error) {
    return fail("{} describes no bug: {}", path, error.what());
  }
}

std::string to_tiddle(const Finding& finding) {
  using enum FindingKind;
  std::string text;
  switch (finding.kind) {
    case deadlock:
      // One after the other: the order of the locks is the bug, and the program still ends.
      for (const DescribedEvent& e : finding.events) {
        take_locks(e, text);
        const std::string lock = tiddle_name(e.object);
        text += fmt::format("acq {} {}{}\nrel {} {}\n", e.thread, lock, at(e.site), e.thread, lock);
        give_locks_back(e, text);
      }
      return text;
    case atomicity:
      // The first and the last event are in the block; what is between them tears it apart.
      text += fmt::format("beg {} block\n", finding.events[0].thread);
      for (const DescribedEvent& e : finding.events) {
        take_locks(e, text);
        text += access_text(e, tiddle_name(e.object));
        give_locks_back(e, text);
      }
      return text + fmt::format("end {} block\n", finding.events[0].thread);
    case race:
    case nondeterminism:
    case property:
      break;
  }
  const std::string variable = tiddle_name(finding.location);
  const bool frees = std::ranges::any_of(
      finding.events, [](const DescribedEvent& e) { return e.operation == "free"; });
  if (frees) text += fmt::format("alloc {} {} 8\n", finding.events[0].thread, variable);
  for (const DescribedEvent& e : finding.events) take_locks(e, text);
  for (const DescribedEvent& e : finding.events) text += access_text(e, variable);
  for (const DescribedEvent& e : finding.events) give_locks_back(e, text);
  return text;
}

}  // namespace foretell
