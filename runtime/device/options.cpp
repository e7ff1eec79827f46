// StreamMAP runtime: the options behind a backend's name in the setting `devices`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/options.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "config/settings.h"

namespace streamap {

Result<void> readOptions(std::span<const DeviceOption> options, std::span<const KnownOption> known) {
  std::vector<std::string_view> names;
  for (const KnownOption &option : known)
    names.push_back(option.key);
  for (std::size_t k = 0; k < options.size(); ++k) {
    const DeviceOption &option = options[k];
    const auto found = std::find_if(known.begin(), known.end(), [&](const KnownOption &o) { return o.key == option.key; });
    if (found == known.end()) {
      const auto near = nearestName(option.key, names);
      return failure("unknown option '" + option.key + "'" + (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
    }
    if (std::any_of(options.begin(), options.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const DeviceOption &earlier) { return earlier.key == option.key; }))
      return failure("the option '" + option.key + "' stands there twice");
    if (auto set = found->set(option.value); !set)
      return tl::make_unexpected(Error(set.error()).in(option.key));
  }
  return {};
}

Result<double> readNumber(const std::string &text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
    return value;
  std::ostringstream range;
  range << "a number from " << least << " to " << most << " is wanted, not '" << text << "'";
  return failure(range.str());
}

Result<ComputeCapability> readCapability(const std::string &text) {
  ComputeCapability capability;
  const char *const last = text.data() + text.size();
  const auto major = std::from_chars(text.data(), last, capability.major);
  if (major.ec == std::errc() && last - major.ptr == 2 && *major.ptr == '.' && capability.major >= 1 && capability.major <= 99 &&
      major.ptr[1] >= '0' && major.ptr[1] <= '9') {
    capability.minor = major.ptr[1] - '0';
    return capability;
  }
  return failure("a compute capability such as 9.0 is wanted, not '" + text + "'");
}

} // namespace streamap
