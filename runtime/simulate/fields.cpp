// StreamMAP simulator: reading JSON with errors that say where.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/fields.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "simulate/quantity.h"

namespace streamap::simulate {
namespace {

using nlohmann::json;

std::string shown(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

} // namespace

Fields::Fields(const json &object, std::string where, std::optional<Error> &firstError)
    : value(object), place(std::move(where)), error(firstError) {
  if (!value.is_object())
    wrong({}, "an object { } is wanted");
}

std::string Fields::placeOf(std::string_view key) const {
  if (key.empty())
    return place.empty() ? "the document" : place;
  return place.empty() ? std::string(key) : place + "." + std::string(key);
}

void Fields::wrong(std::string_view key, const std::string &what) {
  if (!error)
    error = Error{placeOf(key) + ": " + what, {}};
}

const json *Fields::raw(std::string_view key) {
  known.emplace_back(key);
  if (!value.is_object())
    return nullptr;
  const auto found = value.find(key);
  return found == value.end() ? nullptr : &*found;
}

bool Fields::has(std::string_view key) {
  return raw(key) != nullptr;
}

std::string Fields::text(std::string_view key, std::string initial) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (!found->is_string()) {
    wrong(key, "a text \"...\" is wanted");
    return initial;
  }
  return found->get<std::string>();
}

double Fields::number(std::string_view key, double initial, double least, double most) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (!found->is_number() || !(found->get<double>() >= least && found->get<double>() <= most)) {
    wrong(key, std::isinf(most) ? "a number of at least " + shown(least) + " is wanted"
                                : "a number from " + shown(least) + " to " + shown(most) + " is wanted");
    return initial;
  }
  return found->get<double>();
}

std::int64_t Fields::whole(std::string_view key, std::int64_t initial, std::int64_t least, std::int64_t most) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (!found->is_number_integer() || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most) {
    wrong(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is wanted");
    return initial;
  }
  return found->get<std::int64_t>();
}

bool Fields::flag(std::string_view key, bool initial) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (!found->is_boolean()) {
    wrong(key, "true or false is wanted");
    return initial;
  }
  return found->get<bool>();
}

Bytes Fields::bytes(std::string_view key, Bytes initial) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (found->is_number_unsigned())
    return Bytes{found->get<std::uint64_t>()};
  if (found->is_string()) {
    if (auto read = parseBytes(found->get<std::string>()))
      return *read;
    else
      wrong(key, read.error().message);
    return initial;
  }
  wrong(key, "an amount of memory is wanted: a number of bytes, or a text like \"80GB\"");
  return initial;
}

Seconds Fields::seconds(std::string_view key, Seconds initial) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (found->is_number() && found->get<double>() >= 0)
    return found->get<double>();
  if (found->is_string()) {
    if (auto read = parseSeconds(found->get<std::string>()))
      return *read;
    else
      wrong(key, read.error().message);
    return initial;
  }
  wrong(key, "a time is wanted: a number of seconds, or a text like \"2us\"");
  return initial;
}

double Fields::bandwidth(std::string_view key, double initial) {
  const json *const found = raw(key);
  if (!found)
    return initial;
  if (found->is_number() && found->get<double>() > 0)
    return found->get<double>();
  if (found->is_string()) {
    if (auto read = parseBandwidth(found->get<std::string>()))
      return *read;
    else
      wrong(key, read.error().message);
    return initial;
  }
  wrong(key, "a bandwidth is wanted: a number of bytes per second, or a text like \"10GB/s\"");
  return initial;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> result;
  const json *const found = raw(key);
  if (!found)
    return result;
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), [](const json &one) { return one.is_string(); })) {
    wrong(key, "a list of texts [\"...\"] is wanted");
    return result;
  }
  for (const json &one : *found)
    result.push_back(one.get<std::string>());
  return result;
}

void Fields::object(std::string_view key, const std::function<void(Fields &)> &visit) {
  if (const json *const found = raw(key)) {
    Fields inner(*found, placeOf(key), error);
    visit(inner);
    inner.finish();
  }
}

void Fields::objects(std::string_view key, const std::function<void(Fields &)> &visit) {
  const json *const found = raw(key);
  if (!found)
    return;
  if (!found->is_array())
    return wrong(key, "a list [ ] is wanted");
  for (std::size_t k = 0; k < found->size() && !error; ++k) {
    Fields inner((*found)[k], placeOf(key) + "[" + std::to_string(k) + "]", error);
    visit(inner);
    inner.finish();
  }
}

void Fields::finish() {
  if (error || !value.is_object())
    return;
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const auto &[key, unused] : value.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const auto near = nearestName(key, names);
      return wrong(key, near ? "there is no such key; did you mean '" + std::string(*near) + "'?" : "there is no such key here");
    }
}

Result<json> readJson(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return failure("cannot read " + path + ": " + std::strerror(errno));
  try {
    return json::parse(file, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::parse_error &wrong) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    const std::string text = wrong.what();
    const auto at = text.find("at line");
    return failure(path + " is not JSON: " + (at == std::string::npos ? text : text.substr(at)));
  }
}

} // namespace streamap::simulate
