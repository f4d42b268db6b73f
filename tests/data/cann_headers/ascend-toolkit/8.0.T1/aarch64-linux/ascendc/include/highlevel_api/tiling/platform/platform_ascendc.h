#pragma once
#include <cstdint>

namespace platform_ascendc {
class PlatformAscendC {
public:
    explicit PlatformAscendC(const void* information);
    uint32_t GetCoreNumAiv() const;
};
}  // namespace platform_ascendc
