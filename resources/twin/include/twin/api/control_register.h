// The control register of a core.
#pragma once

#include "twin/api/system.h"

namespace AscendC {

#define TWIN_REQUIRE_CONTROL_BITS()                                   \
    static_assert(startBit >= 0 && startBit <= endBit && endBit < 64, \
                  "a range of bits of the control register begins at 0 and ends at 63")

/// Bits of the control register. Bit 48 alone is documented for Atlas A2: 1, as a kernel finds it, lets
/// infinities and NaN be; 0 saturates, which is not simulated. Source: SetCtrlSpr, table of Atlas A2.
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_CONTROL_BITS();
    static_assert(startBit == 48 && endBit == 48,
                  "SetCtrlSpr: Atlas A2 has bit 48 of the control register alone");
    TWIN_CALL(value, site);
    twin::Instruction instruction(twin::Pipe::S, "SetCtrlSpr", site);
    instruction.issue(1, 0);
    if (value != 1) {
        instruction.fail(
            twin::rules::vector_limit,
            {"saturating arithmetic (bit 48 of the control register is 0) is not simulated by the "
             "CPU twin; judge this kernel on a device",
             "", "1"});
    }
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr() {
    TWIN_REQUIRE_CONTROL_BITS();
    constexpr uint64_t kRegister = 1ull << 48;
    constexpr int kBits = endBit - startBit + 1;
    return static_cast<int64_t>(kRegister >> startBit & (kBits == 64 ? ~0ull : (1ull << kBits) - 1));
}
template <int8_t startBit, int8_t endBit>
void ResetCtrlSpr() {
    TWIN_REQUIRE_CONTROL_BITS();
}

#undef TWIN_REQUIRE_CONTROL_BITS

}  // namespace AscendC
