// SPDX-License-Identifier: Apache-2.0

#include "pipeline/refutation.h"

#include <fmt/format.h>

namespace foretell::pipeline {
namespace {

std::string at(const finding::DescribedEvent& e) {
  return e.site.empty() ? fmt::format("event {}", to_index(e.index)) : e.site;
}

std::string edge_text(const finding::OrderEdge& edge) {
  const finding::DescribedEvent& from = edge.from;
  const finding::DescribedEvent& to = edge.to;
  if (from.operation == trace::EventKind::Fork)
    return fmt::format("{} is started at {}", to.thread, at(from));
  if (to.operation == trace::EventKind::Join) {
    return fmt::format("{} is joined by {} at {}", from.thread, to.thread, at(to));
  }
  if (to.operation == trace::EventKind::WaitEnd) {
    return fmt::format("{} waits on '{}' for {}'s signal at {}", to.thread, to.object, from.thread,
                       at(from));
  }
  if (to.operation == trace::EventKind::BarrierExit) {
    return fmt::format("{} waits for {} at the barrier '{}'", to.thread, from.thread, to.object);
  }
  if (to.operation == trace::EventKind::SemaphoreWait) {
    return fmt::format("{} waits for {}'s post of '{}' at {}", to.thread, from.thread, to.object,
                       at(from));
  }
  return fmt::format("{} reads at {} what {} wrote to '{}'", to.thread, at(to), from.thread,
                     to.object);
}

}  // namespace

std::string refutation_text(std::span<const finding::OrderEdge> path) {
  std::string text;
  for (const finding::OrderEdge& edge : path)
    text += (text.empty() ? "" : " before ") + edge_text(edge);
  return text;
}

}  // namespace foretell::pipeline
