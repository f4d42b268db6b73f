// Integer division the processor of this machine traps on and the device's scalar unit does not: by zero, and
// of the smallest number by -1. The kernel goes on with what ARM's units give (quotient 0 and the dividend as
// remainder; the smallest number and 0): what the device gives is not documented, only that it does not stop.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#endif

namespace twin {
namespace runner {

#if defined(__x86_64__) && defined(__linux__)

/// One DIV or IDIV instruction. Source: Intel 64 manual, volume 2, chapters 2.1 (formats) and 3 (DIV, IDIV).
class TrappedDivision {
public:
    explicit TrappedDivision(ucontext_t& context) : registers_(context.uc_mcontext.gregs) {}

    /// Gives the result and goes behind the instruction; false when it is no division.
    bool resume() {
        next_ = reinterpret_cast<const uint8_t*>(registers_[REG_RIP]);
        for (; *next_ == 0x66 || *next_ == 0x2e || *next_ == 0x3e; ++next_)
            bytes_ = *next_ == 0x66 ? 2 : bytes_;
        const uint8_t rex = (*next_ & 0xf0) == 0x40 ? *next_++ : 0;
        if ((rex & 8) != 0) bytes_ = 8;
        const uint8_t code = *next_++;
        if ((code & 0xfe) != 0xf6) return false;
        if (code == 0xf6) bytes_ = 1;
        const uint8_t form = *next_++;
        if ((form & 0x30) != 0x30) return false;  // 6 is DIV, 7 IDIV
        const bool by_zero = divisor(form, rex) == 0;
        const uint64_t dividend = static_cast<uint64_t>(registers_[REG_RAX]);
        if (bytes_ == 1) {  // AL is the quotient, AH the remainder
            const uint64_t low = by_zero ? (dividend & 0xff) << 8 : dividend & 0xff;
            registers_[REG_RAX] = static_cast<greg_t>((dividend & ~uint64_t(0xffff)) | low);
        } else {
            put(REG_RAX, by_zero ? 0 : dividend);
            put(REG_RDX, by_zero ? dividend : 0);
        }
        registers_[REG_RIP] = reinterpret_cast<greg_t>(next_);
        return true;
    }

private:
    /// Writes the low bytes of a register as instructions of that width do: four bytes clear the upper half.
    void put(int which, uint64_t value) {
        const uint64_t before = static_cast<uint64_t>(registers_[which]);
        const uint64_t kept = bytes_ == 2 ? before & ~uint64_t(0xffff) : 0;
        registers_[which] =
            static_cast<greg_t>(kept | (bytes_ == 8 ? value : value & ((1ull << (8 * bytes_)) - 1)));
    }

    uint64_t general(int number) const {
        constexpr int kNames[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
        return static_cast<uint64_t>(registers_[kNames[number]]);
    }

    template <class T>
    T read() {
        T value;
        std::memcpy(&value, next_, sizeof value);
        next_ += sizeof value;
        return value;
    }

    /// The divisor, from a register or from memory; reads the rest of the instruction.
    uint64_t divisor(uint8_t form, uint8_t rex) {
        const int mode = form >> 6, base = form & 7;
        if (mode == 3) {
            const bool high_byte = bytes_ == 1 && rex == 0 && base >= 4;  // AH, CH, DH, BH
            const uint64_t value = high_byte ? general(base - 4) >> 8 : general(base | (rex & 1) << 3);
            return bytes_ == 8 ? value : value & ((1ull << (8 * bytes_)) - 1);
        }
        uint64_t address = 0;
        bool relative = false;
        if (base == 4) {
            const uint8_t scaled = read<uint8_t>();
            const int index = ((scaled >> 3) & 7) | (rex & 2) << 2;
            if (index != 4) address += general(index) << (scaled >> 6);
            if (mode == 0 && (scaled & 7) == 5) {
                address += static_cast<uint64_t>(int64_t(read<int32_t>()));
            } else {
                address += general((scaled & 7) | (rex & 1) << 3);
            }
        } else if (mode == 0 && base == 5) {
            address = static_cast<uint64_t>(int64_t(read<int32_t>()));
            relative = true;
        } else {
            address = general(base | (rex & 1) << 3);
        }
        if (mode == 1) address += static_cast<uint64_t>(int64_t(read<int8_t>()));
        if (mode == 2) address += static_cast<uint64_t>(int64_t(read<int32_t>()));
        if (relative) address += reinterpret_cast<uint64_t>(next_);
        uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<const void*>(address), static_cast<size_t>(bytes_));
        return value;
    }

    greg_t* registers_;
    const uint8_t* next_ = nullptr;
    int bytes_ = 4;
};

/// For the handler of SIGFPE: goes on behind a division; false when the fault is none.
inline bool resume_division(void* context) {
    return TrappedDivision(*static_cast<ucontext_t*>(context)).resume();
}

#else

inline bool resume_division(void*) { return false; }  // ARM's processors do not trap

#endif

}  // namespace runner
}  // namespace twin
