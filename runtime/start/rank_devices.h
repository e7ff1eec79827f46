// StreamMAP runtime: finding this rank's devices, sharing them with the others, and opening them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/wire.h"
#include "device/backend.h"
#include "discover/device_share.h"
#include "discover/device_sight.h"
#include "exec/rank_memory.h"
#include "head/head.h"

namespace streamap {

/// What the setting `devices` finds on this rank. Nothing is opened before the ranks have agreed who takes what.
class RankDevices {
public:
  /// \p setting has been checked. Asks each backend; takes no memory on any device.
  RankDevices(const std::string &setting, const BackendContext &context);

  /// What it has found, and who uses it now.
  const DeviceSight &sight() const { return sight_; }

  /// Opens those that were granted. One that cannot be opened is left out with a notice.
  std::vector<OwnedDevice> open(std::span<const GrantedDevice> granted);

  /// For the user: what is not used, and why. Those who call take them away.
  std::vector<std::string> takeNotices() { return std::move(notices_); }
  /// Why there are no devices, for the log; empty if there are some.
  const std::string &reason() const { return sight_.reason; }

private:
  struct Search {
    std::unique_ptr<Backend> backend;
    std::vector<DeviceUuid> devices;
  };
  std::vector<Search> searches_;
  DeviceSight sight_;
  std::vector<std::string> notices_;
};

/// What opened devices are to the head.
std::vector<DeviceOffer> offersOf(std::span<const OwnedDevice> devices);

// The decode of the same name takes back what the encode has appended.
void encodeOffers(WireWriter &out, std::span<const DeviceOffer> offers);
std::vector<DeviceOffer> decodeOffers(WireReader &in);
void encodeSight(WireWriter &out, const DeviceSight &sight);
DeviceSight decodeSight(WireReader &in);
void encodeShares(WireWriter &out, const DeviceShares &shares);
DeviceShares decodeShares(WireReader &in);

} // namespace streamap
