// SPDX-License-Identifier: Apache-2.0

#include "smt/solver_chain.h"

#include <fmt/format.h>

#include <filesystem>
#include <ranges>

#include "smt/cache_solver.h"
#include "smt/independence_solver.h"
#include "smt/logging_solver.h"
#include "smt/validating_solver.h"

namespace foretell::smt {

struct SolverChain::Layers {
  explicit Layers(const ChainOptions& options) : z3(options.z3), second(Z3Use::fresh) {
    put(z3, "z3");
    if (!options.log_directory.empty()) put(log.emplace(*top, options.log_directory), "log");
    if (options.cache) put(cache.emplace(*top), "cache");
    if (options.independence) put(independence.emplace(*top), "independence");
    if (options.validate_models || options.validate_unsat) {
      put(validate.emplace(*top, options.validate_unsat ? &second : nullptr), "validate");
    }
  }

  void put(Solver& layer, std::string name) {
    top = counted.emplace_back(std::make_unique<CountingSolver>(layer, std::move(name))).get();
  }

  Z3Solver z3, second;
  std::optional<LoggingSolver> log;
  std::optional<CacheSolver> cache;
  std::optional<IndependenceSolver> independence;
  std::optional<ValidatingSolver> validate;
  std::vector<std::unique_ptr<CountingSolver>> counted;  // from the bottom
  Solver* top = nullptr;
};

Result<std::unique_ptr<SolverChain>> SolverChain::create(ChainOptions options) {
  if (!options.log_directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.log_directory, error);
    if (error)
      return fail_at(options.log_directory, "cannot make the directory: {}", error.message());
  }
  auto layers = std::make_unique<Layers>(options);
  return std::unique_ptr<SolverChain>(new SolverChain(std::move(options), std::move(layers)));
}

SolverChain::SolverChain(ChainOptions options, std::unique_ptr<Layers> layers)
    : options_(std::move(options)), layers_(std::move(layers)) {}

SolverChain::~SolverChain() = default;

Outcome SolverChain::check(const Query& query) {
  if (query.limit != StepLimit::none || options_.limit == StepLimit::none) {
    return layers_->top->check(query);
  }
  Query limited = query;
  limited.limit = options_.limit;
  return layers_->top->check(limited);
}

std::vector<LayerStatistics> SolverChain::statistics() const {
  std::vector<LayerStatistics> rows;
  for (const auto& layer : layers_->counted | std::views::reverse) {
    rows.push_back(layer->statistics());
  }
  return rows;
}

std::string SolverChain::statistics_text() const {
  std::string text = fmt::format("{:<13}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}\n", "layer", "queries",
                                 "sat", "unsat", "unknown", "timeout", "seconds");
  for (const LayerStatistics& row : statistics()) {
    text += fmt::format("{:<13}{:>9}", row.layer, row.queries);
    for (size_t count : row.outcomes) text += fmt::format("{:>9}", count);
    text += fmt::format("{:>10.3f}\n", std::chrono::duration<double>(row.time).count());
  }
  return text;
}

std::vector<std::string> SolverChain::failures() const {
  return layers_->validate ? layers_->validate->failures() : std::vector<std::string>();
}

std::optional<Diagnostic> SolverChain::log_failure() const {
  return layers_->log ? layers_->log->failure() : std::nullopt;
}

}  // namespace foretell::smt
