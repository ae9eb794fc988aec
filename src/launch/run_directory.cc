// SPDX-License-Identifier: Apache-2.0

#include "launch/run_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/output.h"

namespace foretell::launch {
namespace {

using Json = nlohmann::ordered_json;

std::unexpected<Diagnostic> cannot_write(const std::string& path, int error) {
  Diagnostic diagnostic{fmt::format("cannot write {}: {}", path, std::strerror(error)), ""};
  diagnostic.exit_code = ExitCode::io_error;
  return std::unexpected(std::move(diagnostic));
}

// What a program read, wrote and printed is for nobody else's eyes.
constexpr mode_t kPrivate = S_IRWXU;

Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), kPrivate) == 0 || errno == EEXIST) return {};
  return cannot_write(path, errno);
}

// "20240131-235959", local time: people look for the run they just made.
std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

}  // namespace

Result<RunDirectory> RunDirectory::create(const std::string& root, const std::string& path,
                                          Kind kind) {
  std::string chosen = path;
  if (path.empty()) {
    if (auto made = make_folder(root); !made) return std::unexpected(std::move(made).error());
    const std::string stamp = time_stamp();
    for (uint32_t counter = 1;; ++counter) {
      chosen = fmt::format("{}/{}-{:03}", root, stamp, counter);
      if (::mkdir(chosen.c_str(), kPrivate) == 0) break;
      if (errno != EEXIST) return cannot_write(chosen, errno);
    }
  } else if (auto made = make_folder(path); !made) {
    return std::unexpected(std::move(made).error());
  }
  const bool is_test = kind == Kind::test;
  for (const char* part :
       {is_test ? kProcesses : "/schedules", is_test ? kRecordings : "/outputs"}) {
    if (auto made = make_folder(chosen + part); !made) {
      return std::unexpected(std::move(made).error());
    }
  }
  return RunDirectory(chosen, path.empty() ? root : "");
}

std::optional<std::string> RunDirectory::test_run(const std::string& path) {
  const std::string chosen = path.empty() ? ".foretell/latest" : path;
  if (::access((chosen + kTestFile).c_str(), R_OK) != 0) return {};
  // A run that others were explored from is one itself.
  if (::access((chosen + kRunFile).c_str(), R_OK) == 0) return {};
  return chosen;
}

Result<RunDirectory> RunDirectory::open(const std::string& path) {
  const std::string chosen = path.empty() ? ".foretell/latest" : path;
  if (::access((chosen + kRunFile).c_str(), R_OK) == 0) return RunDirectory(chosen, "");
  if (test_run(path)) {
    return std::unexpected(
        Diagnostic{fmt::format("{} holds the runs of many processes", chosen), ""}.with_note(
            fmt::format("name a finding, or one of them with --run={}/processes/PID", chosen)));
  }
  Diagnostic diagnostic{path.empty() ? "there is no recorded run in this folder (.foretell/latest)"
                                     : fmt::format("{} is not a recorded run", path),
                        ""};
  diagnostic.notes.push_back(
      "record one with 'foretell run -- PROGRAM', or name one with --run=DIR");
  return std::unexpected(std::move(diagnostic));
}

Result<RunDirectory> RunDirectory::open_for(const std::string& path, const std::string& finding) {
  const std::string chosen = path.empty() ? ".foretell/latest" : path;
  const std::string file = chosen + kTestFile;
  const bool is_many = test_run(path).has_value();
  if (finding.empty() || ::access(file.c_str(), R_OK) != 0) return open(path);
  FORETELL_TRY(text, InputFile::open(file));
  // nlohmann reports by exceptions; none leaves this function.
  try {
    const Json json = Json::parse(text.bytes());
    const Json& findings = json.at("findings");
    if (findings.contains(finding)) {
      const std::filesystem::path run = findings.at(finding).get<std::string>();
      if (run.is_absolute() || std::ranges::find(run, "..") != run.end()) {
        return fail("{} is damaged: it names a run outside of its folder", file);
      }
      return open(chosen + '/' + run.string());
    }
    if (!is_many) return open(path);
    std::string known;
    for (const auto& [name, folder] : findings.items()) known += (known.empty() ? "" : ", ") + name;
    return std::unexpected(
        Diagnostic{fmt::format("there is no finding '{}' in {}", finding, chosen), ""}.with_note(
            known.empty() ? "that run has no findings" : "it has " + known));
  } catch (const Json::exception& error) {
    return fail("{} is damaged: {}", file, error.what());
  }
}

Result<void> RunDirectory::publish() const {
  if (root_.empty()) return {};
  return make_latest(root_, path_.substr(path_.rfind('/') + 1));
}

Result<void> RunDirectory::make_latest(const std::string& root, const std::string& name) {
  const std::string fresh = fmt::format("{}/.latest-{}", root, ::getpid());
  ::unlink(fresh.c_str());
  if (::symlink(name.c_str(), fresh.c_str()) != 0) return cannot_write(fresh, errno);
  const std::string link = root + "/latest";
  if (::rename(fresh.c_str(), link.c_str()) != 0) {
    const int error = errno;
    ::unlink(fresh.c_str());
    return cannot_write(link, error);
  }
  return {};
}

Result<void> RunDirectory::write_info(const RunInfo& info) const {
  Json json = {{"foretell", 1},
               {"version", info.version},
               {"command", info.command},
               {"directory", info.directory},
               {"program", info.program},
               {"build", {{"size", info.build.size}, {"hash", info.build.hash}}},
               {"stdin", info.standard_input},
               {"mode", trace::word_of(info.mode)},
               {"strategy", info.strategy},
               {"seed", info.seed}};
  if (!info.environment.empty()) json["environment"] = info.environment;
  if (!info.unset_variables.empty()) json["unset"] = info.unset_variables;
  if (info.quantum) json["quantum"] = *info.quantum;
  if (info.depth) json["depth"] = *info.depth;
  if (info.keep_repeats) json["keep_repeats"] = true;
  if (info.only_contended) json["only_contended"] = true;
  json["start_time_ns"] = info.start_time_ns;
  json["events"] = info.events;
  json["threads"] = info.threads;
  json["seconds"] = info.seconds;
  json["status"] = info.status;
  json["ended"] = info.ended;
  return write_text(path_ + kRunFile,
                    json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<RunInfo> RunDirectory::info() const {
  const std::string path = path_ + kRunFile;
  FORETELL_TRY(file, InputFile::open(path));
  // nlohmann reports by exceptions; none leaves this function.
  try {
    const Json json = Json::parse(file.bytes());
    if (json.at("foretell") != 1) {
      return fail("{} is in a form that this Foretell does not know", path);
    }
    RunInfo info;
    json.at("version").get_to(info.version);
    json.at("command").get_to(info.command);
    json.at("directory").get_to(info.directory);
    json.at("program").get_to(info.program);
    json.at("build").at("size").get_to(info.build.size);
    json.at("build").at("hash").get_to(info.build.hash);
    json.at("stdin").get_to(info.standard_input);
    const auto mode = trace::parse_mode(json.at("mode").get<std::string>());
    if (!mode) return fail("{} is damaged: its mode is {}", path, json.at("mode").dump());
    info.mode = *mode;
    json.at("strategy").get_to(info.strategy);
    json.at("seed").get_to(info.seed);
    if (json.contains("environment")) json.at("environment").get_to(info.environment);
    if (json.contains("unset")) json.at("unset").get_to(info.unset_variables);
    if (json.contains("quantum")) info.quantum = json.at("quantum").get<uint64_t>();
    if (json.contains("depth")) info.depth = json.at("depth").get<uint64_t>();
    info.keep_repeats = json.value("keep_repeats", false);
    info.only_contended = json.value("only_contended", false);
    json.at("start_time_ns").get_to(info.start_time_ns);
    json.at("events").get_to(info.events);
    json.at("threads").get_to(info.threads);
    json.at("seconds").get_to(info.seconds);
    json.at("status").get_to(info.status);
    json.at("ended").get_to(info.ended);
    if (info.command.empty()) return fail("{} names no command", path);
    return info;
  } catch (const Json::exception& error) {
    return fail("{} is damaged: {}", path, error.what());
  }
}

Result<void> check_same_build(const RunInfo& info, const std::string& program,
                              const std::string& run) {
  FORETELL_TRY(build, build_id_of(program));
  if (build == info.build) return {};
  return std::unexpected(
      Diagnostic{fmt::format("{} was recorded from a different build of {}", run, program), ""}
          .with_note("rebuild, or pass --binary=PATH"));
}

}  // namespace foretell::launch
