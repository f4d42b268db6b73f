// GlobalTensor and LocalTensor: typed windows on global and on-chip memory with checked element access.
#pragma once

#include "twin/api/types.h"
#include "twin/core/instruction.h"
#include "twin/core/sync.h"

namespace AscendC {

/// Tensor in global memory. `SetGlobalBuffer` gives it an address; bounds come from the operator's real
/// arguments, not from the size given there.
template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    GlobalTensor() = default;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
        address_ = buffer;
        size_ = size;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    const __gm__ T* GetPhyAddr() const { return address_; }
    __gm__ T* GetPhyAddr(const uint64_t offset) const { return address_ + offset; }
    uint64_t GetSize() const { return size_; }
    void SetSize(uint64_t size) { size_ = size; }

    GlobalTensor operator[](const uint64_t offset) const {
        GlobalTensor moved = *this;
        moved.address_ += offset;
        if (size_ != 0) moved.size_ = size_ > offset ? size_ - offset : 0;
        return moved;
    }

    T GetValue(const uint64_t offset, const twin::Site& site = twin::Site::here()) const {
        const T* element = address_ + offset;
        twin::Instruction access(twin::Pipe::S, "GlobalTensor::GetValue", site);
        access.read_global(element, sizeof(T));
        access.issue(scalar_cost(element), 0);
        twin::note_poll(reinterpret_cast<const uint8_t*>(element));
        return *twin::kept(element);
    }

    __gm__ T& operator()(const uint64_t offset, const twin::Site& site = twin::Site::here()) const {
        T* element = address_ + offset;
        twin::Instruction access(twin::Pipe::S, "GlobalTensor::operator()", site);
        access.read_global(element, sizeof(T));
        access.issue(scalar_cost(element), 0);
        twin::core().launch.gm.note_written(reinterpret_cast<const uint8_t*>(element), sizeof(T));
        return *element;
    }

    void SetValue(const uint64_t offset, T value, const twin::Site& site = twin::Site::here()) {
        T* element = address_ + offset;
        twin::Instruction access(twin::Pipe::S, "GlobalTensor::SetValue", site);
        access.write_global(element, sizeof(T), &value);
        access.issue(scalar_cost(element), 0);
        *twin::kept(element) = value;
    }

    void SetShapeInfo(const ShapeInfo& info) { shape_ = info; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    template <CacheRwMode mode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode) {}

private:
    /// Cycles of one scalar access: a miss fetches a cache line, further accesses to it are cheap.
    static double scalar_cost(const T* element) {
        const auto line =
            reinterpret_cast<uintptr_t>(element) / twin::kScalarLineBytes * twin::kScalarLineBytes;
        const auto* address = reinterpret_cast<const uint8_t*>(line);
        twin::Core& here = twin::core();
        const bool hit = here.gm.cached_line == address;
        here.gm.cached_line = address;
        return hit ? twin::kScalarCachedCycles : twin::kScalarGlobalCycles;
    }

    __gm__ T* address_ = nullptr;
    uint64_t size_ = 0;
    ShapeInfo shape_;
};

/// Tensor in on-chip memory.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    LocalTensor(const LocalTensor&) = default;
    LocalTensor& operator=(const LocalTensor&) = default;

    /// A tensor at a raw address, without TPipe.
    LocalTensor(TPosition position, uint32_t address, uint32_t elements,
                const twin::Site& site = twin::Site::here())
        : LocalTensor(twin::View{}, elements, position) {
        twin::LocalMemory& memory = twin::core().memory(twin::memory_of(position));
        view_.kind = twin::memory_of(position);
        view_.data = memory.base() + address;
        view_.limit = uint64_t(elements) * sizeof(T);
        if (address + view_.limit > memory.capacity()) {
            twin::report(
                twin::rules::ub_capacity, "LocalTensor", site,
                {twin::format("a tensor of %llu bytes at address %u does not fit into %zu bytes of %s",
                              static_cast<unsigned long long>(view_.limit), address, memory.capacity(),
                              twin::memory_name(view_.kind)),
                 twin::describe(view_), twin::format("%zu bytes", memory.capacity())});
        }
    }

    LocalTensor(const twin::View& view, uint64_t elements, TPosition position)
        : view_(view), size_(static_cast<uint32_t>(elements)), position_(position) {}

    uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
    uint64_t GetPhyAddr(const uint32_t offset) const {
        twin::lend_address(view_.kind);
        return reinterpret_cast<uint64_t>(view_.data + uint64_t(offset) * sizeof(T));
    }
    uint32_t GetSize() const { return size_; }
    uint32_t GetLength() const { return size_ * static_cast<uint32_t>(sizeof(T)); }
    void SetSize(const uint32_t size) { size_ = size; }
    void SetBufferLen(uint32_t bytes) { size_ = bytes / static_cast<uint32_t>(sizeof(T)); }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    void SetUserTag(const TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo& info) { shape_ = info; }
    ShapeInfo GetShapeInfo() const { return shape_; }

    LocalTensor operator[](const uint32_t offset) const {
        LocalTensor moved = *this;
        const uint64_t bytes = uint64_t(offset) * sizeof(T);
        moved.view_.data += bytes;
        moved.view_.limit = view_.limit > bytes ? view_.limit - bytes : 0;
        moved.size_ = size_ > offset ? size_ - offset : 0;
        return moved;
    }

    template <typename Other>
    LocalTensor<Other> ReinterpretCast() const {
        return LocalTensor<Other>(view_, uint64_t(size_) * sizeof(T) / sizeof(Other), position_);
    }

    template <typename Other>
    void SetAddrWithOffset(LocalTensor<Other>& source, uint32_t offset) {
        const uint64_t bytes = uint64_t(offset) * sizeof(Other);
        view_ = source.view();
        view_.data += bytes;
        view_.limit = view_.limit > bytes ? view_.limit - bytes : 0;
        size_ = source.GetSize();
    }

    /// Whole-tensor expression such as `z = x + y`; see vector_operators.h.
    template <typename Expression,
              typename = decltype(std::declval<const Expression&>().store(std::declval<LocalTensor&>()))>
    void operator=(const Expression& expression) {
        expression.store(*this);
    }

    T GetValue(const uint32_t index, const twin::Site& site = twin::Site::here()) const {
        twin::Instruction access(twin::Pipe::S, "LocalTensor::GetValue", site);
        access.read(view_, uint64_t(index) * sizeof(T), sizeof(T));
        access.issue(twin::kScalarLocalCycles, 0);
        return data()[index];
    }

    template <typename Value>
    void SetValue(const uint32_t index, const Value value,
                  const twin::Site& site = twin::Site::here()) const {
        twin::Instruction access(twin::Pipe::S, "LocalTensor::SetValue", site);
        access.write(view_, uint64_t(index) * sizeof(T), sizeof(T));
        access.issue(twin::kScalarLocalCycles, 0);
        data()[index] = static_cast<T>(value);
    }

    T& operator()(const uint32_t index, const twin::Site& site = twin::Site::here()) const {
        twin::Instruction access(twin::Pipe::S, "LocalTensor::operator()", site);
        access.write(view_, uint64_t(index) * sizeof(T), sizeof(T));
        access.issue(twin::kScalarLocalCycles, 0);
        return *static_cast<T*>(twin::lend_element(view_.kind, data() + index, sizeof(T)));
    }

    /// Twin internals: the untyped window and the bytes behind it.
    const twin::View& view() const { return view_; }
    T* data() const { return reinterpret_cast<T*>(view_.data); }

private:
    twin::View view_;
    uint32_t size_ = 0;
    TPosition position_ = TPosition::VECCALC;
    TTagType tag_ = 0;
    ShapeInfo shape_;
};

}  // namespace AscendC
