// Random work on devices whose operations take random times: the answer is that of the order in which the work was given.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "doubles.h"
#include "random_work.h"

namespace streamap::cuda {
namespace {

class CudaRandom : public testing::TestWithParam<int> {};

TEST_P(CudaRandom, TheAnswerIsThatOfTheOrderGiven) {
  const int seed = GetParam();
  const std::string count = std::to_string(1 + seed % 3);
  Doubles::instance().start("devices=" + count + "; peers=" + (seed % 2 ? "all" : "none") +
                            "; delay_us=" + std::to_string(seed % 4 * 60) + "; seed=" + std::to_string(seed));
  const auto backend = makeBackendOnDoubles({{"piece", seed % 5 ? "4KiB" : "4MiB"}});
  auto devices = openAll(*backend);
  {
    RandomWork work(devices, static_cast<std::uint64_t>(seed));
    const auto wrong = work.run(150);
    EXPECT_FALSE(wrong) << *wrong;
    EXPECT_EQ(Doubles::instance().report().pageableCopies, 0U);
    devices.clear();
  }
  expectNothingLeft();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CudaRandom, testing::Range(1, 21));

} // namespace
} // namespace streamap::cuda
