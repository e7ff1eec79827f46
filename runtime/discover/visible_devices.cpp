// StreamMAP runtime: which of a machine's GPUs a process sees, and in which order.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace streamap {
namespace {

constexpr std::string_view variable = "CUDA_VISIBLE_DEVICES";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The GPUs in CUDA's order. Without the variable the fastest is first; the others, and those equally fast, follow in PCI order.
std::vector<const MachineGpu *> ordered(std::span<const MachineGpu> machine, std::optional<std::string_view> order,
                                        std::vector<std::string> &notices) {
  std::vector<const MachineGpu *> gpus;
  for (const MachineGpu &gpu : machine)
    gpus.push_back(&gpu);
  std::stable_sort(gpus.begin(), gpus.end(), [](auto *a, auto *b) { return a->pciBusId < b->pciBusId; });
  const bool byPci = order && *order == "PCI_BUS_ID";
  if (order && !byPci && *order != "FASTEST_FIRST" && !order->empty())
    notices.push_back("CUDA_DEVICE_ORDER is '" + std::string(*order) + "', and only FASTEST_FIRST and PCI_BUS_ID mean something");
  if (!byPci)
    std::stable_sort(gpus.begin(), gpus.end(), [](auto *a, auto *b) { return a->speed > b->speed; });
  return gpus;
}

/// What one device of the list is: a GPU as a whole, or one compute instance.
struct Named {
  DeviceUuid uuid;
  bool isInstance = false;
};

/// The devices that a process can name by number, and what it gets without the variable.
std::vector<Named> numbered(const std::vector<const MachineGpu *> &gpus) {
  std::vector<Named> list;
  for (const MachineGpu *gpu : gpus)
    if (gpu->mig.empty())
      list.push_back({gpu->uuid, false});
    else // a number means the first instance
      list.push_back({gpu->mig.front(), true});
  return list;
}

/// The old form: MIG-GPU-<uuid>/<GPU instance>/<compute instance>. NVML's order of instances is that of their numbers.
std::optional<Named> byInstance(const std::vector<const MachineGpu *> &gpus, std::string_view entry) {
  const std::size_t slash = entry.find('/');
  if (!entry.starts_with("MIG-GPU-") || slash == std::string_view::npos)
    return std::nullopt;
  const auto uuid = parseDeviceUuid(entry.substr(4, slash - 4));
  std::size_t gpuInstance = 0, computeInstance = 0;
  const char *const last = entry.data() + entry.size();
  const auto first = std::from_chars(entry.data() + slash + 1, last, gpuInstance);
  if (!uuid || first.ec != std::errc() || first.ptr == last || *first.ptr != '/')
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, last, computeInstance);
  if (second.ec != std::errc() || second.ptr != last || computeInstance != 0 || gpuInstance == 0)
    return std::nullopt;
  for (const MachineGpu *gpu : gpus)
    if (gpu->uuid == *uuid && gpuInstance <= gpu->mig.size())
      return Named{gpu->mig[gpuInstance - 1], true};
  return std::nullopt;
}

/// By UUID, or a beginning of one that only one device has.
std::optional<Named> byPrefix(const std::vector<const MachineGpu *> &gpus, std::string_view entry, std::string &why) {
  std::vector<Named> found;
  const std::string wanted = lowered(entry);
  const auto consider = [&](const DeviceUuid &uuid, bool isInstance) {
    if (lowered(describe(uuid)).starts_with(wanted))
      found.push_back({uuid, isInstance});
  };
  for (const MachineGpu *gpu : gpus) {
    consider(gpu->uuid, false);
    for (const DeviceUuid &instance : gpu->mig)
      consider(instance, true);
  }
  why = found.empty() ? "no device has it" : "several devices begin with it";
  if (found.size() == 1 && !found[0].isInstance)
    for (const MachineGpu *gpu : gpus)
      if (gpu->uuid == found[0].uuid && !gpu->mig.empty()) {
        why = "that device is divided (MIG), so one of its instances must be named";
        return std::nullopt;
      }
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

std::optional<Named> meaning(const std::vector<const MachineGpu *> &gpus, const std::vector<Named> &list, std::string_view entry,
                             std::string &why) {
  const std::string text = lowered(entry);
  if (text.starts_with("mig-gpu-")) {
    why = "there is no such instance";
    return byInstance(gpus, entry);
  }
  if (text.starts_with("gpu-") || text.starts_with("mig-"))
    return byPrefix(gpus, entry, why);
  std::size_t index = 0; // what follows the digits does not count: the driver reads with strtoul
  if (std::from_chars(entry.data(), entry.data() + entry.size(), index).ec != std::errc()) {
    why = "it is neither a number nor a UUID";
    return std::nullopt;
  }
  why = "there are " + std::to_string(list.size()) + " devices";
  return index < list.size() ? std::optional(list[index]) : std::nullopt;
}

enum class Form { Number, Gpu, Mig };

Form formOf(std::string_view entry) {
  const std::string text = lowered(entry);
  return text.starts_with("gpu-") ? Form::Gpu : text.starts_with("mig-") ? Form::Mig : Form::Number;
}

/// A process sees one compute instance and nothing beside it, or whole devices only.
void keepOneInstance(std::vector<Named> &seen, VisibleDevices &result) {
  const auto instance = std::find_if(seen.begin(), seen.end(), [](const Named &n) { return n.isInstance; });
  if (instance == seen.end() || seen.size() == 1)
    return;
  const bool leads = instance == seen.begin();
  const auto whole = std::count_if(seen.begin(), seen.end(), [](const Named &n) { return !n.isInstance; });
  if (leads || whole == 0) {
    result.notices.push_back("a process can use one MIG instance, and nothing beside it: " + describe(instance->uuid) +
                             " is used");
    seen = {*instance};
  } else {
    result.notices.push_back("MIG instances beside whole devices cannot be used: they are left out");
    std::erase_if(seen, [](const Named &n) { return n.isInstance; });
  }
}

} // namespace

VisibleDevices visibleDevices(std::span<const MachineGpu> machine, std::optional<std::string_view> visible,
                              std::optional<std::string_view> order) {
  VisibleDevices result;
  const std::vector<const MachineGpu *> gpus = ordered(machine, order, result.notices);
  const std::vector<Named> list = numbered(gpus);
  std::vector<Named> seen;
  if (!visible)
    seen = list;
  std::optional<Form> form; // of the first entry, and so of all
  for (std::string_view rest = visible.value_or(""); visible;) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = trimmed(rest.substr(0, comma));
    if (entry.empty() || entry == "-1" || entry == "NoDevFiles")
      break;
    std::string why = "the first entry is of another form";
    if (!form)
      form = formOf(entry);
    const auto named = form == formOf(entry) ? meaning(gpus, list, entry, why) : std::nullopt;
    if (!named) {
      result.notices.push_back(std::string(variable) + ": '" + std::string(entry) + "' means nothing (" + why +
                               "), so it and all behind it are left out");
      break;
    }
    if (std::any_of(seen.begin(), seen.end(), [&](const Named &other) { return other.uuid == named->uuid; })) {
      result.notices.push_back(std::string(variable) + " names " + describe(named->uuid) + " twice, so no device is visible");
      seen.clear();
      break;
    }
    seen.push_back(*named);
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  keepOneInstance(seen, result);
  for (const Named &named : seen)
    result.devices.push_back(named.uuid);
  return result;
}

} // namespace streamap
