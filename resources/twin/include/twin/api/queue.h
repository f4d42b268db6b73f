// TQue and TQueBind: buffers that change hands between two pipes, with the synchronisation this implies.
#pragma once

#include <array>

#include "twin/api/pipe_memory.h"

namespace twin {

namespace wire {
/// Tells the simulator of a queue; its number on the core, 0 where nobody is told.
uint32_t new_queue(Pipe producer, Pipe consumer, const char* role, int depth);
}  // namespace wire

/// Untyped queue: state machine of its buffers and the events between producer and consumer.
class QueueCore {
public:
    QueueCore(Pipe producer, Pipe consumer, const char* role, int depth)
        : producer_(producer),
          consumer_(consumer),
          role_(role),
          depth_(depth),
          number_(wire::new_queue(producer, consumer, role, depth)) {}

    void clear();
    void attach(Buffer* buffer);

    Buffer* allocate(const Site& site);
    void enqueue(Buffer* buffer, const Site& site) { enqueue(buffer, producer_, site); }
    Buffer* dequeue(const Site& site) { return dequeue(consumer_, site); }
    /// For a hand-over between two named positions of the way.
    void enqueue(Buffer* buffer, Pipe producer, const Site& site);
    Buffer* dequeue(Pipe consumer, const Site& site);
    void release(Buffer* buffer, const Site& site);

    bool has_waiting() const { return waiting_ > 0; }
    bool has_free() const;
    int waiting() const { return waiting_; }

private:
    static constexpr int kMaxBuffers = 64;  // all queues of a TPipe together have at most 64 buffers

    void hold_event(Buffer& buffer, Pipe from, Pipe to, const char* call, const Site& site) const;
    void require_ours(const Buffer* buffer, const char* call, const Site& site) const;
    std::string name() const;

    Pipe producer_, consumer_;
    const char* role_;
    int depth_;
    uint32_t number_;  // among the queues of a core whose kernel is on the wire
    int count_ = 0;    // buffers
    int next_ = 0;     // where the search for a free buffer starts
    int first_ = 0;    // oldest enqueued entry in fifo_
    int waiting_ = 0;  // enqueued entries
    std::array<Buffer*, kMaxBuffers> buffers_{};
    std::array<Buffer*, kMaxBuffers> fifo_{};
};

/// A library function has computed in its temporary: what lay in its first `bytes` is gone.
void poison_temporary(const View& temporary, uint64_t bytes, const Site& site);

/// Pipe that fills a buffer which goes from `source` to `destination`.
constexpr Pipe producer_of(AscendC::TPosition source, AscendC::TPosition destination) {
    using P = AscendC::TPosition;
    if (source == P::GM || source == P::VECIN) return Pipe::MTE2;
    if (destination == P::A2 || destination == P::B2) return Pipe::MTE1;
    if (source == P::A1 || source == P::B1 || source == P::C1) return Pipe::MTE1;
    if (source == P::CO1) return Pipe::M;
    if (source == P::CO2 || source == P::C2PIPE2GM) return Pipe::FIX;
    return Pipe::V;
}

/// Pipe that uses it up.
constexpr Pipe consumer_of(AscendC::TPosition source, AscendC::TPosition destination) {
    using P = AscendC::TPosition;
    if (destination == P::GM) return Pipe::MTE3;
    if (destination == P::VECOUT && source == P::VECIN) return Pipe::MTE3;
    if (destination == P::A1 || destination == P::B1 || destination == P::C1 || destination == P::TSCM) {
        return source == P::GM ? Pipe::MTE1 : Pipe::MTE3;
    }
    if (destination == P::A2 || destination == P::B2 || destination == P::C2) return Pipe::M;
    if (destination == P::CO2) return Pipe::FIX;
    return Pipe::V;
}

}  // namespace twin

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

/// A buffer of a queue without a type.
using TBufHandle = twin::Buffer*;

template <TPosition source, TPosition destination, int32_t depth, auto mask = 0>
class TQueBind {
public:
    static constexpr bool kIntoL0 = destination == TPosition::A2 || destination == TPosition::B2 ||
                                    destination == TPosition::C2 || destination == TPosition::C2PIPE2GM;
    static constexpr TPosition kHome = source == TPosition::GM || kIntoL0 ? destination : source;
    static constexpr twin::MemoryKind kMemory = twin::memory_of(kHome);
    static constexpr const char* kRole = twin::position_name(kHome);

    TQueBind()
        : queue_(twin::producer_of(source, destination), twin::consumer_of(source, destination), kRole,
                 depth) {}

    template <typename T>
    LocalTensor<T> AllocTensor(const twin::Site& site = twin::Site::here()) {
        static_assert(depth != 0, "AllocTensor: a queue of depth 0 takes AllocTensor<T>(tensor)");
        return tensor<T>(queue_.allocate(site));
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& result, const twin::Site& site = twin::Site::here()) {
        static_assert(depth == 0, "AllocTensor(tensor): only a queue of depth 0 fills a tensor in place");
        result = tensor<T>(queue_.allocate(site));
    }

    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor, const twin::Site& site = twin::Site::here()) {
        queue_.enqueue(tensor.view().buffer, site);
        return true;
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T>& tensor, const twin::Site& site = twin::Site::here()) {
        queue_.enqueue(tensor.view().buffer, from == TPosition::GM ? twin::Pipe::MTE2 : twin::Pipe::V, site);
        return true;
    }

    template <typename T>
    LocalTensor<T> DeQue(const twin::Site& site = twin::Site::here()) {
        return tensor<T>(queue_.dequeue(site));
    }
    template <typename T>
    void DeQue(LocalTensor<T>& result, const twin::Site& site = twin::Site::here()) {
        static_assert(depth == 0, "DeQue(tensor): only a queue of depth 0 fills a tensor in place");
        result = DeQue<T>(site);
    }
    template <TPosition from, TPosition to, typename T>
    LocalTensor<T> DeQue(const twin::Site& site = twin::Site::here()) {
        return tensor<T>(queue_.dequeue(to == TPosition::GM ? twin::Pipe::MTE3 : twin::Pipe::V, site));
    }

    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor, const twin::Site& site = twin::Site::here()) {
        queue_.release(tensor.view().buffer, site);
    }

    // The same by handle.
    TBufHandle AllocBuffer(const twin::Site& site = twin::Site::here()) { return queue_.allocate(site); }
    bool EnQue(TBufHandle buffer, const twin::Site& site = twin::Site::here()) {
        queue_.enqueue(buffer, site);
        return true;
    }
    TBufHandle DeQue(const twin::Site& site = twin::Site::here()) { return queue_.dequeue(site); }
    void FreeBuffer(TBufHandle buffer, const twin::Site& site = twin::Site::here()) {
        queue_.release(buffer, site);
    }

    bool VacantInQue() const { return queue_.waiting() < depth; }
    bool HasTensorInQue() const { return queue_.has_waiting(); }
    int32_t GetTensorCountInQue() const { return queue_.waiting(); }
    bool HasIdleBuffer() const { return queue_.has_free(); }
    void FreeAllEvent() {}
    template <typename T>
    TBuf<kHome> ToTBuf() {
        return TBuf<kHome>();
    }

    /// For TPipe: the queue starts empty, then gets its buffers.
    void clear() { queue_.clear(); }
    void attach(twin::Buffer* buffer) { queue_.attach(buffer); }

private:
    template <typename T>
    LocalTensor<T> tensor(twin::Buffer* buffer) const {
        return LocalTensor<T>(twin::view_of(buffer), buffer->length / sizeof(T), kHome);
    }

    twin::QueueCore queue_;
};

/// Where the two ends of a plain queue are.
constexpr TPosition QueueSource(TPosition position) {
    switch (position) {
        case TPosition::A2:
            return TPosition::A1;
        case TPosition::B2:
            return TPosition::B1;
        case TPosition::C2:
            return TPosition::C1;
        case TPosition::VECIN:
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
            return TPosition::GM;
        default:
            return position;
    }
}
constexpr TPosition QueueDestination(TPosition position) {
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::CO2:
            return TPosition::GM;
        case TPosition::CO1:
            return TPosition::CO2;
        default:
            return position;
    }
}

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<QueueSource(position), QueueDestination(position), depth, mask> {};

template <TPosition position, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<position, TPosition::TSCM, depth, mask>;

}  // namespace AscendC
