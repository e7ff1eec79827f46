// StreamMAP runtime: where the C ABI finds the head.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace streamap {

class Head;

/// From now on streamap_launch, streamap_wait and the others go to \p head, which must stay valid until the process ends. Before
/// that, after closeLaunches(), and inside tasks, bodies run inline and waits have nothing to wait for. Thread-safe.
void openLaunches(Head &head);

/// Back to bodies that run inline; async-signal-safe. Not the way to end a program that has failed: there Head::onFailure keeps
/// threads from going on with data that is not there.
void closeLaunches();

} // namespace streamap
