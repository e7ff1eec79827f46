// StreamMAP simulator: what streamap-sim is asked.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/command_line.h"

#include <charconv>
#include <functional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "simulate/generate.h"
#include "simulate/quantity.h"

namespace streamap::simulate {
namespace {

/// The cluster when no file describes one.
struct Regular {
  std::int64_t nodes = 8, cores = 8, gpus = 2;
  double coreSpeed = 1e10, gpuFactor = 10;
  Link link{10e9, 2e-6};
};

struct Reading {
  Request request;
  Regular regular;
  std::string clusterFile;
  bool isRegular = false;
};

struct Option {
  std::string_view name, value, meaning; ///< no value: it takes none
  std::function<Result<void>(Reading &, std::string_view)> set;
};

template <class Number> Result<Number> readNumber(std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least && number <= most))
    return failure("a number from " + std::to_string(least) + " to " + std::to_string(most) + " is wanted, not '" +
                   std::string(text) + "'");
  return number;
}

/// An option that sets a number of the regular cluster.
template <class Number> auto regularNumber(Number Regular::*member, Number least, Number most) {
  return [=](Reading &reading, std::string_view text) -> Result<void> {
    reading.isRegular = true;
    return readNumber(text, least, most).map([&](Number number) { reading.regular.*member = number; });
  };
}

Result<void> setPolicies(Reading &reading, std::string_view text) {
  reading.request.policies.clear();
  if (text == "all") {
    reading.request.policies.assign(policies().begin(), policies().end());
    return {};
  }
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const Policy *const policy = findPolicy(name);
    if (!policy) {
      std::vector<std::string_view> names{"all"};
      for (const Policy *const one : policies())
        names.push_back(one->name());
      const auto near = nearestName(name, names);
      return failure("there is no policy '" + std::string(name) + "'" +
                     (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
    }
    reading.request.policies.push_back(policy);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return {};
}

template <class Member> auto textInto(Member member) {
  return [=](Reading &reading, std::string_view text) -> Result<void> {
    reading.request.*member = std::string(text);
    return {};
  };
}

const std::vector<Option> &options() {
  static const std::vector<Option> all{
      {"cluster", "FILE", "a description of the cluster, JSON (docs/simulator.md)",
       [](Reading &reading, std::string_view text) -> Result<void> {
         reading.clusterFile = std::string(text);
         return {};
       }},
      {"nodes", "N", "without a file: nodes, all alike (8)", regularNumber<std::int64_t>(&Regular::nodes, 1, 100'000)},
      {"cores", "N", "cores of each (8)", regularNumber<std::int64_t>(&Regular::cores, 0, 4096)},
      {"gpus", "N", "GPUs of each (2)", regularNumber<std::int64_t>(&Regular::gpus, 0, 63)},
      {"core-speed", "X", "operations per second and core (1e10)", regularNumber<double>(&Regular::coreSpeed, 1, 1e18)},
      {"gpu-factor", "X", "how many times as fast as a core a GPU is (10)",
       regularNumber<double>(&Regular::gpuFactor, 1e-3, 1e9)},
      {"link", "10GB/s", "bandwidth of each node's link, in each direction (10GB/s)",
       [](Reading &reading, std::string_view text) -> Result<void> {
         reading.isRegular = true;
         return parseBandwidth(text).map([&](double speed) { reading.regular.link.bytesPerSecond = speed; });
       }},
      {"graph", "FILE", "a graph that STREAMAP_RECORD has recorded", textInto(&Request::graph)},
      {"generate", "NAME:X=1,...", "a generated graph", textInto(&Request::generate)},
      {"policy", "NAME,...", "policies to compare, or all (eft)", setPolicies},
      {"lookahead", "N", "as the setting of that name (4)",
       [](Reading &reading, std::string_view text) -> Result<void> {
         return readNumber(text, 1, 1024).map([&](int number) { reading.request.setup.placement.lookahead = number; });
       }},
      {"max-tasks", "N", "as the setting of that name (16384)",
       [](Reading &reading, std::string_view text) -> Result<void> {
         return readNumber<std::int64_t>(text, 1, 1'000'000'000).map([&](std::int64_t number) {
           reading.request.setup.maxTasks = static_cast<std::size_t>(number);
         });
       }},
      {"no-history", "", "nothing is known from earlier runs: how long tasks take has to be found out",
       [](Reading &reading, std::string_view) -> Result<void> {
         reading.request.setup.history = false;
         return {};
       }},
      {"noise", "X", "tasks take up to that part more or less (0)",
       [](Reading &reading, std::string_view text) -> Result<void> {
         return readNumber<double>(text, 0, 0.99).map([&](double part) { reading.request.setup.noise = part; });
       }},
      {"trace", "FILE", "writes when each task ran where, under the first policy", textInto(&Request::trace)},
      {"json", "", "prints JSON instead of a table",
       [](Reading &reading, std::string_view) -> Result<void> {
         reading.request.json = true;
         return {};
       }},
      {"curve", "", "prints what assigning a task costs in clusters of 10 to 10,000 nodes",
       [](Reading &reading, std::string_view) -> Result<void> {
         reading.request.what = Request::What::Curve;
         return {};
       }},
      {"help", "", "prints this",
       [](Reading &reading, std::string_view) -> Result<void> {
         reading.request.what = Request::What::Help;
         return {};
       }},
  };
  return all;
}

/// `--name value`, `--name=value` or `--name`; \p at moves on.
Result<void> readOption(Reading &reading, std::span<char *const> words, std::size_t &at) {
  const std::string_view word = words[at++];
  if (!word.starts_with("--"))
    return failure("'" + std::string(word) + "' is not an option", "streamap-sim --help lists them");
  const auto equals = word.find('=');
  const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
  std::vector<std::string_view> names;
  for (const Option &option : options()) {
    names.push_back(option.name);
    if (option.name != name)
      continue;
    std::string_view value;
    if (option.value.empty() && equals != std::string_view::npos)
      return failure("--" + std::string(name) + " takes no value");
    if (!option.value.empty()) {
      if (equals == std::string_view::npos && at == words.size())
        return failure("--" + std::string(name) + " wants a value: " + std::string(option.value));
      value = equals == std::string_view::npos ? std::string_view(words[at++]) : word.substr(equals + 1);
    }
    return option.set(reading, value).map_error([&](Error error) { return std::move(error).in("--" + std::string(name)); });
  }
  const auto near = nearestName(name, names);
  return failure("there is no option --" + std::string(name) + (near ? "; did you mean --" + std::string(*near) + "?" : ""),
                 "streamap-sim --help lists them");
}

} // namespace

Result<Request> readCommandLine(int argc, char **argv) {
  Reading reading;
  const std::span words(argv, static_cast<std::size_t>(argc));
  reading.request.policies.assign(policies().begin(), policies().begin() + 1);
  for (std::size_t at = 1; at < words.size();)
    if (auto read = readOption(reading, words, at); !read)
      return tl::make_unexpected(read.error());
  Request &request = reading.request;
  if (request.what != Request::What::Run)
    return std::move(request);
  if (request.graph.empty() == request.generate.empty())
    return failure(request.graph.empty() ? "there is nothing to run: --graph or --generate is wanted"
                                         : "--graph and --generate exclude each other",
                   "streamap-sim --help");
  if (!reading.clusterFile.empty() && reading.isRegular)
    return failure("--cluster describes the cluster; --nodes and the like do not go with it");
  if (reading.clusterFile.empty()) {
    const Regular &regular = reading.regular;
    if (regular.cores == 0 && regular.gpus == 0)
      return failure("a cluster without cores and GPUs runs nothing");
    request.cluster = regularCluster(static_cast<int>(regular.nodes), static_cast<int>(regular.cores),
                                     static_cast<int>(regular.gpus), regular.coreSpeed, regular.gpuFactor, regular.link);
    return std::move(request);
  }
  auto cluster = readCluster(reading.clusterFile);
  if (!cluster)
    return tl::make_unexpected(cluster.error());
  request.cluster = std::move(*cluster);
  return std::move(request);
}

std::string usage() {
  std::string text = "streamap-sim: runs a graph of tasks in virtual time on a cluster that need not exist, through the same "
                     "assignment that StreamMAP programs use.\n\n";
  for (const Option &option : options()) {
    std::string head = "  --" + std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value));
    head.resize(std::max<std::size_t>(head.size() + 1, 28), ' ');
    text += head + std::string(option.meaning) + "\n";
  }
  return text + "\ngenerators\n" + describeGenerators() + "\npolicies\n" + describePolicies();
}

} // namespace streamap::simulate
