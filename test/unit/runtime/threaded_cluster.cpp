// StreamMAP tests: several ranks in one process, each with its own agent, slots and memory, without MPI.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threaded_cluster.h"

#include "comm/pieces.h"
#include "test_devices.h"

namespace streamap {

void LoopTransport::start(TransportClient &client) {
  client_ = &client;
  thread_ = std::thread([this] { run(); });
}

void LoopTransport::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LoopTransport::post(Rank to, MessageKind kind, std::span<const std::byte> body) {
  std::lock_guard lock(postMutex_);
  posted_[static_cast<std::size_t>(to.value)].push_back({self_, kind, {body.begin(), body.end()}});
}

void LoopTransport::flush(Rank to) {
  std::lock_guard lock(postMutex_); // held on: two flushes must not overtake each other
  auto &posted = posted_[static_cast<std::size_t>(to.value)];
  if (!posted.empty())
    all_[static_cast<std::size_t>(to.value)]->deliver(std::exchange(posted, {}));
}

void LoopTransport::flush() {
  for (int to = 0; to < static_cast<int>(posted_.size()); ++to)
    flush(Rank{to});
}

void LoopTransport::deliver(std::deque<Message> messages) {
  {
    std::lock_guard lock(mutex_);
    for (auto &message : messages)
      arrived_.push_back(std::move(message));
  }
  changed_.notify_all();
}

void LoopTransport::transfer(SendOrder order) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(order));
  }
  changed_.notify_all();
}

void LoopTransport::send(const SendOrder &order) {
  PieceCutter cutter(order.runs);
  bool last = false;
  while (!last) {
    PieceHeader piece{order.transfer, order.version, false, 0, cutter.cut()};
    client_->beforeDeparture(order, piece.runs);
    piece.last = last = cutter.done();
    WireWriter out;
    encodePiece(out, piece);
    for (const ByteRun run : piece.runs)
      out.append(client_->source(run), run.bytes());
    post(order.to.rank, MessageKind::Bytes, out.bytes());
  }
  flush(order.to.rank);
  client_->onDeparted(order);
}

void LoopTransport::receiveBytes(const Message &message) {
  WireReader in(message.body);
  const PieceHeader piece = decodePiece(in);
  const std::byte *next = in.rest().data();
  for (const ByteRun run : piece.runs) {
    std::memcpy(client_->place(run), next, run.bytes());
    next += run.bytes();
  }
  if (!piece.runs.empty())
    client_->onPiece(piece, message.from);
  if (piece.last)
    client_->onArrived(piece.transfer);
}

void LoopTransport::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, std::chrono::milliseconds(1), [&] { return stopping_ || !arrived_.empty() || !jobs_.empty(); });
    if (stopping_)
      return;
    auto messages = std::exchange(arrived_, {});
    auto jobs = std::exchange(jobs_, {});
    lock.unlock();
    for (const auto &job : jobs)
      send(job);
    for (const auto &message : messages)
      if (message.kind == MessageKind::Bytes)
        receiveBytes(message);
      else
        client_->onMessage(message.from, message.kind, WireReader(message.body));
    client_->onTick();
    lock.lock();
  }
}

ThreadedCluster::ThreadedCluster(const std::vector<int> &slots, const std::vector<std::string> &devices) {
  const int ranks = static_cast<int>(slots.size());
  for (int rank = 0; rank < ranks; ++rank)
    transports_.push_back(std::make_unique<LoopTransport>(transports_, Rank{rank}, ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    auto member = std::make_unique<Member>();
    member->mirror = std::make_unique<Mirror>(rank == 0 ? Mirror::Kind::Home : Mirror::Kind::Copy, std::uint64_t{1} << 34);
    if (static_cast<std::size_t>(rank) < devices.size())
      member->memory = openMemory(*member->mirror, devices[static_cast<std::size_t>(rank)], rank);
    LinkSetup link;
    link.self = Rank{rank};
    link.transport = transports_[static_cast<std::size_t>(rank)].get();
    link.mirror = member->mirror.get();
    link.memory = member->memory.get();
    link.counters = &member->counters;
    link.stamps = rank == 0 ? &stamps_ : nullptr;
    member->link = std::make_unique<RankLink>(std::move(link));
    AgentSetup agent;
    agent.rank = Rank{rank};
    agent.slots = slots[static_cast<std::size_t>(rank)];
    agent.mirror = member->mirror.get();
    agent.memory = member->memory.get();
    agent.outlet = member->link.get();
    agent.counters = &member->counters;
    member->agent = std::make_unique<RankAgent>(agent);
    members_.push_back(std::move(member));
  }
  desk_ = std::make_unique<ClusterDesk>(*transports_[0], *members_[0]->link, *members_[0]->agent, ranks);
}

ThreadedCluster::~ThreadedCluster() {
  stop();
}

void ThreadedCluster::stop() {
  if (std::exchange(started_, false))
    for (const auto &transport : transports_)
      transport->stop();
  for (const auto &member : members_)
    member->agent->stop();
}

void ThreadedCluster::start(Head &head) {
  started_ = true;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    members_[rank]->link->connect(*members_[rank]->agent, rank == 0 ? &head : nullptr);
    transports_[rank]->start(*members_[rank]->link);
  }
}

std::vector<DeviceOffer> ThreadedCluster::offers(int rank) const {
  return offersOf(members_[static_cast<std::size_t>(rank)]->memory.get());
}

CounterValues ThreadedCluster::counters() const {
  CounterValues total{};
  for (const auto &member : members_) {
    const CounterValues one = member->counters.read();
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] += one[i];
  }
  return total;
}

} // namespace streamap
