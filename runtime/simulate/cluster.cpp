// StreamMAP simulator: a cluster that need not exist.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/cluster.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "simulate/fields.h"

namespace streamap::simulate {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr std::int64_t mostNodes = 100'000, mostCores = 4096, mostGpus = 63;

Link readLink(Fields &fields, Link initial) {
  return {fields.bandwidth("bandwidth", initial.bytesPerSecond), fields.seconds("latency", initial.latency)};
}

/// `9.0`
ComputeCapability readCapability(Fields &fields) {
  ComputeCapability capability{9, 0};
  const std::string text = fields.text("cc", "9.0");
  const char *const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  const bool dot = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  if (!dot || std::from_chars(major.ptr + 1, end, capability.minor).ptr != end || major.ptr + 1 == end)
    fields.wrong("cc", "a compute capability like \"9.0\" is wanted");
  return capability;
}

GpuKind readGpus(Fields &fields) {
  GpuKind gpus;
  gpus.count = static_cast<int>(fields.whole("count", 1, 0, mostGpus));
  gpus.name = fields.text("name", gpus.name);
  gpus.vendor = fields.text("vendor", gpus.vendor);
  gpus.capability = readCapability(fields);
  gpus.speed = fields.number("speed", gpus.speed, 1, unlimited);
  gpus.memory = fields.bytes("memory", gpus.memory);
  fields.object("link", [&](Fields &link) { gpus.link = readLink(link, gpus.link); });
  gpus.lanes = static_cast<int>(fields.whole("tasks", gpus.lanes, 1, 64));
  return gpus;
}

NodeKind readNodes(Fields &fields) {
  NodeKind nodes;
  nodes.count = static_cast<int>(fields.whole("count", 1, 0, mostNodes));
  nodes.name = fields.text("name", nodes.name);
  nodes.cores = static_cast<int>(fields.whole("cores", nodes.cores, 0, mostCores));
  nodes.coreSpeed = fields.number("core_speed", nodes.coreSpeed, 1, unlimited);
  nodes.labels = fields.texts("labels");
  std::int64_t gpusInAll = 0;
  fields.objects("gpus", [&](Fields &gpus) {
    nodes.gpus.push_back(readGpus(gpus));
    gpusInAll += nodes.gpus.back().count;
  });
  if (gpusInAll > mostGpus)
    fields.wrong("gpus", "a node has at most " + std::to_string(mostGpus) + " GPUs, not " + std::to_string(gpusInAll));
  return nodes;
}

/// How many GPUs the node has, or -1 if there is no such node.
int gpusOf(const Cluster &cluster, std::int64_t node) {
  for (const NodeKind &kind : cluster.nodes) {
    if (node >= kind.count) {
      node -= kind.count;
      continue;
    }
    int gpus = 0;
    for (const GpuKind &gpu : kind.gpus)
      gpus += gpu.count;
    return gpus;
  }
  return -1;
}

void readBreakage(Fields &fields, Cluster &cluster) {
  Breakage breakage;
  breakage.at = fields.seconds("at", 0);
  const std::int64_t node = fields.whole("node", 0, 0, mostNodes);
  breakage.rank = Rank{static_cast<int>(node)};
  breakage.slowdown = fields.number("slowdown", 0, 1, unlimited);
  const int gpus = gpusOf(cluster, node);
  if (gpus < 0)
    return fields.wrong("node", "the cluster has " + std::to_string(cluster.ranks()) + " nodes, from 0 on");
  if (fields.has("gpu")) {
    breakage.gpu = static_cast<int>(fields.whole("gpu", 0, 0, mostGpus));
    if (*breakage.gpu >= gpus)
      return fields.wrong("gpu", "node " + std::to_string(node) + " has " + std::to_string(gpus) + " GPUs, from 0 on");
  } else if (node == 0 && breakage.slowdown == 0) {
    return fields.wrong("node", "node 0 runs main: the program ends with it");
  }
  cluster.breakages.push_back(breakage);
}

} // namespace

Result<Cluster> readCluster(const std::string &path) {
  auto document = readJson(path);
  if (!document)
    return tl::make_unexpected(document.error());
  std::optional<Error> error;
  Cluster cluster;
  Fields all(*document, {}, error);
  all.objects("nodes", [&](Fields &nodes) { cluster.nodes.push_back(readNodes(nodes)); });
  all.object("links", [&](Fields &links) {
    links.object("within_node", [&](Fields &link) { cluster.withinNode = readLink(link, cluster.withinNode); });
    links.object("between_nodes", [&](Fields &link) { cluster.betweenNodes = readLink(link, cluster.betweenNodes); });
  });
  cluster.launchTime = all.seconds("launch_time", cluster.launchTime);
  if (!error && cluster.ranks() == 0)
    all.wrong("nodes", "a cluster has at least one node");
  all.objects("failures", [&](Fields &failure) { readBreakage(failure, cluster); });
  all.finish();
  if (!error && cluster.resources().size() == 0)
    all.wrong("nodes", "nothing there can run a task: no node has a core or a GPU");
  if (error)
    return tl::make_unexpected(std::move(*error).in(path));
  return cluster;
}

Cluster regularCluster(int nodes, int cores, int gpus, double coreSpeed, double gpuFactor, Link betweenNodes) {
  Cluster cluster;
  NodeKind kind;
  kind.count = nodes;
  kind.cores = cores;
  kind.coreSpeed = coreSpeed;
  if (gpus > 0) {
    kind.gpus.emplace_back();
    kind.gpus.back().count = gpus;
    kind.gpus.back().speed = coreSpeed * gpuFactor;
  }
  cluster.nodes.push_back(std::move(kind));
  cluster.betweenNodes = betweenNodes;
  return cluster;
}

int Cluster::ranks() const {
  int count = 0;
  for (const NodeKind &kind : nodes)
    count += kind.count;
  return count;
}

ResourceTable Cluster::resources() const {
  std::vector<ProcessorFacts> facts;
  int rank = 0;
  for (const NodeKind &kind : nodes)
    for (int one = 0; one < kind.count; ++one, ++rank) {
      ProcessorFacts processor;
      processor.place = {Rank{rank}, hostMemory};
      processor.node = NodeId{rank};
      processor.lanes = kind.cores;
      processor.speed = kind.coreSpeed;
      processor.labels = kind.labels;
      if (kind.cores > 0)
        facts.push_back(processor);
      std::uint16_t memory = 0;
      for (const GpuKind &gpu : kind.gpus)
        for (int device = 0; device < gpu.count; ++device) {
          processor.place.memory = MemoryIndex{++memory};
          processor.lanes = gpu.lanes;
          processor.speed = gpu.speed;
          processor.memory = gpu.memory;
          processor.link = gpu.link;
          processor.device.emplace();
          processor.device->backend = "simulated";
          processor.device->vendor = gpu.vendor;
          processor.device->name = gpu.name;
          processor.device->capability = gpu.capability;
          processor.device->memory = gpu.memory;
          facts.push_back(processor);
        }
    }
  Links links;
  links.withinNode = withinNode;
  links.betweenNodes = betweenNodes;
  return {std::move(facts), std::move(links)};
}

std::string Cluster::describe() const {
  std::int64_t cores = 0, gpus = 0;
  for (const NodeKind &kind : nodes) {
    cores += std::int64_t{kind.count} * kind.cores;
    for (const GpuKind &gpu : kind.gpus)
      gpus += std::int64_t{kind.count} * gpu.count;
  }
  const auto counted = [](std::int64_t count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  return counted(ranks(), "node") + ", " + counted(cores, "core") + ", " + counted(gpus, "GPU");
}

} // namespace streamap::simulate
