// StreamMAP tests: which GPUs a process sees, and which rank gets which.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <random>
#include <set>
#include <string>

#include "device/image_choice.h"
#include "discover/device_share.h"
#include "discover/visible_devices.h"

namespace streamap {
namespace {

// ---- CUDA_VISIBLE_DEVICES

constexpr const char *unset = nullptr;

/// Four whole devices, called a to d, in PCI order; c is the fastest, then a and d, then b. a and b have UUIDs that begin alike.
const char *const uuids[] = {"GPU-11111111-aaaa-0000-0000-000000000000", "GPU-11111111-bbbb-0000-0000-000000000000",
                             "GPU-2222cccc-0000-0000-0000-000000000000", "GPU-3333dddd-0000-0000-0000-000000000000"};

std::vector<MachineGpu> plainMachine() {
  const int speeds[] = {5, 1, 9, 5};
  std::vector<MachineGpu> machine;
  for (int k : {2, 0, 3, 1}) // in no order
    machine.push_back({*parseDeviceUuid(uuids[k]), "0000:" + std::to_string(k + 1) + "0:00.0", speeds[k], {}});
  return machine;
}

/// a is divided into x and y, b into z; c is whole.
const char *const instances[] = {"MIG-77770000-0000-0000-0000-000000000000", "MIG-77771111-0000-0000-0000-000000000000",
                                 "MIG-88880000-0000-0000-0000-000000000000"};

std::vector<MachineGpu> dividedMachine() {
  std::vector<MachineGpu> machine;
  for (int k : {0, 1, 2})
    machine.push_back({*parseDeviceUuid(uuids[k]), "0000:" + std::to_string(k + 1) + "0:00.0", 5, {}});
  machine[0].mig = {*parseDeviceUuid(instances[0]), *parseDeviceUuid(instances[1])};
  machine[1].mig = {*parseDeviceUuid(instances[2])};
  return machine;
}

std::string letters(const std::vector<DeviceUuid> &devices) {
  std::string text;
  for (const DeviceUuid &uuid : devices) {
    for (int k = 0; k < 4; ++k)
      if (uuid == *parseDeviceUuid(uuids[k]))
        text += static_cast<char>('a' + k);
    for (int k = 0; k < 3; ++k)
      if (uuid == *parseDeviceUuid(instances[k]))
        text += static_cast<char>('x' + k);
  }
  return text;
}

struct Row {
  const char *visible;
  const char *order;
  const char *seen;
  int notices = 0;
};

std::optional<std::string_view> value(const char *text) {
  return text ? std::optional<std::string_view>(text) : std::nullopt;
}

void check(const std::vector<MachineGpu> &machine, const Row &row) {
  const VisibleDevices result = visibleDevices(machine, value(row.visible), value(row.order));
  const std::string what = std::string(row.visible ? row.visible : "(unset)") + " in " + (row.order ? row.order : "(unset)");
  EXPECT_EQ(letters(result.devices), row.seen) << what;
  EXPECT_EQ(static_cast<int>(result.notices.size()), row.notices)
      << what << ": " << (result.notices.empty() ? "" : result.notices[0]);
}

TEST(VisibleDevices, OfAMachineWithWholeDevices) {
  const char *const pci = "PCI_BUS_ID", *const fast = "FASTEST_FIRST";
  const Row rows[] = {
      // not set, and the order
      {unset, unset, "cadb"},
      {unset, fast, "cadb"},
      {unset, pci, "abcd"},
      {unset, "", "cadb"},
      {unset, "pci_bus_id", "cadb", 1},
      // indices
      {"0", pci, "a"},
      {"0", unset, "c"},
      {"0,1,2,3", pci, "abcd"},
      {"3,1", pci, "db"},
      {"2,1", fast, "da"},
      {" 1 , 2 ", pci, "bc"},
      {"01", pci, "b"},
      // nothing at all
      {"", pci, ""},
      {" ", pci, ""},
      {"-1", pci, ""},
      {"NoDevFiles", pci, ""},
      // what ends the list
      {"0,2,-1,1", pci, "ac"},
      {"-1,0", pci, ""},
      {"0,,1", pci, "a"},
      {"0,", pci, "a"},
      {",0", pci, ""},
      {"0,4,1", pci, "a", 1},
      {"4,0", pci, "", 1},
      {"1,junk,0", pci, "b", 1},
      {"junk", pci, "", 1},
      {"99999999999999999999999", pci, "", 1},
      {"1gpu2,2ampere", pci, "bc"}, // what follows the digits does not count
      {"1.5", pci, "b"},
      // twice
      {"0,0", pci, "", 1},
      {"0,1,0", pci, "", 1},
      {"1,01", pci, "", 1},
      {"GPU-2222,GPU-2222cccc", pci, "", 1},
      // UUIDs and beginnings of one
      {uuids[3], pci, "d"},
      {uuids[3], fast, "d"},
      {"GPU-3", pci, "d"},
      {"GPU-3,GPU-2", pci, "dc"},
      {"gpu-3333DDDD", pci, "d"},
      {"GPU-1111", pci, "", 1}, // two
      {"GPU-11111111-aaaa", pci, "a"},
      {"GPU-11111111-b,GPU-11111111-a", pci, "ba"},
      {"GPU-", pci, "", 1},
      {"GPU-4", pci, "", 1},
      {"GPU-3,GPU-4,GPU-2", pci, "d", 1},
      {"3333dddd-0000-0000-0000-000000000000", pci, "", 1}, // a number beyond the list
      {"GPU-3333dddd-0000-0000-0000-0000000000000", pci, "", 1},
      // forms are not mixed
      {"0,GPU-3", pci, "a", 1},
      {"GPU-3,0", pci, "d", 1},
      // no instances here
      {"MIG-7777", pci, "", 1},
      {"MIG-GPU-3333dddd-0000-0000-0000-000000000000/1/0", pci, "", 1},
  };
  static_assert(std::size(rows) >= 40);
  for (const Row &row : rows)
    check(plainMachine(), row);
}

TEST(VisibleDevices, OfAMachineWithDividedDevices) {
  const char *const pci = "PCI_BUS_ID";
  const Row rows[] = {
      {unset, pci, "x", 1}, // one instance, and nothing beside it
      {"0", pci, "x"},
      {"1", pci, "z"},
      {"2", pci, "c"},
      {"0,1", pci, "x", 1},
      {"2,0", pci, "c", 1},
      {"0,2", pci, "x", 1},
      {"MIG-77771111", pci, "y"},
      {"mig-77770", pci, "x"},
      {"MIG-7777", pci, "", 1},
      {"MIG-77771111,MIG-88880000", pci, "y", 1},
      {"MIG-77770000-0000-0000-0000-000000000000", pci, "x"},
      {"MIG-GPU-11111111-aaaa-0000-0000-000000000000/2/0", pci, "y"},
      {"MIG-GPU-11111111-bbbb-0000-0000-000000000000/1/0", pci, "z"},
      {"MIG-GPU-11111111-bbbb-0000-0000-000000000000/2/0", pci, "", 1},
      {"MIG-GPU-11111111-bbbb-0000-0000-000000000000/1", pci, "", 1},
      {"MIG-GPU-11111111-bbbb-0000-0000-000000000000/0/0", pci, "", 1},
      {"MIG-GPU-4/1/0", pci, "", 1},
      {"GPU-11111111-a", pci, "", 1}, // it is divided
      {"GPU-2", pci, "c"},
  };
  for (const Row &row : rows)
    check(dividedMachine(), row);
}

TEST(VisibleDevices, OfAMachineWithout) {
  for (const char *visible : {unset, "", "-1"})
    check({}, {visible, unset, ""});
  check({}, {"0", unset, "", 1});
}

// ---- Sharing

DeviceProperties device(const std::string &name, ComputeMode mode = ComputeMode::Default) {
  DeviceProperties properties;
  properties.backend = "cuda";
  properties.name = name;
  properties.uuid = uuidFromText(name);
  properties.pciBusId = name;
  properties.memory = 80_GiB;
  properties.mode = mode;
  return properties;
}

/// Names of one letter each; a capital is in exclusive mode, a digit prohibited.
std::vector<DeviceProperties> devices(const std::string &names) {
  std::vector<DeviceProperties> list;
  for (const char c : names)
    list.push_back(device(std::string(1, c), std::isupper(c)   ? ComputeMode::Exclusive
                                             : std::isdigit(c) ? ComputeMode::Prohibited
                                                               : ComputeMode::Default));
  return list;
}

/// "a b" for two ranks: a* means that others share it.
std::string shared(const std::vector<std::string> &seen, const std::vector<int> &nodes, std::size_t notices = 0) {
  std::vector<std::vector<DeviceProperties>> lists;
  std::map<DeviceUuid, std::string> names;
  for (const std::string &list : seen) {
    lists.push_back(devices(list));
    for (const DeviceProperties &properties : lists.back())
      names[properties.uuid] = properties.name;
  }
  std::vector<NodeId> ids;
  for (const int node : nodes)
    ids.emplace_back(node);
  const DeviceShares shares = shareDevices(lists, ids);
  EXPECT_EQ(shares.notices.size(), notices);
  std::string text;
  for (const auto &granted : shares.byRank) {
    text += text.empty() ? "" : " ";
    text += granted.empty() ? "-" : "";
    for (const GrantedDevice &one : granted)
      text += names[one.uuid] + (one.ranks > 1 ? "*" : "");
  }
  return text;
}

TEST(DeviceShare, IsFairAndByUuid) {
  EXPECT_EQ(shared({"ab"}, {0}), "ab");
  EXPECT_EQ(shared({"ab", "ab"}, {0, 0}), "a b");
  EXPECT_EQ(shared({"ba", "ab"}, {0, 0}), "a b"); // whatever their numbers are
  EXPECT_EQ(shared({"abcd", "abcd"}, {0, 0}), "ac bd");
  EXPECT_EQ(shared({"abcde", "abcde"}, {0, 0}), "ace bd");
  EXPECT_EQ(shared({"dcba", "abcd"}, {0, 0}), "ca bd"); // each in its own order
  EXPECT_EQ(shared({"ab", "a"}, {0, 0}), "b a");
  EXPECT_EQ(shared({"a", "b"}, {0, 0}), "a b");
  EXPECT_EQ(shared({"", "ab"}, {0, 0}), "- ab");
  EXPECT_EQ(shared({"", ""}, {0, 0}), "- -");
}

TEST(DeviceShare, FewerDevicesThanRanksAreShared) {
  EXPECT_EQ(shared({"a", "a"}, {0, 0}), "a* a*");
  EXPECT_EQ(shared({"ab", "ab", "ab"}, {0, 0, 0}), "a* b a*");
  EXPECT_EQ(shared({"ab", "ab", "ab", "ab"}, {0, 0, 0, 0}), "a* b* a* b*");
  EXPECT_EQ(shared({"a", "", "a"}, {0, 0, 0}), "a* - a*");
  EXPECT_EQ(shared({"A", "A"}, {0, 0}), "A -"); // one process at a time
  EXPECT_EQ(shared({"Ab", "Ab", "Ab"}, {0, 0, 0}), "A b* b*");
}

TEST(DeviceShare, NodesAndProhibitedDevices) {
  EXPECT_EQ(shared({"ab", "ab", "cd", "cd"}, {0, 0, 1, 1}), "a b c d");
  EXPECT_EQ(shared({"a", "a"}, {0, 1}), "a a"); // one UUID on two nodes cannot be; if it is, they are two
  EXPECT_EQ(shared({"1a", "1a"}, {0, 0}, 1), "a* a*");
  EXPECT_EQ(shared({"1"}, {0}, 1), "-");
}

TEST(DeviceShare, EveryDeviceHasAnOwnerAndNobodyHasTwoMore) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::size_t ranks = 1 + random() % 5;
    std::string all = std::string("abcdefgh").substr(0, random() % 9);
    std::vector<std::vector<DeviceProperties>> seen(ranks, devices(all));
    for (auto &list : seen)
      std::shuffle(list.begin(), list.end(), random);
    const DeviceShares shares = shareDevices(seen, std::vector<NodeId>(ranks));
    std::set<DeviceUuid> given;
    std::size_t least = SIZE_MAX, most = 0;
    for (const auto &granted : shares.byRank) {
      least = std::min(least, granted.size());
      most = std::max(most, granted.size());
      for (const GrantedDevice &one : granted)
        given.insert(one.uuid);
    }
    EXPECT_EQ(given.size(), all.size()) << seed;
    EXPECT_LE(most - least, all.empty() ? 0u : 1u) << seed;
  }
}

TEST(DeviceShare, LeavesMemoryForContexts) {
  const DeviceProperties large = device("a");
  EXPECT_EQ(deviceBudget(large, 1), 79_GiB);
  EXPECT_EQ(deviceBudget(large, 2), 39_GiB);
  DeviceProperties small = device("b");
  small.memory = 4_GiB;
  EXPECT_EQ(deviceBudget(small, 1), Bytes{(4ull << 30) * 7 / 8});
  EXPECT_EQ(deviceBudget(small, 8), Bytes{});
}

// ---- Images

/// The image chosen for a capability: its number, or -1.
int chosen(std::vector<streamap_image> list, ComputeCapability capability, const char *backend = "cuda") {
  streamap_images images{};
  images.nimages = static_cast<std::uint32_t>(list.size());
  images.images = list.data();
  DeviceProperties properties = device("a");
  properties.backend = backend;
  properties.capability = capability;
  const auto image = chooseImage(images, properties);
  if (!image) {
    EXPECT_NE(image.error().message.find("compute capability"), std::string::npos) << image.error().message;
  }
  return image ? static_cast<int>(*image - list.data()) : -1;
}

TEST(ImageChoice, ComputeCapabilityIsCheckedBeforeUse) {
  static constexpr std::uint16_t a75[] = {75, 0}, a80and90[] = {80, 90, 0}, a86[] = {86, 0};
  const streamap_image twins{STREAMAP_IMAGE_TWINS, 0, nullptr, nullptr, nullptr};
  const streamap_image fat{STREAMAP_IMAGE_FATBIN, 1, nullptr, a80and90, a75},
      cubin{STREAMAP_IMAGE_CUBIN, 1, nullptr, a86, nullptr}, ptx{STREAMAP_IMAGE_PTX, 1, nullptr, nullptr, a75};
  EXPECT_EQ(chosen({twins, fat}, {9, 0}), 1);
  EXPECT_EQ(chosen({twins, fat}, {9, 0}, "emulated"), 0);
  EXPECT_EQ(chosen({fat, cubin}, {8, 6}), 1); // the nearest binary
  EXPECT_EQ(chosen({cubin, fat}, {8, 0}), 1); // 8.6 does not run on 8.0
  EXPECT_EQ(chosen({cubin}, {8, 9}), 0);
  EXPECT_EQ(chosen({cubin}, {9, 0}), -1); // another major version
  EXPECT_EQ(chosen({cubin, ptx}, {9, 0}), 1);
  EXPECT_EQ(chosen({ptx, cubin}, {8, 6}), 1); // binary before text
  EXPECT_EQ(chosen({ptx}, {12, 0}), 0);
  EXPECT_EQ(chosen({ptx}, {7, 0}), -1);
  EXPECT_EQ(chosen({twins}, {9, 0}), -1);
  EXPECT_EQ(chosen({}, {9, 0}), -1);
}

} // namespace
} // namespace streamap
