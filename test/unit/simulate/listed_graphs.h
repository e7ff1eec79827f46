// StreamMAP tests: the graphs on which policies are compared.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

namespace streamap::simulate {

/// As streamap-sim --generate takes them. All run on 8 nodes with 8 cores and 2 GPUs, each 10 times as fast as a core.
inline constexpr std::array<std::string_view, 50> listedGraphs{
    "cholesky:tiles=10",
    "cholesky:tiles=20",
    "cholesky:tiles=40",
    "cholesky:tiles=20,urgent=0",
    "cholesky:tiles=20,home=1",
    "cholesky:tiles=20,panel=0.1",
    "cholesky:tiles=20,size=512",
    "cholesky:tiles=20,size=2048",
    "cholesky:tiles=16,on=device",
    "cholesky:tiles=16,on=core",
    "stencil:blocks=64,steps=200",
    "stencil:blocks=64,steps=50,on=device",
    "stencil:blocks=64,steps=50,on=core",
    "stencil:blocks=128,steps=50",
    "stencil:blocks=16,steps=100",
    "stencil:blocks=64,steps=50,home=1",
    "stencil:blocks=64,steps=50,bytes=8e7,halo=1e6",
    "stencil:blocks=200,steps=20,cost=2e8",
    "fork-join:width=128,depth=10",
    "fork-join:width=16,depth=40",
    "fork-join:width=500,depth=4",
    "fork-join:width=64,depth=10,on=device",
    "fork-join:width=64,depth=10,on=core",
    "fork-join:width=100,depth=5,bytes=5e7",
    "fork-join:width=128,depth=10,cost=1e8",
    "fork-join:width=64,depth=10,join=1e9",
    "random:seed=1",
    "random:seed=2",
    "random:seed=3,reads=1",
    "random:seed=4,reads=4",
    "random:seed=5,width=20",
    "random:seed=6,width=50",
    "random:seed=7,width=1000",
    "random:seed=8,bytes=2e7",
    "random:seed=9,bytes=1e8",
    "random:seed=10,spread=1",
    "random:seed=11,spread=50",
    "random:seed=12,on=device",
    "random:seed=13,on=core",
    "random:seed=14,reach=8",
    "random:seed=15,cost=1e8",
    "random:seed=16,reads=0",
    "random:seed=17,width=100,reach=3",
    "map-reduce",
    "map-reduce:maps=1000,reduces=10",
    "map-reduce:maps=256,reduces=256",
    "map-reduce:maps=2000,reduces=16,bytes=1e7",
    "map-reduce:maps=1000,reduces=20,on=device",
    "map-reduce:maps=1000,reduces=20,on=core",
    "map-reduce:maps=500,reduces=100,reduce=1e9",
};

} // namespace streamap::simulate
