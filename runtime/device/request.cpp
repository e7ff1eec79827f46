// StreamMAP runtime: which devices the user wants (the setting `devices`).
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/request.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "config/settings.h"

namespace streamap {
namespace {

constexpr int mostDevices = 1024;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Result<const BackendEntry *> findBackend(std::string_view name) {
  std::vector<std::string_view> names{"auto", "none"};
  for (const BackendEntry &entry : backendTable()) {
    if (entry.name == name)
      return &entry;
    names.push_back(entry.name);
  }
  std::string text = "'" + std::string(name) + "' is no kind of device";
  if (name == "auto" || name == "none")
    return failure("'" + std::string(name) + "' stands alone");
  if (const auto near = nearestName(name, names))
    return failure(text + "; did you mean '" + std::string(*near) + "'?");
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "; there are " : k + 1 == names.size() ? " and " : ", ") + std::string(names[k]);
  return failure(text);
}

Result<DeviceRequest> parseOne(std::string_view text) {
  DeviceRequest request;
  const std::vector<std::string_view> parts = split(text, ',');
  const std::size_t colon = parts[0].find(':');
  const auto backend = findBackend(trimmed(parts[0].substr(0, colon)));
  if (!backend)
    return tl::make_unexpected(backend.error());
  request.backend = *backend;
  if (colon != std::string_view::npos) {
    const std::string_view count = trimmed(parts[0].substr(colon + 1));
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), request.count);
    if (error != std::errc() || end != count.data() + count.size() || request.count < 0 || request.count > mostDevices)
      return failure("a number of devices from 0 to " + std::to_string(mostDevices) + " is wanted behind '" +
                     std::string((*backend)->name) + ":', not '" + std::string(count) + "'");
    if (!(*backend)->counted)
      return failure("'" + std::string((*backend)->name) + "' takes no number of devices: it uses those that there are");
  }
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::size_t equals = parts[k].find('=');
    if (equals == std::string_view::npos)
      return failure("an option is key=value, not '" + std::string(trimmed(parts[k])) + "'");
    request.options.push_back(
        {std::string(trimmed(parts[k].substr(0, equals))), std::string(trimmed(parts[k].substr(equals + 1)))});
  }
  return request;
}

} // namespace

Result<std::vector<DeviceRequest>> parseDeviceRequests(std::string_view text) {
  std::vector<DeviceRequest> requests;
  text = trimmed(text);
  if (text == "none")
    return requests;
  if (text == "auto") {
    for (const BackendEntry &entry : backendTable())
      if (entry.automatic)
        requests.push_back({&entry, -1, {}});
    return requests;
  }
  for (const std::string_view part : split(text, ';')) {
    auto request = parseOne(part);
    if (!request)
      return tl::make_unexpected(request.error());
    if (std::any_of(requests.begin(), requests.end(),
                    [&](const DeviceRequest &r) { return r.backend == request->backend && !r.backend->counted; }))
      return failure("'" + std::string(request->backend->name) + "' stands there twice");
    requests.push_back(std::move(*request));
  }
  return requests;
}

Result<std::vector<std::unique_ptr<Backend>>> makeBackends(std::string_view text, const BackendContext &context) {
  const auto requests = parseDeviceRequests(text);
  if (!requests)
    return tl::make_unexpected(requests.error());
  std::vector<std::unique_ptr<Backend>> backends;
  BackendContext each = context;
  for (const DeviceRequest &request : *requests) {
    each.part = backends.size();
    auto backend = request.backend->make(request.count, request.options, each);
    if (!backend)
      return tl::make_unexpected(Error(backend.error()).in(std::string(request.backend->name)));
    backends.push_back(std::move(*backend));
  }
  return backends;
}

} // namespace streamap
