// StreamMAP runtime: what people write, compared as they mean it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace streamap {

std::optional<std::string_view> nearestName(std::string_view wrong, std::span<const std::string_view> names) {
  std::optional<std::string_view> best;
  std::size_t bestDistance = wrong.size() / 3 + 2; // further away is another word, not a slip
  for (const std::string_view name : names) {
    std::vector<std::size_t> row(name.size() + 1);
    for (std::size_t j = 0; j <= name.size(); ++j)
      row[j] = j;
    for (std::size_t i = 1; i <= wrong.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const std::size_t changed = diagonal + (wrong[i - 1] == name[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
      }
    }
    // A beginning of the name was meant to be the name.
    const std::size_t distance = wrong.size() > 2 && name.starts_with(wrong) ? 0 : row.back();
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

} // namespace streamap
