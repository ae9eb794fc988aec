// SPDX-License-Identifier: Apache-2.0

#include "schedule/place_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

#include "base/split.h"
#include "trace/text.h"

namespace foretell::schedule {
namespace {

constexpr std::string_view kPlacePrefix = "fp1:";
constexpr uint64_t kMostPlaceThreads = 1 << 24, kMostCount = uint64_t{1} << 40;

bool must_be_escaped(char c) {
  return c == ',' || c == '#' || c == '%' || static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
}

std::string escaped(std::string_view place) {
  std::string text;
  for (const char c : place) {
    if (must_be_escaped(c)) {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string place;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      place += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return {};
    place += static_cast<char>(value);
    i += 2;
  }
  return place;
}

std::optional<uint64_t> number_in(std::string_view text, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return {};
  return value;
}

std::optional<PlaceSegment> segment_in(std::string_view word) {
  const size_t x = word.find('x');
  if (x == std::string_view::npos) return {};
  const auto thread = number_in(word.substr(0, x), kMostPlaceThreads);
  if (!thread) return {};
  PlaceSegment segment{.thread = ThreadNumber{static_cast<uint32_t>(*thread)}};
  std::string_view rest = word.substr(x + 1);
  if (rest == "*") {
    segment.end = PlaceSegment::End::when_it_must;
    return segment;
  }
  const size_t at = rest.find('@');
  const auto count = number_in(rest.substr(0, at), kMostCount);
  if (!count || *count == 0) return {};
  segment.count = *count;
  if (at == std::string_view::npos) return segment;
  auto place = unescaped(rest.substr(at + 1));
  if (!place || place->empty()) return {};
  segment.end = PlaceSegment::End::at_place;
  segment.place = *std::move(place);
  return segment;
}

// Sites of one name are one place; the first of them stands for it.
class Places {
 public:
  explicit Places(const trace::TraceTables& tables) : tables_(tables) {}

  SiteId operator[](SiteId site) {
    if (site == kNoSite) return site;
    return first_.try_emplace(tables_.site_name(site), site).first->second;
  }

 private:
  const trace::TraceTables& tables_;
  std::map<std::string, SiteId> first_;
};

// Of one thread of the recorded run: its places in order, and how far the schedule has come.
struct Walk {
  std::vector<SiteId> sites;
  size_t at = 0;
};

PlaceSegment segment_of(ThreadNumber thread, Walk& walk, uint64_t steps,
                        const trace::TraceTables& tables) {
  const size_t begin = walk.at;
  walk.at = std::min<size_t>(begin + steps, walk.sites.size());
  if (walk.at == walk.sites.size()) {
    return {.thread = thread, .end = PlaceSegment::End::when_it_must};
  }
  const SiteId next = walk.sites[walk.at];
  if (next == kNoSite) return {.thread = thread, .count = steps};
  const auto passed = std::span(walk.sites).subspan(begin, walk.at - begin);
  return {.thread = thread,
          .end = PlaceSegment::End::at_place,
          .count = static_cast<uint64_t>(std::ranges::count(passed, next)) + 1,
          .place = tables.site_name(next)};
}

}  // namespace

std::string PlaceSchedule::to_string() const {
  std::string text(kPlacePrefix);
  for (const ThreadParent& p : parents) {
    text += fmt::format("{}<{}{}", to_index(p.thread), to_index(p.parent),
                        &p == &parents.back() ? ':' : ',');
  }
  for (const PlaceSegment& segment : segments) {
    text +=
        fmt::format("{}{}x", &segment == &segments.front() ? "" : ",", to_index(segment.thread));
    switch (segment.end) {
      case PlaceSegment::End::at_place:
        text += fmt::format("{}@{}", segment.count, escaped(segment.place));
        break;
      case PlaceSegment::End::after_steps:
        text += fmt::format("{}", segment.count);
        break;
      case PlaceSegment::End::when_it_must:
        text += '*';
        break;
    }
  }
  return text;
}

std::string PlaceSchedule::to_file(std::string_view comment) const {
  std::string file;
  for (std::string_view line : split(comment, '\n')) file += fmt::format("# {}\n", line);
  std::string text = to_string();
  for (size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 2) {
    text.insert(at + 1, "\n");
  }
  return file + text + '\n';
}

bool is_place_schedule(std::string_view text) {
  for (std::string_view line : split(trace::skip_byte_order_mark(text), '\n')) {
    line = trace::trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    return line.starts_with(kPlacePrefix);
  }
  return false;
}

Result<PlaceSchedule> parse_place_schedule(std::string_view text, const std::string& name) {
  std::string compact;
  for (std::string_view line : split(trace::skip_byte_order_mark(text), '\n')) {
    if (trace::trim(line).starts_with('#')) continue;
    std::ranges::copy_if(line, std::back_inserter(compact),
                         [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
  }
  std::string_view rest = compact;
  if (!rest.starts_with(kPlacePrefix)) {
    return fail("{} is not a schedule by places: '{}' does not begin with {}", name,
                trace::excerpt(rest), kPlacePrefix);
  }
  rest.remove_prefix(kPlacePrefix.size());
  PlaceSchedule schedule;
  // Threads have numbers, and only parents have '<' before the first place.
  const size_t colon = rest.find(':');
  if (colon != std::string_view::npos &&
      rest.substr(0, colon).find('@') == std::string_view::npos) {
    FORETELL_TRY(parents, parse_schedule(fmt::format("ft1:{}", rest.substr(0, colon + 1)), name));
    schedule.parents = parents.parents;
    rest.remove_prefix(colon + 1);
  }
  if (rest.empty()) return schedule;
  for (std::string_view word : split(rest, ',')) {
    auto segment = segment_in(word);
    if (!segment) {
      return fail(
          "{}: '{}' is not a segment; a segment is THREADxK@PLACE, like 2x1@bank.cc:18:19, "
          "THREADxSTEPS or THREADx*",
          name, trace::excerpt(word));
    }
    schedule.segments.push_back(*std::move(segment));
  }
  return schedule;
}

Result<PlaceSchedule> by_places(const Schedule& schedule, size_t at_end,
                                trace::TraceReader& recorded, const ThreadColumn& column) {
  std::map<ThreadNumber, Walk> walks;
  Places places(recorded.tables());
  std::vector<trace::Event> batch(trace::kBatchSize);
  recorded.rewind();
  for (;;) {
    FORETELL_TRY(count, recorded.read(batch));
    if (count == 0) break;
    for (const trace::Event& e : std::span(batch).first(count)) {
      if (const auto number = column.number_of(e.thread))
        walks[*number].sites.push_back(places[e.site]);
    }
  }
  recorded.rewind();
  const uint64_t steps = schedule.steps();
  const uint64_t lead = steps - std::min<uint64_t>(at_end, steps);
  PlaceSchedule result{{}, schedule.parents};
  for (const ScheduleRun& run : schedule.truncated(lead).runs) {
    result.segments.push_back(
        segment_of(run.thread, walks[run.thread], run.steps, recorded.tables()));
  }
  uint64_t passed = 0;
  for (const ScheduleRun& run : schedule.runs) {
    const uint64_t end = passed + run.steps;
    if (end > lead) {
      result.segments.push_back(
          {.thread = run.thread, .count = end - std::max(passed, lead), .place = {}});
    }
    passed = end;
  }
  return result;
}

}  // namespace foretell::schedule
