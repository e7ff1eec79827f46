// StreamMAP runtime: ranks that reach each other through MPI.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/mpi_transport.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/adaptive_mutex.h"
#include "comm/message_stream.h"
#include "comm/mpi_call.h"
#include "comm/pieces.h"
#include "exec/crash.h"

namespace streamap {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t frameBytes = std::size_t{64} << 10;
constexpr std::size_t postedFrames = 16;  ///< receives that are posted ahead
constexpr std::size_t framesInFlight = 8; ///< to one rank
constexpr std::size_t chunksInFlight = 8; ///< to one rank: 32 MiB
constexpr int frameTag = 0;
constexpr int looksBeforeYield = 200; ///< about 20 us, where a core can be spared
constexpr auto yieldTime = std::chrono::microseconds(150);
constexpr auto napWhenExpecting = std::chrono::microseconds(50); ///< where nobody would ring
constexpr auto nap = std::chrono::microseconds(500);
constexpr auto napAmongBells = std::chrono::microseconds(5000); ///< all ranks are on this machine, and ring
constexpr auto tickEvery = std::chrono::milliseconds(5);

/// Stream bytes that are leaving in frames.
struct StreamBuffer {
  std::vector<std::byte> bytes;
  std::size_t given = 0; ///< to MPI
  std::size_t gone = 0;
};

/// A transfer that is leaving.
struct Departure {
  explicit Departure(SendOrder &&o) : order(std::move(o)), cutter(order.runs) {}
  Departure(const Departure &) = delete;
  Departure &operator=(const Departure &) = delete;
  SendOrder order;
  PieceCutter cutter;
  int chunks = 0;         ///< in flight
  bool announced = false; ///< the last piece has been
};

struct ChunkOut {
  Departure *departure = nullptr;
  std::vector<std::byte> gathered; ///< empty when sent from its place
};

struct Peer {
  AdaptiveMutex mutex; ///< guards `open`
  std::vector<std::byte> open;
  std::atomic<bool> posted{false}; ///< `open` is not empty
  std::atomic<bool> flush{false};

  // The rest belongs to the progress thread.
  std::deque<StreamBuffer> leaving;
  std::deque<std::pair<MPI_Request, std::size_t>> frames; ///< in flight, and their sizes
  std::vector<std::byte> spare;                           ///< a buffer to be used again
  MessageReader reader;
  std::deque<std::unique_ptr<Departure>> departures; ///< first: being cut; those fully announced wait for their chunks
  std::vector<MPI_Request> chunkRequests;
  std::vector<ChunkOut> chunks; ///< beside chunkRequests
  std::uint32_t nextTag = 0;
};

struct ChunkIn {
  PieceHeader piece;
  Rank from;
  std::vector<std::byte> gathered; ///< empty when received into its place
};

struct Arrival {
  int chunks = 0;
  bool last = false;
};

} // namespace

struct MpiTransport::State {
  State(MPI_Comm o, MPI_Comm d, Bells b, Counters &c, bool s) : orders(o), data(d), bells(std::move(b)), counters(c), spins(s) {
    int size = 1, mine = 0;
    MPI_Comm_size(orders, &size);
    MPI_Comm_rank(orders, &mine);
    self = Rank{mine};
    for (int i = 0; i < size; ++i)
      peers.push_back(std::make_unique<Peer>());
    void *bound = nullptr;
    int found = 0;
    MPI_Comm_get_attr(data, MPI_TAG_UB, &bound, &found);
    for (int i = 0; i < size; ++i)
      allRing = allRing && (i == mine || bells.others[static_cast<std::size_t>(i)]);
    tags = found ? static_cast<std::uint32_t>(*static_cast<int *>(bound)) : 32767u; // the least that the standard grants
  }

  const MPI_Comm orders, data;
  const Bells bells;
  bool allRing = true; ///< every other rank rings when it sends
  Counters &counters;
  const bool spins;
  Rank self;
  std::uint32_t tags;
  TransportClient *client = nullptr;
  std::vector<std::unique_ptr<Peer>> peers;

  AdaptiveMutex jobsMutex;
  std::vector<SendOrder> jobs; ///< transfers that the progress thread has not seen yet
  std::atomic<bool> hasJobs{false};
  std::atomic<std::size_t> outgoing{0}; ///< streams and transfers that have not left

  std::atomic<bool> stopping{false};
  std::atomic<bool> broken{false};
  std::thread thread;
  std::atomic<bool> called{false}; ///< something to do for a sleeping progress thread

  std::array<std::vector<std::byte>, postedFrames> frames;
  std::array<MPI_Request, postedFrames> receives;
  std::size_t nextFrame = 0;
  std::vector<ChunkIn> chunksIn;
  std::vector<MPI_Request> chunkInRequests;      ///< beside chunksIn
  std::unordered_map<EventId, Arrival> arrivals; ///< transfers of several pieces, or with chunks
  std::vector<int> finished;                     ///< scratch for MPI_Testsome

  void check(int code, const std::string &doing);
  void wake();
  void postReceive(std::size_t i);
  bool receiveFrames();
  void onStreamMessage(Rank from, MessageKind kind, std::span<const std::byte> body);
  void onBytes(Rank from, std::span<const std::byte> body);
  void onChunk(Rank from, std::span<const std::byte> body);
  void pieceArrived(const PieceHeader &piece, Rank from);
  bool receiveChunks();
  bool takeJobs();
  bool cutPieces(Rank to, Peer &peer);
  void sendInline(Rank to, const PieceHeader &piece);
  void sendChunk(Rank to, Peer &peer, Departure &departure, PieceHeader &piece, std::uint64_t bytes);
  bool finishChunks(Peer &peer);
  bool sendFrames(Rank to, Peer &peer);
  void append(Rank to, MessageKind kind, std::span<const std::byte> body);
  bool inTransit() const;
  bool rest(Clock::time_point idleSince, int looks);
  void run();
};

// ---- Any thread

void MpiTransport::State::append(Rank to, MessageKind kind, std::span<const std::byte> body) {
  assert(to != self);
  Peer &peer = *peers[static_cast<std::size_t>(to.value)];
  bool full = false;
  {
    std::lock_guard lock(peer.mutex);
    if (peer.open.empty())
      outgoing.fetch_add(1);
    appendMessage(peer.open, kind, body);
    peer.posted.store(true, std::memory_order_relaxed);
    full = peer.open.size() >= frameBytes;
  }
  counters.add(Counter::Messages);
  if (full) {
    peer.flush = true;
    wake();
  }
}

void MpiTransport::State::wake() {
  called.store(true);
  bells.own->ring();
}

// ---- The progress thread: arriving

void MpiTransport::State::check(int code, const std::string &doing) {
  if (code == MPI_SUCCESS || broken.exchange(true))
    return;
  client->onBroken(mpi(code, doing).error().message);
}

void MpiTransport::State::postReceive(std::size_t i) {
  check(MPI_Irecv(frames[i].data(), static_cast<int>(frameBytes), MPI_BYTE, MPI_ANY_SOURCE, frameTag, orders, &receives[i]),
        "preparing to receive");
}

/// Frames are matched in the order in which they were posted, so looking at the oldest is enough, and keeps each stream in order.
bool MpiTransport::State::receiveFrames() {
  bool any = false;
  for (std::size_t taken = 0; taken < postedFrames; ++taken) {
    int arrived = 0, bytes = 0;
    MPI_Status status;
    check(MPI_Test(&receives[nextFrame], &arrived, &status), "receiving");
    if (!arrived || broken)
      break;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const Rank from{status.MPI_SOURCE};
    counters.add(Counter::BytesReceived, static_cast<std::uint64_t>(bytes));
    peers[static_cast<std::size_t>(from.value)]->reader.take(
        std::span(frames[nextFrame]).first(static_cast<std::size_t>(bytes)),
        [&](MessageKind kind, std::span<const std::byte> body) { onStreamMessage(from, kind, body); });
    postReceive(nextFrame);
    nextFrame = (nextFrame + 1) % postedFrames;
    any = true;
  }
  return any;
}

void MpiTransport::State::onStreamMessage(Rank from, MessageKind kind, std::span<const std::byte> body) {
  if (kind == MessageKind::Bytes)
    onBytes(from, body);
  else if (kind == MessageKind::Chunk)
    onChunk(from, body);
  else
    client->onMessage(from, kind, WireReader(body));
}

void MpiTransport::State::onBytes(Rank from, std::span<const std::byte> body) {
  WireReader in(body);
  const PieceHeader piece = decodePiece(in);
  const std::byte *next = in.rest().data();
  for (const ByteRun run : piece.runs) {
    std::byte *const place = client->place(run);
    if (!place)
      return;
    std::memcpy(place, next, run.bytes());
    next += run.bytes();
  }
  pieceArrived(piece, from);
}

void MpiTransport::State::onChunk(Rank from, std::span<const std::byte> body) {
  WireReader in(body);
  ChunkIn chunk{decodePiece(in), from, {}};
  std::uint64_t bytes = 0;
  std::byte *place = nullptr;
  for (const ByteRun run : chunk.piece.runs) {
    place = client->place(run);
    if (!place)
      return;
    bytes += run.bytes();
  }
  if (chunk.piece.runs.size() > 1) {
    chunk.gathered.resize(bytes);
    place = chunk.gathered.data();
  }
  Arrival &arrival = arrivals[chunk.piece.transfer];
  ++arrival.chunks;
  arrival.last = arrival.last || chunk.piece.last;
  chunkInRequests.push_back(MPI_REQUEST_NULL);
  check(MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, from.value, static_cast<int>(chunk.piece.tag), data,
                  &chunkInRequests.back()),
        "preparing to receive data");
  chunksIn.push_back(std::move(chunk));
}

/// The bytes of an inline piece, or of a chunk that was counted in `arrivals`, are in place.
void MpiTransport::State::pieceArrived(const PieceHeader &piece, Rank from) {
  if (!piece.runs.empty())
    client->onPiece(piece, from);
  const auto found = arrivals.find(piece.transfer);
  if (found == arrivals.end()) {
    if (piece.last)
      client->onArrived(piece.transfer);
    else
      arrivals.emplace(piece.transfer, Arrival{});
    return;
  }
  found->second.last = found->second.last || piece.last;
  if (found->second.last && found->second.chunks == 0) {
    arrivals.erase(found);
    client->onArrived(piece.transfer);
  }
}

bool MpiTransport::State::receiveChunks() {
  if (chunksIn.empty())
    return false;
  finished.resize(chunksIn.size());
  int count = 0;
  check(MPI_Testsome(static_cast<int>(chunkInRequests.size()), chunkInRequests.data(), &count, finished.data(),
                     MPI_STATUSES_IGNORE),
        "receiving data");
  if (count <= 0 || broken) // MPI_UNDEFINED is negative
    return false;
  std::sort(finished.begin(), finished.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(finished[static_cast<std::size_t>(i)]);
    const ChunkIn chunk = std::move(chunksIn[at]);
    chunksIn[at] = std::move(chunksIn.back());
    chunksIn.pop_back();
    chunkInRequests[at] = chunkInRequests.back();
    chunkInRequests.pop_back();
    std::uint64_t bytes = 0;
    for (const ByteRun run : chunk.piece.runs) {
      if (!chunk.gathered.empty())
        std::memcpy(client->place(run), chunk.gathered.data() + bytes, run.bytes());
      bytes += run.bytes();
    }
    counters.add(Counter::BytesReceived, bytes);
    --arrivals[chunk.piece.transfer].chunks;
    pieceArrived(chunk.piece, chunk.from);
  }
  return true;
}

// ---- The progress thread: leaving

bool MpiTransport::State::takeJobs() {
  if (!hasJobs.exchange(false))
    return false;
  std::vector<SendOrder> fresh;
  {
    std::lock_guard lock(jobsMutex);
    fresh.swap(jobs);
  }
  for (SendOrder &order : fresh) {
    auto &queue = peers[static_cast<std::size_t>(order.to.rank.value)]->departures;
    queue.push_back(std::make_unique<Departure>(std::move(order)));
  }
  return true;
}

void MpiTransport::State::sendInline(Rank to, const PieceHeader &piece) {
  WireWriter out;
  encodePiece(out, piece);
  for (const ByteRun run : piece.runs)
    out.append(client->source(run), run.bytes());
  append(to, MessageKind::Bytes, out.bytes());
}

void MpiTransport::State::sendChunk(Rank to, Peer &peer, Departure &departure, PieceHeader &piece, std::uint64_t bytes) {
  piece.tag = peer.nextTag;
  peer.nextTag = peer.nextTag == tags ? 0 : peer.nextTag + 1;
  WireWriter out;
  encodePiece(out, piece);
  append(to, MessageKind::Chunk, out.bytes());

  ChunkOut chunk{&departure, {}};
  const std::byte *from = client->source(piece.runs.front());
  if (piece.runs.size() > 1) {
    chunk.gathered.reserve(bytes);
    for (const ByteRun run : piece.runs) {
      const std::byte *const source = client->source(run);
      chunk.gathered.insert(chunk.gathered.end(), source, source + run.bytes());
    }
    from = chunk.gathered.data();
  }
  ++departure.chunks;
  peer.chunkRequests.push_back(MPI_REQUEST_NULL);
  check(
      MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to.value, static_cast<int>(piece.tag), data, &peer.chunkRequests.back()),
      "sending data to rank " + std::to_string(to.value));
  peer.chunks.push_back(std::move(chunk));
  counters.add(Counter::Chunks);
  counters.add(Counter::BytesSent, bytes);
}

/// Announces pieces of the transfers to one rank, in order, while there is room on the way.
bool MpiTransport::State::cutPieces(Rank to, Peer &peer) {
  bool any = false;
  for (std::size_t i = 0; i < peer.departures.size();) {
    Departure &departure = *peer.departures[i];
    while (!departure.announced && peer.chunks.size() < chunksInFlight) {
      PieceHeader piece{departure.order.transfer, departure.order.version, false, 0, departure.cutter.cut()};
      client->beforeDeparture(departure.order, piece.runs);
      piece.last = departure.announced = departure.cutter.done();
      std::uint64_t bytes = 0;
      for (const ByteRun run : piece.runs)
        bytes += run.bytes();
      if (bytes > inlineLimit)
        sendChunk(to, peer, departure, piece, bytes);
      else if (bytes > 0 || piece.last)
        sendInline(to, piece);
      peer.flush = any = true;
    }
    if (!departure.announced)
      break;
    if (departure.chunks > 0) {
      ++i;
      continue;
    }
    client->onDeparted(departure.order);
    peer.departures.erase(peer.departures.begin() + static_cast<std::ptrdiff_t>(i));
    outgoing.fetch_sub(1);
  }
  return any;
}

bool MpiTransport::State::finishChunks(Peer &peer) {
  if (peer.chunks.empty())
    return false;
  finished.resize(peer.chunks.size());
  int count = 0;
  check(MPI_Testsome(static_cast<int>(peer.chunkRequests.size()), peer.chunkRequests.data(), &count, finished.data(),
                     MPI_STATUSES_IGNORE),
        "sending data");
  if (count <= 0 || broken)
    return false;
  std::sort(finished.begin(), finished.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(finished[static_cast<std::size_t>(i)]);
    --peer.chunks[at].departure->chunks;
    peer.chunks[at] = std::move(peer.chunks.back());
    peer.chunks.pop_back();
    peer.chunkRequests[at] = peer.chunkRequests.back();
    peer.chunkRequests.pop_back();
  }
  return true;
}

bool MpiTransport::State::sendFrames(Rank to, Peer &peer) {
  bool any = false, given = false;
  while (!peer.frames.empty()) {
    int gone = 0;
    check(MPI_Test(&peer.frames.front().first, &gone, MPI_STATUS_IGNORE), "sending to rank " + std::to_string(to.value));
    if (!gone || broken)
      break;
    any = true;
    StreamBuffer &buffer = peer.leaving.front(); // frames leave in order
    buffer.gone += peer.frames.front().second;
    peer.frames.pop_front();
    if (buffer.gone == buffer.bytes.size()) {
      peer.spare = std::move(buffer.bytes);
      peer.spare.clear();
      peer.leaving.pop_front();
      outgoing.fetch_sub(1);
    }
  }
  if (peer.flush.exchange(false)) {
    std::lock_guard lock(peer.mutex);
    peer.posted.store(false, std::memory_order_relaxed);
    if (!peer.open.empty()) {
      peer.leaving.push_back({std::move(peer.open), 0, 0});
      peer.open = std::move(peer.spare);
      peer.spare = {};
    }
  }
  for (StreamBuffer &buffer : peer.leaving)
    while (buffer.given < buffer.bytes.size() && peer.frames.size() < framesInFlight) {
      const std::size_t size = std::min(frameBytes, buffer.bytes.size() - buffer.given);
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Isend(buffer.bytes.data() + buffer.given, static_cast<int>(size), MPI_BYTE, to.value, frameTag, orders, &request),
            "sending to rank " + std::to_string(to.value));
      peer.frames.emplace_back(request, size);
      buffer.given += size;
      counters.add(Counter::Frames);
      counters.add(Counter::BytesSent, size);
      any = given = true;
    }
  if (given && bells.others[static_cast<std::size_t>(to.value)])
    bells.others[static_cast<std::size_t>(to.value)]->ring();
  return any;
}

// ---- The progress thread: its loop

/// Whether MPI is to be looked after, so that a send or a receive that has begun goes on.
bool MpiTransport::State::inTransit() const {
  return !chunksIn.empty() || outgoing.load(std::memory_order_relaxed) > 0;
}

/// Nothing happened in this round: look again at once, yield, or sleep. Returns whether something came just before the sleep.
bool MpiTransport::State::rest(Clock::time_point idleSince, int looks) {
  if (spins && looks < looksBeforeYield)
    return false;
  if (Clock::now() - idleSince < yieldTime) {
    sched_yield();
    return false;
  }
  auto longest = allRing ? napAmongBells : nap;
  if (inTransit() || (!allRing && client->expecting()))
    longest = napWhenExpecting;
  bells.own->lieDown();
  const bool came = called.load() || receiveFrames(); // what came before others could see that we sleep
  if (!came)
    bells.own->sleep(longest);
  bells.own->getUp();
  return came;
}

void MpiTransport::State::run() {
  leaveSignalsToTheProgram();
  pthread_setname_np(pthread_self(), "streamap-comm");
  prctl(PR_SET_TIMERSLACK, 1); // or naps last 50 us longer
  for (std::size_t i = 0; i < postedFrames; ++i) {
    frames[i].resize(frameBytes);
    postReceive(i);
  }
  auto idleSince = Clock::now();
  auto nextTick = idleSince + tickEvery;
  for (int looks = 0; !stopping && !broken; ++looks) {
    bool active = called.exchange(false);
    active |= receiveFrames();
    active |= receiveChunks();
    active |= takeJobs();
    for (std::size_t i = 0; i < peers.size(); ++i) {
      Peer &peer = *peers[i];
      active |= finishChunks(peer);
      if (!peer.departures.empty())
        active |= cutPieces(Rank{static_cast<int>(i)}, peer);
      if (peer.flush.load() || !peer.leaving.empty())
        active |= sendFrames(Rank{static_cast<int>(i)}, peer);
    }
    if (active) {
      looks = 0;
      idleSince = Clock::now();
      if (idleSince >= nextTick) {
        client->onTick();
        nextTick = idleSince + tickEvery;
      }
      continue;
    }
    if (!spins || looks >= looksBeforeYield)
      if (const auto now = Clock::now(); now >= nextTick) {
        client->onTick();
        nextTick = now + tickEvery;
      }
    if (rest(idleSince, looks)) {
      looks = 0;
      idleSince = Clock::now();
    }
  }
  for (auto &receive : receives) {
    if (receive == MPI_REQUEST_NULL)
      continue;
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
}

// ---- The transport

MpiTransport::MpiTransport(MPI_Comm orders, MPI_Comm data, Bells bells, Counters &counters, bool spins)
    : state_(std::make_unique<State>(orders, data, std::move(bells), counters, spins)) {}

MpiTransport::~MpiTransport() {
  assert(!state_->thread.joinable() && "stopped before");
}

void MpiTransport::start(TransportClient &client) {
  state_->client = &client;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void MpiTransport::stop() {
  state_->stopping = true;
  state_->wake();
  state_->thread.join();
}

void MpiTransport::poke() {
  state_->wake();
}

void MpiTransport::post(Rank to, MessageKind kind, std::span<const std::byte> body) {
  state_->append(to, kind, body);
}

void MpiTransport::flush(Rank to) {
  state_->peers[static_cast<std::size_t>(to.value)]->flush = true;
  state_->wake();
}

void MpiTransport::flush() {
  bool any = false;
  for (const auto &peer : state_->peers)
    if (peer->posted.load(std::memory_order_relaxed))
      peer->flush = any = true;
  if (any)
    state_->wake();
}

void MpiTransport::transfer(SendOrder order) {
  state_->outgoing.fetch_add(1);
  {
    std::lock_guard lock(state_->jobsMutex);
    state_->jobs.push_back(std::move(order));
  }
  state_->hasJobs = true;
  state_->wake();
}

bool MpiTransport::drain(double seconds) {
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (state_->outgoing.load() > 0) {
    if (Clock::now() >= until || state_->broken)
      return false;
    flush();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

} // namespace streamap
