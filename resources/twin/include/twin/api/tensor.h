// GlobalTensor and LocalTensor: typed windows on global and on-chip memory with checked element access.
#pragma once

#include "twin/api/types.h"
#include "twin/core/element.h"
#include "twin/core/instruction.h"
#include "twin/core/sync.h"
#include "twin/wire/call.h"

namespace AscendC {

/// An address as libraries below the documented interface make it by hand.
struct TBuffAddr {
    uint32_t dataLen = 0;
    uint64_t bufferAddr = 0;
    uint64_t bufferHandle = 0;
    uint8_t logicPos = 0;
};

}  // namespace AscendC

namespace twin {

/// Room for one element that is read.
template <class T>
struct Element {
    alignas(T) uint8_t bytes[sizeof(T)];
    const T& value() const { return *reinterpret_cast<const T*>(bytes); }
};

/// Where a LocalTensor lies. Libraries set it by hand, `address_.bufferAddr = x` and `address_.logicPos = p`
/// in any order, x being an offset in the memory of p or what GetPhyAddr gave; which bytes that are is
/// settled at the first use.
class TensorAddress {
public:
    struct Position {
        AscendC::TPosition value = AscendC::TPosition::VECCALC;
        Position& operator=(uint8_t position) {
            value = static_cast<AscendC::TPosition>(position);
            return *this;
        }
        operator uint8_t() const { return static_cast<uint8_t>(value); }
    };
    struct Address {
        View view;
        bool by_hand = false;
        Address& operator=(uint64_t address) {
            view = View{};
            view.data = reinterpret_cast<uint8_t*>(address);
            by_hand = true;
            return *this;
        }
        operator uint64_t() const {
            return reinterpret_cast<uint64_t>(by_hand ? view.data : lend_address(view.kind, view.data));
        }
    };

    TensorAddress() = default;
    TensorAddress(const View& view, AscendC::TPosition position) {
        bufferAddr.view = view;
        logicPos.value = position;
    }

    const View& view() const {
        if (bufferAddr.by_hand) settle();
        return bufferAddr.view;
    }
    void move(uint64_t bytes) {
        View& moved = const_cast<View&>(view());
        moved.data += bytes;
        moved.limit = moved.limit > bytes ? moved.limit - bytes : 0;
    }

    mutable Address bufferAddr;
    Position logicPos;
    uint32_t dataLen = 0;

private:
    void settle() const {
        View& made = bufferAddr.view;
        made.kind = memory_of(logicPos.value);
        LocalMemory& memory = core().memory(made.kind);
        const auto given = reinterpret_cast<uint64_t>(made.data);
        made.data = given < memory.capacity() ? memory.base() + given : made.data;
        made.limit = memory.holds(made.data)
                         ? static_cast<uint64_t>(memory.base() + memory.capacity() - made.data)
                         : 0;
        bufferAddr.by_hand = false;
    }
};

}  // namespace twin

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
        twin::Element<T> element;
        twin::read_global(address_ + offset, sizeof(T), site, element.bytes);
        return element.value();
    }

    __gm__ T& operator()(const uint64_t offset, const twin::Site& site = twin::Site::here()) const {
        twin::refer_to_global(address_ + offset, sizeof(T), site);
        return address_[offset];
    }

    void SetValue(const uint64_t offset, T value, const twin::Site& site = twin::Site::here()) {
        twin::write_global(address_ + offset, sizeof(T), site, &value);
    }

    void SetShapeInfo(const ShapeInfo& info) { shape_ = info; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    template <CacheRwMode mode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode) {}

private:
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
        twin::View& view = address_.bufferAddr.view;
        view.kind = twin::memory_of(position);
        view.data = memory.base() + address;
        view.limit = uint64_t(elements) * sizeof(T);
        if (address + view.limit > memory.capacity()) {
            twin::report(
                twin::rules::ub_capacity, "LocalTensor", site,
                {twin::format("a tensor of %llu bytes at address %u does not fit into %zu bytes of %s",
                              static_cast<unsigned long long>(view.limit), address, memory.capacity(),
                              twin::memory_name(view.kind)),
                 twin::describe(view), twin::format("%zu bytes", memory.capacity())});
        }
    }

    LocalTensor(const twin::View& view, uint64_t elements, TPosition position)
        : address_(view, position), size_(static_cast<uint32_t>(elements)) {}

    /// Below the documented interface: a tensor of `elements` at an offset of the memory that
    /// `address_.logicPos` names.
    void InitBuffer(const uint32_t offset, const uint32_t elements) {
        address_.bufferAddr = offset;
        size_ = elements;
    }
    /// Says to a TBuf which of its buffers is meant; it has one.
    uint64_t GetBufferHandle() const { return address_.logicPos; }
    void SetAddr(const TBuffAddr& address) {
        address_.logicPos = address.logicPos;
        address_.bufferAddr = address.bufferAddr;
    }

    uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
    uint64_t GetPhyAddr(const uint32_t offset) const {
        const auto begin = reinterpret_cast<uint64_t>(twin::lend_address(view().kind, view().data));
        return begin + uint64_t(offset) * sizeof(T);
    }
    uint32_t GetSize() const { return size_; }
    uint32_t GetLength() const { return size_ * static_cast<uint32_t>(sizeof(T)); }
    void SetSize(const uint32_t size) { size_ = size; }
    void SetBufferLen(uint32_t bytes) { size_ = bytes / static_cast<uint32_t>(sizeof(T)); }
    int32_t GetPosition() const { return static_cast<int32_t>(address_.logicPos.value); }
    void SetUserTag(const TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo& info) { shape_ = info; }
    ShapeInfo GetShapeInfo() const { return shape_; }

    LocalTensor operator[](const uint32_t offset) const {
        LocalTensor moved = *this;
        const uint64_t bytes = uint64_t(offset) * sizeof(T);
        moved.address_.move(bytes);
        moved.size_ = size_ > offset ? size_ - offset : 0;
        return moved;
    }

    template <typename Other>
    LocalTensor<Other> ReinterpretCast() const {
        return LocalTensor<Other>(view(), uint64_t(size_) * sizeof(T) / sizeof(Other),
                                  address_.logicPos.value);
    }

    template <typename Other>
    void SetAddrWithOffset(LocalTensor<Other>& source, uint32_t offset) {
        const uint64_t bytes = uint64_t(offset) * sizeof(Other);
        address_.bufferAddr.view = source.view();
        address_.bufferAddr.by_hand = false;
        address_.move(bytes);
        size_ = source.GetSize();
    }

    /// Whole-tensor expression such as `z = x + y`; see vector_operators.h.
    template <typename Expression,
              typename = decltype(std::declval<const Expression&>().store(std::declval<LocalTensor&>()))>
    void operator=(const Expression& expression) {
        expression.store(*this);
    }

    T GetValue(const uint32_t index, const twin::Site& site = twin::Site::here()) const {
        twin::Element<T> element;
        twin::read_local(view(), uint64_t(index) * sizeof(T), sizeof(T), site, element.bytes);
        return element.value();
    }

    template <typename Value>
    void SetValue(const uint32_t index, const Value value,
                  const twin::Site& site = twin::Site::here()) const {
        const T stored = static_cast<T>(value);
        twin::write_local(view(), uint64_t(index) * sizeof(T), sizeof(T), site, &stored);
    }

    T& operator()(const uint32_t index, const twin::Site& site = twin::Site::here()) const {
        return *static_cast<T*>(twin::refer_to_local(view(), uint64_t(index) * sizeof(T), sizeof(T), site));
    }

    /// Twin internals: the untyped window and the bytes behind it.
    const twin::View& view() const { return address_.view(); }
    T* data() const { return reinterpret_cast<T*>(view().data); }

    twin::TensorAddress address_;

private:
    uint32_t size_ = 0;
    TTagType tag_ = 0;
    ShapeInfo shape_;
};

}  // namespace AscendC
