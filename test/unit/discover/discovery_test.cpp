// StreamMAP tests: what a rank finds on its machine.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "discover/control_group.h"
#include "discover/device_sight.h"
#include "discover/inventory.h"

namespace streamap {
namespace {

/// A root with these files.
class FakeRoot {
public:
  explicit FakeRoot(std::initializer_list<std::pair<std::string, std::string>> files)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("discovery_root_" + std::to_string(getpid()))) { // tests run side by side
    std::filesystem::remove_all(path_);
    for (const auto &[name, contents] : files) {
      std::filesystem::create_directories((path_ / name).parent_path());
      std::ofstream(path_ / name) << contents << "\n";
    }
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot &) = delete;
  FakeRoot &operator=(const FakeRoot &) = delete;
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

TEST(ControlGroup, Version2TakesTheSmallestOnTheWayUp) {
  const FakeRoot root({{"proc/self/cgroup", "0::/a/b"},
                       {"sys/fs/cgroup/a/cpu.max", "250000 100000"},
                       {"sys/fs/cgroup/a/b/cpu.max", "max 100000"},
                       {"sys/fs/cgroup/a/memory.max", "max"},
                       {"sys/fs/cgroup/a/b/memory.max", "1048576"}});
  const auto limits = controlGroupLimits(root.path());
  EXPECT_EQ(limits.cores, 3u) << "two and a half, rounded up";
  EXPECT_EQ(limits.memory, 1_MiB);
}

TEST(ControlGroup, Version1HasAHierarchyForEachController) {
  const FakeRoot root({{"proc/self/cgroup", "4:memory:/job/7\n2:cpu,cpuacct:/job\n0::/"},
                       {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"},
                       {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4194304"},
                       {"sys/fs/cgroup/memory/job/7/memory.limit_in_bytes", "8388608"},
                       {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000"},
                       {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}});
  const auto limits = controlGroupLimits(root.path());
  EXPECT_EQ(limits.cores, 1u) << "half a core is one slot";
  EXPECT_EQ(limits.memory, 4_MiB);
}

TEST(ControlGroup, WithoutFilesNothingIsLimited) {
  const FakeRoot root({{"proc/self/cgroup", "nonsense\n0::/gone"}});
  const auto limits = controlGroupLimits(root.path());
  EXPECT_EQ(limits.cores, 0u);
  EXPECT_EQ(limits.memory, Bytes{});
}

TEST(ControlGroup, OfThisMachineCanBeRead) {
  const auto limits = controlGroupLimits();
  EXPECT_LT(limits.cores, 1u << 20);
  const Machine machine = inspectMachine();
  EXPECT_GT(machine.memory, 1_MiB);
  EXPECT_LE(machine.freeMemory, machine.memory);
  EXPECT_EQ(machine.numa.size(), machine.cores.size());
  EXPECT_FALSE(machine.kernel.empty());
}

// ---- Hidden devices

DeviceUuid uuid(int number) {
  return uuidFromText("device " + std::to_string(number));
}

ListedDevice listed(int number, std::vector<DeviceUuid> mig = {}) {
  return {"GPU " + std::to_string(number), uuid(number), "0000:0" + std::to_string(number) + ":00.0", std::move(mig)};
}

DeviceProperties seen(int number, int ordinal = 0, unsigned nvml = 0) {
  DeviceProperties device;
  device.uuid = uuid(number);
  device.ordinal = CudaOrdinal{ordinal};
  device.nvml = NvmlIndex{nvml};
  return device;
}

struct Row {
  std::vector<ListedDevice> machine;
  std::vector<DeviceProperties> seen;
  const char *visible;
  std::vector<std::pair<int, const char *>> hidden; ///< number, a part of the reason
  int notices = 0;
};

TEST(HiddenDevices, AreThoseThatTheDriverDoesNotOfferWithTheReason) {
  const char *const variable = "leaves it out", *const driver = "the CUDA driver does not offer it";
  const std::vector<Row> rows{
      {{}, {}, nullptr, {}},
      {{}, {}, "0", {}}, // no list to compare with
      {{listed(1), listed(2)}, {seen(1), seen(2)}, nullptr, {}},
      {{listed(1), listed(2)}, {seen(1)}, nullptr, {{2, driver}}},
      {{listed(1), listed(2)}, {seen(1)}, "0", {{2, variable}}},
      {{listed(1), listed(2)}, {seen(2)}, "1", {{1, variable}}},
      {{listed(1), listed(2)}, {}, "", {{1, variable}, {2, variable}}},
      {{listed(1), listed(2)}, {}, "7", {{1, variable}, {2, variable}}, 1},
      {{listed(1), listed(2)}, {}, "0", {{1, driver}, {2, variable}}}, // it is named, and still not there
      {{listed(1), listed(2)}, {}, nullptr, {{1, driver}, {2, driver}}},
      {{listed(1, {uuid(11), uuid(12)})}, {seen(11)}, nullptr, {{12, "one MIG instance only"}}},
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<std::string> notices;
    const auto visible = rows[k].visible ? std::optional<std::string_view>(rows[k].visible) : std::nullopt;
    const auto hidden = findHidden(rows[k].machine, rows[k].seen, visible, "PCI_BUS_ID", notices);
    ASSERT_EQ(hidden.size(), rows[k].hidden.size()) << "row " << k;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      EXPECT_EQ(hidden[i].uuid, uuid(rows[k].hidden[i].first)) << "row " << k;
      EXPECT_NE(hidden[i].why.find(rows[k].hidden[i].second), std::string::npos) << "row " << k << ": " << hidden[i].why;
    }
    EXPECT_EQ(static_cast<int>(notices.size()), rows[k].notices) << "row " << k;
  }
}

TEST(CudaOrder, DiffersWhereNumbersDoNotAscendTogether) {
  EXPECT_FALSE(ordersDiffer({}));
  EXPECT_FALSE(ordersDiffer(std::vector{seen(1, 0, 3)}));
  EXPECT_FALSE(ordersDiffer(std::vector{seen(1, 0, 1), seen(2, 1, 3)}));
  EXPECT_TRUE(ordersDiffer(std::vector{seen(1, 0, 3), seen(2, 1, 1)}));
  auto unknown = seen(2, 1, 1);
  unknown.nvml.reset();
  EXPECT_FALSE(ordersDiffer(std::vector{seen(1, 0, 3), unknown}));
}

TEST(Inventory, AsJsonNamesNodesRanksAndDevices) {
  RankFacts rank;
  rank.machine.host = "a";
  rank.machine.cores = {0, 1};
  rank.machine.numa = {0, 0};
  rank.machine.machineCores = 2;
  rank.sight.devices = {seen(1)};
  rank.sight.uses = {DeviceUse{3_MiB, 8_MiB, 40, 2, false}};
  RankFacts other = rank;
  other.machine.host = "b";
  const auto json = toJson(takeStock({rank, rank, other}));
  ASSERT_EQ(json["nodes"].size(), 2u);
  EXPECT_EQ(json["nodes"][0]["ranks"], (std::vector{0, 1}));
  EXPECT_EQ(json["nodes"][1]["host"], "b");
  ASSERT_EQ(json["ranks"].size(), 3u);
  EXPECT_EQ(json["ranks"][1]["core_share"], 1);
  EXPECT_EQ(json["ranks"][1]["uses"][0]["ranks"], 2) << "both ranks of a share its device";
  EXPECT_EQ(json["ranks"][2]["uses"][0]["ranks"], 1);
  EXPECT_EQ(json["ranks"][0]["devices"][0]["used_bytes"], 3 << 20);
  EXPECT_EQ(json["ranks"][0]["devices"][0]["mig_parent"], nullptr);
}

} // namespace
} // namespace streamap
