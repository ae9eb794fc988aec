// SPDX-License-Identifier: Apache-2.0

#include "replay/debugging.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/output.h"
#include "launch/run_trace.h"
#include "pipeline/describer.h"

namespace foretell::replay {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr uint64_t kMostSteps = 2000;  // from the end; nobody steps through more

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Beside us, as in the build tree and when installed.
Result<std::string> gdb_script() {
  std::error_code error;
  const fs::path root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  const fs::path path = root / "share/foretell/gdb/foretell.py";
  if (!fs::exists(path, error)) {
    return fail("{} is missing: build or install Foretell completely", path.string());
  }
  return path.string();
}

}  // namespace

Result<void> write_steps(const std::string& file, const launch::RunDirectory& directory,
                         const std::string& name, const schedule::Schedule& schedule,
                         const finding::Finding* finding) {
  const uint64_t steps = schedule.steps();
  const uint64_t first = steps > kMostSteps ? steps - kMostSteps : 0;
  Json json = {{"name", name}, {"steps", steps}, {"last", Json::array()}};
  if (finding != nullptr && finding->witness) {
    const finding::Witness& witness = *finding->witness;
    auto event_of = [&](uint64_t step) {
      return step < witness.prefix_end ? EventIndex{step}
                                       : witness.steps[step - witness.prefix_end];
    };
    const uint64_t end = std::min(steps, witness.prefix_end + witness.steps.size());
    FORETELL_TRY(reader, launch::RunTrace(directory).open());
    pipeline::EventDescriber describer(reader->tables(), [&](LocationId location) {
      return reader->tables().location_name(location);
    });
    for (uint64_t i = first; i < end; ++i) describer.want(event_of(i));
    std::vector<trace::Event> batch(trace::kBatchSize);
    for (;;) {
      FORETELL_TRY(got, reader->read(batch));
      if (got == 0) break;
      describer.on_events(std::span(batch).first(got));
    }
    for (uint64_t i = first; i < end; ++i) {
      const finding::DescribedEvent& e = describer[event_of(i)];
      json["last"].push_back({{"step", i + 1},
                              {"thread", e.thread},
                              {"op", word_of(e.operation)},
                              {"object", e.expression.empty() ? e.object : e.expression},
                              {"site", e.site}});
    }
  } else {
    uint64_t step = 0;
    for (const schedule::ScheduleRun& run : schedule.runs) {
      for (uint64_t i = 0; i < run.steps; ++i, ++step) {
        if (step < first) continue;
        json["last"].push_back({{"step", step + 1},
                                {"thread", fmt::format("T{}", static_cast<uint32_t>(run.thread))},
                                {"op", ""},
                                {"object", ""},
                                {"site", ""}});
      }
    }
  }
  return write_text(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<DebugPlan> plan_debugging(const Replayer& replayer, const std::string& name,
                                 const std::string& schedule_file, const std::string& steps_file,
                                 uint64_t pause_at) {
  FORETELL_TRY(script, gdb_script());
  const launch::RunInfo& info = replayer.info();
  FORETELL_TRY(program, launch::find_program(info.command[0], info.directory));
  DebugPlan plan{.name = name, .program = fs::absolute(program).string()};
  plan.options = {"set breakpoint pending on", "set startup-with-shell off",
                  fmt::format("python gdb.set_convenience_variable(\"foretell_steps\", {})",
                              quoted(fs::absolute(steps_file).string())),
                  "source " + script, "break __foretell_reached"};
  for (const std::string& variable : info.unset_variables) {
    plan.options.push_back("unset environment " + variable);
  }
  plan.environment =
      replayer.debugger_options(schedule_file, pause_at).environment(info.environment);
  return plan;
}

std::string to_launch_json(const DebugPlan& plan, const launch::RunInfo& info) {
  Json environment = Json::array(), setup = Json::array();
  for (const auto& [name, value] : plan.environment) {
    environment.push_back({{"name", name}, {"value", value}});
  }
  for (const std::string& option : plan.options) setup.push_back({{"text", option}});
  Json configuration = {{"name", "Foretell: " + plan.name},
                        {"type", "cppdbg"},
                        {"request", "launch"},
                        {"MIMode", "gdb"},
                        {"program", plan.program},
                        {"args", Json(std::vector(info.command.begin() + 1, info.command.end()))},
                        {"cwd", info.directory},
                        {"environment", std::move(environment)},
                        {"stopAtEntry", false},
                        {"setupCommands", std::move(setup)}};
  const Json json = {{"version", "0.2.0"}, {"configurations", Json::array({configuration})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell::replay
