// The global memory regions a launch may touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "twin/launch.h"

namespace twin {

/// One registered region of global memory.
struct GmRegion {
    std::string name;
    uint8_t* begin = nullptr;
    size_t bytes = 0;
    size_t padded = 0;  ///< bytes the device allocates for it
    bool writable = true;
};

/// How an access lies to the registered regions.
enum class GmPlace { inside, padding, outside };

struct GmHit {
    GmPlace place = GmPlace::outside;
    const GmRegion* region = nullptr;  ///< region the access starts in (its padding included), or nullptr
};

class GlobalMemory {
public:
    explicit GlobalMemory(const Launch& launch) {
        for (const GmArgument& argument : launch.arguments) {
            if (argument.data == nullptr) continue;
            regions_.push_back({argument.name, argument.data, argument.bytes, padded_bytes(argument.bytes),
                                !argument.is_input});
        }
        if (launch.workspace != nullptr) {
            regions_.push_back(
                {"workspace", launch.workspace, launch.workspace_bytes, launch.workspace_bytes, true});
        }
        if (launch.tiling != nullptr) {
            regions_.push_back({"tiling", launch.tiling, launch.tiling_bytes, launch.tiling_bytes, false});
        }
    }

    /// Where `bytes` bytes at `address` lie. The same buffer may be registered twice (an in-place operator);
    /// the most permissive answer counts.
    GmHit find(const uint8_t* address, size_t bytes, bool write) const {
        GmHit best;
        for (const GmRegion& region : regions_) {
            if (address < region.begin || address >= region.begin + region.padded) continue;
            const size_t offset = static_cast<size_t>(address - region.begin);
            const GmPlace place = offset + bytes <= region.bytes    ? GmPlace::inside
                                  : offset + bytes <= region.padded ? GmPlace::padding
                                                                    : GmPlace::outside;
            const bool better = best.region == nullptr || place < best.place ||
                                (place == best.place && write && region.writable && !best.region->writable);
            if (better) best = {place, &region};
        }
        return best;
    }

private:
    std::vector<GmRegion> regions_;
};

}  // namespace twin
