#include "pipeline/benign.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace foretell {
namespace {

constexpr StringId kAbsent{UINT32_MAX};

std::optional<uint64_t> number(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes `separator` and the number after it from the end of `text`.
std::optional<uint64_t> take_number(std::string_view& text, std::string_view separator) {
  const size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto value = number(text.substr(at + separator.size()));
  if (value) text = text.substr(0, at);
  return value;
}

// "hits+8:8" or "0x9010:4", as TraceTables::location_name writes them.
std::optional<Location> parse_range(std::string_view text, const TraceTables& tables) {
  Location range;
  const auto size = take_number(text, ":");
  if (!size) return std::nullopt;
  range.size = *size;
  if (const auto offset = take_number(text, "+")) {
    range.offset = *offset;
    range.space = tables.strings.find(text, kAbsent);
    if (range.space == kAbsent) return std::nullopt;
    return range;
  }
  if (!text.starts_with("0x")) return std::nullopt;
  const auto address = number(text.substr(2), 16);
  if (!address) return std::nullopt;
  range.offset = *address;
  return range;
}

}  // namespace

BenignRanges::BenignRanges(const TraceTables& tables) {
  for (const auto& [key, value] : tables.properties.rows()) {
    if (!key.starts_with("benign.")) continue;
    std::string_view text = value;
    Range range;
    if (const auto end = take_number(text, " to ")) range.end = EventIndex{*end};
    const auto first = take_number(text, " from ");
    const auto memory = parse_range(text, tables);
    if (!first || !memory) continue;
    range.first = EventIndex{*first};
    range.memory = *memory;
    ranges_.push_back(range);
  }
}

bool BenignRanges::covers(const Location& cell, const Proposal& race) const {
  const EventIndex second = race.events[1].index;
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    if (range.memory.space != cell.space) return false;
    if (second < range.first || second >= range.end) return false;
    return cell.offset < range.memory.offset + range.memory.size &&
           range.memory.offset < cell.offset + std::max<uint64_t>(cell.size, 1);
  });
}

}  // namespace foretell
