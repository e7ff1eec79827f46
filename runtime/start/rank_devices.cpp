// StreamMAP runtime: finding this rank's devices, sharing them with the others, and opening them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/rank_devices.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "device/request.h"

namespace streamap {
namespace {

void encodeProperties(WireWriter &out, const DeviceProperties &properties) {
  out.putText(properties.backend);
  out.putText(properties.vendor);
  out.putText(properties.name);
  out.put(properties.uuid);
  out.put(properties.capability);
  out.put(properties.memory);
  out.put(properties.multiprocessors);
  out.putText(properties.pciBusId);
  out.put(properties.numaNode);
  out.put(properties.mode);
  out.put(properties.tensorCores);
  out.putAll(properties.peers);
  out.put(properties.migParent);
  out.put(properties.ordinal);
  out.put(properties.nvml);
}

/// Limits mean something on the rank itself only.
DeviceProperties decodeProperties(WireReader &in) {
  DeviceProperties properties;
  properties.backend = in.getText();
  properties.vendor = in.getText();
  properties.name = in.getText();
  properties.uuid = in.get<DeviceUuid>();
  properties.capability = in.get<ComputeCapability>();
  properties.memory = in.get<Bytes>();
  properties.multiprocessors = in.get<int>();
  properties.pciBusId = in.getText();
  properties.numaNode = in.get<int>();
  properties.mode = in.get<ComputeMode>();
  properties.tensorCores = in.get<bool>();
  properties.peers = in.getAll<DeviceUuid>();
  properties.migParent = in.get<std::optional<DeviceUuid>>();
  properties.ordinal = in.get<std::optional<CudaOrdinal>>();
  properties.nvml = in.get<std::optional<NvmlIndex>>();
  return properties;
}

std::optional<std::string> variable(const char *name) {
  const char *const value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

void putTexts(WireWriter &out, const std::vector<std::string> &texts) {
  out.putPacked(texts.size());
  for (const std::string &text : texts)
    out.putText(text);
}

std::vector<std::string> getTexts(WireReader &in) {
  std::vector<std::string> texts(in.getPacked());
  for (std::string &text : texts)
    text = in.getText();
  return texts;
}

} // namespace

RankDevices::RankDevices(const std::string &setting, const BackendContext &context) {
  auto backends = makeBackends(setting, context);
  assert(backends && "the setting was checked when it was read");
  const auto visible = variable("CUDA_VISIBLE_DEVICES"), order = variable("CUDA_DEVICE_ORDER");
  sight_.visible = visible.value_or("(unset)");
  sight_.order = order.value_or("");
  sight_.sharingAsked = variable("CUDA_MPS_PIPE_DIRECTORY") || access("/tmp/nvidia-mps/control", F_OK) == 0;
  for (auto &backend : *backends) {
    Discovery discovery = backend->discover();
    auto hidden = findHidden(discovery.machine, discovery.devices, visible, order, notices_);
    std::move(hidden.begin(), hidden.end(), std::back_inserter(sight_.hidden));
    sight_.listed += discovery.machine.size();
    if (!discovery.driver.empty())
      sight_.drivers.push_back(std::move(discovery.driver));
    Search search{std::move(backend), {}};
    for (DeviceProperties &device : discovery.devices) {
      search.devices.push_back(device.uuid);
      sight_.uses.push_back(search.backend->use(device.uuid));
      sight_.devices.push_back(std::move(device));
    }
    std::move(discovery.notices.begin(), discovery.notices.end(), std::back_inserter(notices_));
    if (!discovery.reason.empty())
      sight_.reason += (sight_.reason.empty() ? "" : "; ") + discovery.reason;
    searches_.push_back(std::move(search));
  }
  if (!sight_.devices.empty())
    sight_.reason.clear();
  sight_.notices = notices_;
}

std::vector<OwnedDevice> RankDevices::open(std::span<const GrantedDevice> granted) {
  std::vector<OwnedDevice> opened;
  for (const GrantedDevice &grant : granted)
    for (const Search &search : searches_) {
      if (std::find(search.devices.begin(), search.devices.end(), grant.uuid) == search.devices.end())
        continue;
      auto device = search.backend->open(grant.uuid, static_cast<int>(opened.size()));
      if (!device) {
        notices_.push_back(describe(grant.uuid) + " is not used: " + device.error().text.message);
        continue;
      }
      const Bytes budget = deviceBudget((*device)->properties(), grant.ranks);
      opened.push_back({std::move(*device), budget});
      break;
    }
  return opened;
}

std::vector<DeviceOffer> offersOf(std::span<const OwnedDevice> devices) {
  std::vector<DeviceOffer> offers;
  for (const OwnedDevice &owned : devices)
    offers.push_back({owned.device->properties(), owned.budget});
  return offers;
}

void encodeOffers(WireWriter &out, std::span<const DeviceOffer> offers) {
  out.putPacked(offers.size());
  for (const DeviceOffer &offer : offers) {
    encodeProperties(out, offer.properties);
    out.put(offer.budget);
  }
}

std::vector<DeviceOffer> decodeOffers(WireReader &in) {
  std::vector<DeviceOffer> offers(in.getPacked());
  for (DeviceOffer &offer : offers) {
    offer.properties = decodeProperties(in);
    offer.budget = in.get<Bytes>();
  }
  return offers;
}

void encodeSight(WireWriter &out, const DeviceSight &sight) {
  out.putPacked(sight.devices.size());
  for (const DeviceProperties &device : sight.devices)
    encodeProperties(out, device);
  out.putAll(sight.uses);
  out.putPacked(sight.hidden.size());
  for (const HiddenDevice &device : sight.hidden) {
    out.putText(device.name);
    out.put(device.uuid);
    out.putText(device.why);
  }
  putTexts(out, sight.notices);
  putTexts(out, sight.drivers);
  out.putText(sight.reason);
  out.putPacked(sight.listed);
  out.putText(sight.visible);
  out.putText(sight.order);
  out.put(sight.sharingAsked);
}

DeviceSight decodeSight(WireReader &in) {
  DeviceSight sight;
  sight.devices.resize(in.getPacked());
  for (DeviceProperties &device : sight.devices)
    device = decodeProperties(in);
  sight.uses = in.getAll<DeviceUse>();
  sight.hidden.resize(in.getPacked());
  for (HiddenDevice &device : sight.hidden) {
    device.name = in.getText();
    device.uuid = in.get<DeviceUuid>();
    device.why = in.getText();
  }
  sight.notices = getTexts(in);
  sight.drivers = getTexts(in);
  sight.reason = in.getText();
  sight.listed = in.getPacked();
  sight.visible = in.getText();
  sight.order = in.getText();
  sight.sharingAsked = in.get<bool>();
  return sight;
}

void encodeShares(WireWriter &out, const DeviceShares &shares) {
  out.putPacked(shares.byRank.size());
  for (const auto &granted : shares.byRank) {
    out.putPacked(granted.size());
    for (const GrantedDevice &grant : granted) {
      out.put(grant.uuid);
      out.put(grant.ranks);
    }
  }
}

DeviceShares decodeShares(WireReader &in) {
  DeviceShares shares;
  shares.byRank.resize(in.getPacked());
  for (auto &granted : shares.byRank) {
    granted.resize(in.getPacked());
    for (GrantedDevice &grant : granted) {
      grant.uuid = in.get<DeviceUuid>();
      grant.ranks = in.get<int>();
    }
  }
  return shares;
}

} // namespace streamap
