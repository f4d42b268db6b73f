// TPipe (buffer and event-id management), TBuf and TBufPool.
#pragma once

#include "twin/api/tensor.h"

namespace twin {

/// Takes `bytes` (rounded up to 32) of `kind` for one buffer. More than the memory has is a warning here; the
/// error comes from the access, as on the device.
Buffer* allocate_buffer(MemoryKind kind, uint32_t bytes, const char* role, int number, const Site& site);

/// Buffer at a given place, for pools.
Buffer* place_buffer(MemoryKind kind, uint32_t offset, uint32_t bytes, const char* role, int number,
                     const Site& site);

/// The core's memories are free again.
void reset_buffers();

inline View view_of(Buffer* buffer) {
    View view;
    view.data = core().memory(buffer->kind).base() + buffer->offset;
    view.limit = buffer->length;
    view.kind = buffer->kind;
    view.buffer = buffer;
    return view;
}

constexpr uint32_t round_up_block(uint32_t bytes) { return (bytes + 31) / 32 * 32; }

}  // namespace twin

namespace AscendC {

/// Buffer for temporaries; no queue, so synchronisation is up to the kernel.
template <TPosition position = TPosition::VECCALC>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get(const twin::Site& site = twin::Site::here()) {
        return LocalTensor<T>(memory(site), GetBufLen() / sizeof(T), position);
    }

    template <typename T>
    LocalTensor<T> Get(uint32_t elements, const twin::Site& site = twin::Site::here()) {
        return LocalTensor<T>(memory(site), elements, position);
    }

    /// `elements` elements, `offset` bytes into the buffer.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset,
                                 const twin::Site& site = twin::Site::here()) {
        twin::View view = memory(site);
        if (view.data == nullptr) return LocalTensor<T>(view, elements, position);
        view.data += offset;
        view.limit = view.limit > offset ? view.limit - offset : 0;
        return LocalTensor<T>(view, elements, position);
    }

    uint32_t GetBufLen() const { return buffer_ != nullptr ? buffer_->length : 0; }

    /// Below the documented interface: where the buffer lies, for LocalTensor::SetAddr.
    TBuffAddr GetBufferAddr(uint64_t, const twin::Site& site = twin::Site::here()) {
        static_cast<void>(memory(site));
        return {GetBufLen(), buffer_ != nullptr ? buffer_->offset : 0, 0, static_cast<uint8_t>(position)};
    }

    // A TBuf may be used like a queue of one buffer; none of these calls synchronises anything.
    template <typename T>
    LocalTensor<T> AllocTensor(const twin::Site& site = twin::Site::here()) {
        return Get<T>(site);
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>&) {}
    template <typename T>
    bool EnQue(const LocalTensor<T>&) {
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue(const twin::Site& site = twin::Site::here()) {
        return Get<T>(site);
    }

    static constexpr TPosition kPosition = position;
    void attach(twin::Buffer* buffer) { buffer_ = buffer; }

private:
    /// A buffer nobody made gives a tensor without memory: a kernel may ask for what only another of its
    /// types needs.
    twin::View memory(const twin::Site& site) const {
        twin::enter("TBuf::Get", site);
        if (buffer_ != nullptr) return twin::view_of(buffer_);
        twin::report(twin::rules::empty_buffer, "TBuf::Get", site,
                     {"TBuf was never given to InitBuffer", "TBuf", ""});
        return {};
    }

    twin::Buffer* buffer_ = nullptr;
};

/// Hands out on-chip memory and event ids. One per kernel.
class TPipe {
public:
    TPipe() { Init(); }
    ~TPipe() {
        if (twin::current_core != nullptr && twin::core().tpipe == this) twin::core().tpipe = nullptr;
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init() {
        twin::core().tpipe = this;
        reset_memory();
    }
    /// Gives back all memory and events, for the next TPipe of the kernel.
    void Destroy() { Reset(); }
    void Reset() {
        barrier();
        reset_memory();
        twin::core().event_ids.fill(0);
    }

    template <typename Queue>
    auto InitBuffer(Queue& queue, uint8_t number, uint32_t bytes, const twin::Site& site = twin::Site::here())
        -> decltype(queue.clear(), bool()) {
        twin::enter("InitBuffer", site);
        require_size(number, bytes, site);
        queue.clear();
        for (int index = 0; index < number; ++index) {
            queue.attach(twin::allocate_buffer(Queue::kMemory, bytes, Queue::kRole, index, site));
        }
        return true;
    }

    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t bytes, const twin::Site& site = twin::Site::here()) {
        twin::enter("InitBuffer", site);
        require_size(1, bytes, site);
        buffer.attach(twin::allocate_buffer(twin::memory_of(position), bytes, "TBuf", 0, site));
        return true;
    }

    template <typename Pool>
    bool InitBufPool(Pool& pool, uint32_t bytes, const twin::Site& site = twin::Site::here()) {
        pool.attach(twin::allocate_buffer(Pool::kMemory, bytes, "TBufPool", 0, site));
        return true;
    }
    /// A pool that shares the memory of `other`.
    template <typename Pool, typename Shared>
    bool InitBufPool(Pool& pool, uint32_t bytes, Shared& other, const twin::Site& site = twin::Site::here()) {
        pool.attach(twin::place_buffer(Pool::kMemory, other.base(), bytes, "TBufPool", 0, site));
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID(const twin::Site& site = twin::Site::here()) {
        uint32_t& used = twin::core().event_ids[static_cast<size_t>(event)];
        for (int id = 0; id < twin::kEventIds; ++id) {
            if ((used & (1u << id)) != 0) continue;
            used |= 1u << id;
            return static_cast<TEventID>(id);
        }
        twin::report(
            twin::rules::event_id, "AllocEventID", site,
            {"every event id of this event is in use: ReleaseEventID is missing", "", "8 event ids"});
        return 0;
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id) {
        twin::core().event_ids[static_cast<size_t>(event)] &= ~(1u << id);
    }
    template <HardEvent event>
    TEventID FetchEventID() {
        return FetchEventID(event);
    }
    TEventID FetchEventID(HardEvent event) {
        const uint32_t used = twin::core().event_ids[static_cast<size_t>(event)];
        for (int id = 0; id < twin::kEventIds; ++id) {
            if ((used & (1u << id)) == 0) return static_cast<TEventID>(id);
        }
        return 0;
    }

    template <TPosition position = TPosition::VECIN>
    uint64_t GetQueueEndAddress() {
        return twin::core().allocated[static_cast<size_t>(twin::memory_of(position))];
    }
    template <TPosition position, typename T>
    LocalTensor<T> GetAbsAddr(int32_t offset, int32_t elements) const {
        return LocalTensor<T>(position, static_cast<uint32_t>(offset), static_cast<uint32_t>(elements));
    }

private:
    static void barrier() { twin::barrier_all_pipes(twin::core()); }
    static void reset_memory() { twin::reset_buffers(); }

    static void require_size(int number, uint32_t bytes, const twin::Site& site) {
        if (number > 0 && bytes > 0) return;
        twin::report(twin::rules::empty_buffer, "InitBuffer", site,
                     {twin::format("InitBuffer of %d buffers of %u bytes", number, bytes), "", ""});
    }
};

/// The kernel's TPipe.
inline TPipe* GetTPipePtr(const twin::Site& site = twin::Site::here()) {
    if (twin::core().tpipe == nullptr) {
        twin::report(twin::rules::pipe_misuse, "GetTPipePtr", site, {"no TPipe exists on this core", "", ""});
    }
    return static_cast<TPipe*>(twin::core().tpipe);
}

/// Part of on-chip memory that is cut into queues and buffers again and again.
template <TPosition position, uint32_t buffer_slots = 4>
class TBufPool {
public:
    static constexpr twin::MemoryKind kMemory = twin::memory_of(position);

    template <typename Queue>
    auto InitBuffer(Queue& queue, uint8_t number, uint32_t bytes, const twin::Site& site = twin::Site::here())
        -> decltype(queue.clear(), bool()) {
        queue.clear();
        for (int index = 0; index < number; ++index) queue.attach(take(bytes, Queue::kRole, index, site));
        return true;
    }
    template <TPosition where>
    bool InitBuffer(TBuf<where>& buffer, uint32_t bytes, const twin::Site& site = twin::Site::here()) {
        buffer.attach(take(bytes, "TBuf", 0, site));
        return true;
    }
    template <typename Pool>
    bool InitBufPool(Pool& pool, uint32_t bytes, const twin::Site& site = twin::Site::here()) {
        pool.attach(take(bytes, "TBufPool", 0, site));
        return true;
    }
    template <typename Pool, typename Shared>
    bool InitBufPool(Pool& pool, uint32_t bytes, Shared& other, const twin::Site& site = twin::Site::here()) {
        pool.attach(twin::place_buffer(kMemory, other.base(), bytes, "TBufPool", 0, site));
        return true;
    }
    void Reset() {
        twin::barrier_all_pipes(twin::core());
        used_ = 0;
    }

    uint32_t base() const { return whole_ != nullptr ? whole_->offset : 0; }
    void attach(twin::Buffer* whole) {
        whole_ = whole;
        used_ = 0;
    }

private:
    twin::Buffer* take(uint32_t bytes, const char* role, int number, const twin::Site& site) {
        const uint32_t offset = base() + used_;
        used_ += twin::round_up_block(bytes);
        if (whole_ == nullptr || used_ > whole_->length) {
            twin::report(
                twin::rules::ub_capacity, "TBufPool::InitBuffer", site,
                {twin::format("the pool needs %u bytes and has %u", used_, whole_ ? whole_->length : 0),
                 "TBufPool", ""});
        }
        return twin::place_buffer(kMemory, offset, bytes, role, number, site);
    }

    twin::Buffer* whole_ = nullptr;
    uint32_t used_ = 0;
};

/// Static allocation without TPipe: bumps through one memory.
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
public:
    template <TPosition position, typename T, uint32_t elements>
    LocalTensor<T> Alloc(const twin::Site& site = twin::Site::here()) {
        return Alloc<position, T>(elements, site);
    }
    template <TPosition position, typename T>
    LocalTensor<T> Alloc(uint32_t elements, const twin::Site& site = twin::Site::here()) {
        const LocalTensor<T> tensor(position, offset_, elements, site);
        offset_ += twin::round_up_block(elements * static_cast<uint32_t>(sizeof(T)));
        return tensor;
    }
    template <typename T, uint32_t elements>
    LocalTensor<T> Alloc(const twin::Site& site = twin::Site::here()) {
        return Alloc<kPosition, T>(elements, site);
    }
    template <typename T>
    LocalTensor<T> Alloc(uint32_t elements, const twin::Site& site = twin::Site::here()) {
        return Alloc<kPosition, T>(elements, site);
    }
    uint32_t GetCurAddr() const { return offset_; }

private:
    static constexpr TPosition kPosition = hardware == Hardware::L1       ? TPosition::A1
                                           : hardware == Hardware::L0A    ? TPosition::A2
                                           : hardware == Hardware::L0B    ? TPosition::B2
                                           : hardware == Hardware::L0C    ? TPosition::CO1
                                           : hardware == Hardware::BIAS   ? TPosition::C2
                                           : hardware == Hardware::FIXBUF ? TPosition::C2PIPE2GM
                                                                          : TPosition::VECCALC;
    uint32_t offset_ = 0;
};

}  // namespace AscendC

// Known without the namespace too.
using AscendC::GetTPipePtr;
