// StreamMAP runtime: the head's desk, where orders go to this rank's agent or out as messages.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/cluster_desk.h"

#include <algorithm>
#include <cassert>
#include <clocale>

#include "abi/registry.h"

namespace streamap {

ClusterDesk::ClusterDesk(Transport &transport, RankLink &link, RankAgent &agent, int ranks)
    : transport_(transport), link_(link), agent_(agent), locale_(std::setlocale(LC_ALL, nullptr)) {
  for (int i = 0; i < ranks; ++i)
    told_.push_back(std::make_unique<Told>());
}

/// Before the first task of a library that was loaded after the start: the rank must load it, too.
void ClusterDesk::tellOfModule(Rank rank, Told &told, DescriptorKey key) {
  const TaskModule module = moduleOf(key);
  if (!module.late || std::find(told.modules.begin(), told.modules.end(), module.hash) != told.modules.end())
    return;
  told.modules.push_back(module.hash);
  WireWriter out;
  out.put(module.hash);
  out.putText(module.path);
  transport_.post(rank, MessageKind::Module, out.bytes());
}

void ClusterDesk::run(Rank rank, RunOrder order) {
  if (rank == headRank)
    return agent_.run(std::move(order));
  Told &told = *told_[static_cast<std::size_t>(rank.value)];
  link_.expect(1);
  std::lock_guard lock(told.mutex);
  const bool sharesPack = told.pack == order.pack;
  if (!sharesPack) {
    tellOfModule(rank, told, order.pack->key);
    told.pack = order.pack;
  }
  WireWriter out;
  encodeRun(out, order, sharesPack);
  transport_.post(rank, MessageKind::Run, out.bytes());
}

void ClusterDesk::send(Rank rank, SendOrder order) {
  if (order.to.rank == headRank)
    link_.expect(1);
  if (rank == headRank)
    return agent_.send(std::move(order));
  WireWriter out;
  encodeSend(out, order);
  transport_.post(rank, MessageKind::Send, out.bytes());
}

void ClusterDesk::notify(Rank rank, NotifyOrder order) {
  if (rank == headRank)
    return agent_.notify(order);
  WireWriter out;
  out.put(order);
  transport_.post(rank, MessageKind::Notify, out.bytes());
}

void ClusterDesk::forget(Rank rank, ForgetOrder order) {
  if (rank == headRank)
    return agent_.forget(order);
  WireWriter out;
  out.put(order);
  transport_.post(rank, MessageKind::Forget, out.bytes());
}

void ClusterDesk::discard(Rank rank, DiscardOrder order) {
  if (rank == headRank)
    return agent_.discard(std::move(order));
  link_.expect(1);
  WireWriter out;
  encodeDiscard(out, order);
  transport_.post(rank, MessageKind::Discard, out.bytes());
}

void ClusterDesk::settle(SettleOrder order) {
  agent_.settle(std::move(order));
}

/// Tasks that print or read numbers do so as main would: the locale is looked at once a launch.
void ClusterDesk::tellOfLocale() {
  const char *const now = std::setlocale(LC_ALL, nullptr);
  std::lock_guard lock(localeMutex_);
  if (locale_ == now)
    return;
  locale_ = now;
  WireWriter out;
  out.putText(locale_);
  for (std::size_t i = 1; i < told_.size(); ++i)
    transport_.post(Rank{static_cast<int>(i)}, MessageKind::Locale, out.bytes());
}

void ClusterDesk::flush() {
  tellOfLocale();
  transport_.flush();
}

bool ClusterDesk::helpLocally() {
  return agent_.help();
}

void LocalDesk::run(Rank, RunOrder order) {
  agent_.run(std::move(order));
}
void LocalDesk::send(Rank, SendOrder) {
  assert(false && "one memory only");
}
void LocalDesk::notify(Rank, NotifyOrder) {
  assert(false && "one rank only");
}
void LocalDesk::forget(Rank, ForgetOrder order) {
  agent_.forget(order);
}
void LocalDesk::discard(Rank, DiscardOrder order) {
  agent_.discard(std::move(order));
}
void LocalDesk::settle(SettleOrder order) {
  agent_.settle(std::move(order));
}
bool LocalDesk::helpLocally() {
  return agent_.help();
}

} // namespace streamap
