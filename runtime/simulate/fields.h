// StreamMAP simulator: reading JSON with errors that say where.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assign/resources.h"
#include "base/bytes.h"
#include "base/result.h"

namespace streamap::simulate {

/// The members of one JSON object. The first thing that is wrong is kept, with its place (`nodes[2].gpus[0].memory`); what is
/// asked for behind it gives the given value back. Every key must be asked for: finish() finds misspelt ones.
class Fields {
public:
  /// \p place: where the object stands; empty for the document. \p error: shared by all objects of a document.
  Fields(const nlohmann::json &value, std::string place, std::optional<Error> &error);

  bool has(std::string_view key);
  std::string text(std::string_view key, std::string initial);
  double number(std::string_view key, double initial, double least, double most);
  std::int64_t whole(std::string_view key, std::int64_t initial, std::int64_t least, std::int64_t most);
  bool flag(std::string_view key, bool initial);
  Bytes bytes(std::string_view key, Bytes initial);       ///< a number of bytes, or a text like "80GB"
  Seconds seconds(std::string_view key, Seconds initial); ///< a number of seconds, or a text like "2us"
  double bandwidth(std::string_view key, double initial); ///< a number of bytes per second, or a text like "10GB/s"
  std::vector<std::string> texts(std::string_view key);   ///< empty if there is none
  /// Calls \p visit for the object that is the key's value, or does nothing when there is none.
  void object(std::string_view key, const std::function<void(Fields &)> &visit);
  /// The same for each object of a list.
  void objects(std::string_view key, const std::function<void(Fields &)> &visit);
  /// The value itself, or null; its place is placeOf(key).
  const nlohmann::json *raw(std::string_view key);

  /// Complains about \p key (empty: the object itself).
  void wrong(std::string_view key, const std::string &what);
  std::string placeOf(std::string_view key) const;
  /// No key is left that nobody has asked for.
  void finish();

private:
  const nlohmann::json &value;
  std::string place;
  std::optional<Error> &error;
  std::vector<std::string> known;
};

/// Reads a file. Errors name it, and the line where the JSON is not JSON.
Result<nlohmann::json> readJson(const std::string &path);

} // namespace streamap::simulate
