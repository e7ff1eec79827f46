// StreamMAP runtime: finding this rank's devices, sharing them with the others, and opening them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/rank_devices.h"

#include <algorithm>
#include <cassert>

#include "device/request.h"

namespace streamap {
namespace {

void encodeProperties(WireWriter &out, const DeviceProperties &properties) {
  out.putText(properties.backend);
  out.putText(properties.vendor);
  out.putText(properties.name);
  out.put(properties.uuid.bytes);
  out.put(properties.uuid.kind);
  out.put(properties.capability);
  out.put(properties.memory);
  out.put(properties.multiprocessors);
  out.putText(properties.pciBusId);
  out.put(properties.numaNode);
  out.put(properties.mode);
}

/// Limits and numbers mean something on the rank itself only.
DeviceProperties decodeProperties(WireReader &in) {
  DeviceProperties properties;
  properties.backend = in.getText();
  properties.vendor = in.getText();
  properties.name = in.getText();
  properties.uuid.bytes = in.get<std::array<std::uint8_t, 16>>();
  properties.uuid.kind = in.get<DeviceUuid::Kind>();
  properties.capability = in.get<ComputeCapability>();
  properties.memory = in.get<Bytes>();
  properties.multiprocessors = in.get<int>();
  properties.pciBusId = in.getText();
  properties.numaNode = in.get<int>();
  properties.mode = in.get<ComputeMode>();
  return properties;
}

} // namespace

RankDevices::RankDevices(const std::string &setting, const BackendContext &context) {
  auto backends = makeBackends(setting, context);
  assert(backends && "the setting was checked when it was read");
  for (auto &backend : *backends) {
    Discovery discovery = backend->discover();
    Search search{std::move(backend), {}};
    for (DeviceProperties &device : discovery.devices) {
      search.devices.push_back(device.uuid);
      found_.push_back(std::move(device));
    }
    for (std::string &notice : discovery.notices)
      notices_.push_back(std::move(notice));
    if (!discovery.reason.empty())
      reason_ += (reason_.empty() ? "" : "; ") + discovery.reason;
    searches_.push_back(std::move(search));
  }
  if (!found_.empty())
    reason_.clear();
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

void encodeShares(WireWriter &out, const DeviceShares &shares) {
  out.putPacked(shares.byRank.size());
  for (const auto &granted : shares.byRank) {
    out.putPacked(granted.size());
    for (const GrantedDevice &grant : granted) {
      out.put(grant.uuid.bytes);
      out.put(grant.uuid.kind);
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
      grant.uuid.bytes = in.get<std::array<std::uint8_t, 16>>();
      grant.uuid.kind = in.get<DeviceUuid::Kind>();
      grant.ranks = in.get<int>();
    }
  }
  return shares;
}

} // namespace streamap
