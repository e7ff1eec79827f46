// streamap-info: what StreamMAP sees of a cluster, and what is wrong with it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "info/doctor.h"
#include "info/look.h"
#include "info/table.h"
#include "observe/log.h"

namespace {

constexpr const char *help =
    "usage: [mpirun ...] streamap-info [--json] [--doctor] [program]\n"
    "\n"
    "What StreamMAP sees: ranks, cores, memory, devices, MPI. Started like a program (under mpirun, with the same\n"
    "options and variables), it shows what a program would get. It runs nothing and opens no device.\n"
    "\n"
    "  --json    for programs instead of people\n"
    "  --doctor  what is wrong or slow, each with the fix\n"
    "  program   with --doctor: whether all ranks have the same file there\n"
    "\n"
    "exit code: 0; 1 if --doctor has found something; 2 for a wrong option or setting\n";

constexpr int allWell = 0, somethingFound = 1, wrongUse = 2;

struct Options {
  bool json = false, doctor = false, help = false;
  std::string program;
};

streamap::Result<Options> readOptions(const std::vector<std::string_view> &words) {
  static constexpr std::string_view known[] = {"--json", "--doctor", "--help"};
  Options options;
  for (const std::string_view word : words) {
    if (word == "--json")
      options.json = true;
    else if (word == "--doctor")
      options.doctor = true;
    else if (word == "--help" || word == "-h")
      options.help = true;
    else if (word.starts_with("-")) {
      const auto near = streamap::nearestName(word, known);
      return streamap::failure("unknown option " + std::string(word) +
                               (near ? "; did you mean " + std::string(*near) + "?" : "; --help lists all"));
    } else if (!options.program.empty())
      return streamap::failure("one program is enough: " + options.program + ", " + std::string(word));
    else
      options.program = word;
  }
  return options;
}

/// What rank 0 writes.
std::string report(const streamap::Look &look, std::span<const streamap::Finding> findings, const Options &options) {
  if (!options.json)
    return options.doctor ? streamap::describeFindings(findings) : streamap::describeInventory(look.inventory);
  auto json = streamap::toJson(look.inventory);
  if (options.doctor) {
    json["findings"] = nlohmann::ordered_json::array();
    for (const streamap::Finding &finding : findings)
      json["findings"].push_back(
          {{"code", finding.code}, {"where", finding.where}, {"what", finding.what}, {"fix", finding.fix}});
  }
  // Names come from drivers and files, in whatever bytes they have.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run(const Options &options) {
  const auto look = streamap::lookAtCluster(options.program);
  if (!look) {
    streamap::showError(look.error());
    return wrongUse;
  }
  if (!*look) // another rank speaks
    return allWell;
  std::vector<streamap::Finding> findings;
  if (options.doctor)
    findings = streamap::diagnose((*look)->inventory, (*look)->devicesSetting);
  std::fputs(report(**look, findings, options).c_str(), stdout);
  return findings.empty() ? allWell : somethingFound;
}

} // namespace

int main(int argc, char **argv) {
  const auto options = readOptions({argv + 1, argv + argc});
  if (!options) {
    streamap::showError(options.error());
    return wrongUse;
  }
  if (options->help) {
    std::fputs(help, stdout);
    return allWell;
  }
  return run(*options);
}
