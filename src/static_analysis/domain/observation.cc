// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/observation.h"

#include <algorithm>
#include <charconv>

namespace foretell::static_analysis::domain {
namespace {

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

Result<Observation> Observation::parse(std::string_view text) {
  const auto unknown = [&] {
    return std::unexpected(Diagnostic{fmt::format("'{}' is no observation", text), {}}.with_note(
        "known are sign, parity, constant, mod:N and buckets:A,B,..."));
  };
  if (text == "sign") return Observation(Kind::sign, std::string(text));
  if (text == "parity") return Observation(Kind::parity, std::string(text));
  if (text == "constant") return Observation(Kind::constant, std::string(text));
  if (text.starts_with("mod:")) {
    const auto modulus = parse_number(text.substr(4));
    if (!modulus || *modulus < 1) return unknown();
    Observation made(Kind::remainder, std::string(text));
    made.modulus_ = *modulus;
    return made;
  }
  if (text.starts_with("buckets:")) {
    Observation made(Kind::buckets, std::string(text));
    for (std::string_view rest = text.substr(8);;) {
      const size_t comma = rest.find(',');
      const auto end = parse_number(rest.substr(0, comma));
      if (!end || (!made.ends_.empty() && *end <= made.ends_.back())) return unknown();
      made.ends_.push_back(*end);
      if (comma == std::string_view::npos) return made;
      rest = rest.substr(comma + 1);
    }
  }
  return unknown();
}

int64_t Observation::block_of(int64_t value) const {
  switch (kind_) {
    case Kind::sign:
      return value < 0 ? -1 : value > 0;
    case Kind::parity:
      return value & 1;
    case Kind::remainder:
      return ((value % modulus_) + modulus_) % modulus_;
    case Kind::buckets:
      return std::ranges::upper_bound(ends_, value) - ends_.begin();
    case Kind::constant:
      return value;
  }
  return 0;
}

std::optional<int64_t> Observation::block_of(const Number& values) const {
  if (values.is_bottom()) return {};
  if (const auto value = values.single()) return block_of(*value);
  const auto& range = values.part<Interval>();
  switch (kind_) {
    case Kind::sign:
      switch (values.part<Sign>().mask()) {
        case Sign::kNegative:
          return -1;
        case Sign::kZero:
          return 0;
        case Sign::kPositive:
          return 1;
        default:
          return {};
      }
    case Kind::parity:
      switch (values.part<Parity>().mask()) {
        case Parity::kEven:
          return 0;
        case Parity::kOdd:
          return 1;
        default:
          return {};
      }
    case Kind::remainder: {
      const auto& congruence = values.part<Congruence>();
      if (congruence.modulus() % static_cast<uint64_t>(modulus_) != 0) return {};
      return block_of(congruence.remainder());
    }
    case Kind::buckets: {
      const int64_t block = block_of(range.low());
      return block == block_of(range.high()) ? std::optional(block) : std::nullopt;
    }
    case Kind::constant:
      return {};
  }
  return {};
}

std::optional<int64_t> Observation::block_of(const Floating& values) const {
  if (values.may_be_nan() || !values.has_numbers()) return {};
  switch (kind_) {
    case Kind::sign:
      if (values.low() > 0) return 1;
      if (values.high() < 0) return -1;
      return values.low() == 0 && values.high() == 0 ? std::optional<int64_t>(0) : std::nullopt;
    case Kind::buckets: {
      const auto bucket = [&](double value) {
        return std::ranges::count_if(
            ends_, [&](int64_t end) { return static_cast<double>(end) <= value; });
      };
      const int64_t block = bucket(values.low());
      return block == bucket(values.high()) ? std::optional(block) : std::nullopt;
    }
    case Kind::constant:
    case Kind::parity:
    case Kind::remainder:
      return {};  // not of floating point numbers
  }
  return {};
}

std::string Observation::text_of(int64_t block) const {
  switch (kind_) {
    case Kind::sign:
      return block < 0 ? "negative" : block == 0 ? "zero" : "positive";
    case Kind::parity:
      return block == 0 ? "even" : "odd";
    case Kind::remainder:
      return fmt::format("{} modulo {}", block, modulus_);
    case Kind::buckets:
      if (block == 0) return fmt::format("below {}", ends_.front());
      if (static_cast<size_t>(block) == ends_.size())
        return fmt::format("{} or more", ends_.back());
      return fmt::format("from {} to {}", ends_[block - 1], ends_[block] - 1);
    case Kind::constant:
      return fmt::format("{}", block);
  }
  return "";
}

}  // namespace foretell::static_analysis::domain
