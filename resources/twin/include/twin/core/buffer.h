// A buffer that TPipe handed out, and the untyped view a tensor has of it.
#pragma once

#include <cstdint>

#include "twin/core/local_memory.h"
#include "twin/core/pipes.h"
#include "twin/core/site.h"

namespace twin {

enum class BufferState : uint8_t { free, allocated, enqueued, dequeued, plain };

constexpr const char* state_name(BufferState state) {
    constexpr const char* names[] = {"free", "allocated", "enqueued", "dequeued", "plain"};
    return names[static_cast<int>(state)];
}

/// One buffer of a TQue, TBuf or TBufPool. Owned by the core, so that tensors may outlive their queue.
struct Buffer {
    MemoryKind kind = MemoryKind::UB;
    uint32_t offset = 0;  ///< bytes from the start of the memory
    uint32_t length = 0;  ///< bytes, a multiple of 32
    BufferState state = BufferState::plain;
    const char* role = "";  ///< "VECIN queue", "TBuf", ...
    int number = 0;         ///< position in its queue
    uint32_t index = 0;     ///< position among all buffers of the core
    Site site{};            ///< where it was initialised
    Event filled{};         ///< set by EnQue: the producing pipe is done
    Event released{};       ///< set by FreeTensor: the consuming pipe is done
    bool was_released = false;
    Pipe event_from = Pipe::S, event_to = Pipe::S;  ///< event whose id it holds in a queue; equal: none
};

/// Untyped part of a LocalTensor: where it points and how far it may reach.
struct View {
    uint8_t* data = nullptr;
    uint64_t limit = 0;  ///< bytes from `data` to the end of its buffer
    MemoryKind kind = MemoryKind::UB;
    Buffer* buffer = nullptr;  ///< nullptr for tensors made from a raw address
};

}  // namespace twin
