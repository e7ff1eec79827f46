// StreamMAP runtime: the policies. One file each; policies.cpp lists them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign/offer.h"

namespace streamap {

const Policy &earliestFinish();
const Policy &leastLoaded();
const Policy &locality();
const Policy &binPack();
const Policy &spread();
const Policy &roundRobin();

} // namespace streamap
