// The global memory regions a launch may touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "twin/launch.h"

namespace twin {

struct GmLog;

/// One registered region of global memory.
struct GmRegion {
    std::string name;
    uint8_t* begin = nullptr;  ///< as the kernel addresses it
    uint8_t* kept = nullptr;   ///< where its bytes are
    size_t bytes = 0;
    size_t padded = 0;  ///< bytes the device allocates for it
    bool writable = true;
    bool in_place = false;          ///< outputs: an input too, of which a kernel may keep parts
    std::vector<uint64_t> written;  ///< outputs: one bit per byte a core has written
    mutable std::shared_ptr<GmLog> log;  ///< who touched it last; made on first use
    std::vector<uint8_t> before;    ///< outputs: content at launch, to notice writes through raw pointers
    size_t expected = 0;            ///< outputs: leading bytes that a core has to write
};

/// Bytes of an output that no core has written.
struct GmGap {
    const GmRegion* region = nullptr;
    size_t first = 0;  ///< offset of the first such byte
    size_t bytes = 0;  ///< how many there are
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
            GmRegion& region =
                add(argument.name, argument.data, argument.kept, argument.bytes, !argument.is_input);
            region.padded = padded_bytes(argument.bytes);
            region.in_place = !argument.is_input && is_input(launch, argument.data);
            if (!argument.is_input && argument.bytes <= kMostWatched) {
                region.written.assign(argument.bytes / 64 + 1, 0);
                region.before.assign(region.kept, region.kept + argument.bytes);
                region.expected = std::min(argument.expected, argument.bytes);
            }
        }
        if (launch.workspace != nullptr) {
            add("workspace", launch.workspace, launch.workspace_kept, launch.workspace_bytes, true);
        }
        if (launch.tiling != nullptr) {
            add("tiling", launch.tiling, nullptr, launch.tiling_bytes, false);
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

    /// Where the bytes are that the kernel addresses as `address`; outside of the regions that is the same place.
    uint8_t* kept(const uint8_t* address) const {
        for (const GmRegion& region : regions_) {
            if (address < region.begin || address >= region.begin + region.padded) continue;
            return region.kept + (address - region.begin);
        }
        return const_cast<uint8_t*>(address);
    }

    /// The region that starts last before `address`, or nullptr: most likely the tensor a wild access meant.
    const GmRegion* nearest(const uint8_t* address) const {
        const GmRegion* found = nullptr;
        for (const GmRegion& region : regions_) {
            if (region.begin <= address && (found == nullptr || region.begin > found->begin)) found = &region;
        }
        return found;
    }

    /// Notes that a core has written these bytes.
    void note_written(const uint8_t* address, size_t bytes) {
        for (GmRegion& region : regions_) {
            if (region.written.empty() || address < region.begin || address >= region.begin + region.bytes)
                continue;
            const auto first = static_cast<size_t>(address - region.begin);
            mark(region.written, first, std::min(first + bytes, region.bytes));
        }
    }

    /// Puts the outputs back to what they were at launch.
    void restore_outputs() {
        for (const GmRegion& region : regions_) {
            if (!region.before.empty()) std::memcpy(region.kept, region.before.data(), region.before.size());
        }
    }

    /// Outputs with bytes no core has written; what is updated in place may stay as it was.
    std::vector<GmGap> gaps() const {
        std::vector<GmGap> found;
        for (const GmRegion& region : regions_) {
            if (region.in_place) continue;
            GmGap gap{&region, 0, 0};
            for (size_t i = 0; i < region.expected; ++i) {
                if (i % 64 == 0 && region.written[i / 64] == ~0ull) {
                    i += 63;
                    continue;
                }
                if ((region.written[i / 64] >> (i % 64) & 1) != 0 || region.kept[i] != region.before[i])
                    continue;
                if (gap.bytes++ == 0) gap.first = i;
            }
            if (gap.bytes > 0) found.push_back(gap);
        }
        return found;
    }

    /// Bytes of the outputs that changed though no instruction wrote them: stores through raw pointers.
    GmGap raw_writes() const {
        GmGap found;
        for (const GmRegion& region : regions_) {
            for (size_t i = 0; i < region.before.size(); ++i) {
                if (i % 64 == 0 && region.written[i / 64] == ~0ull) {
                    i += 63;
                    continue;
                }
                if ((region.written[i / 64] >> (i % 64) & 1) != 0 || region.kept[i] == region.before[i])
                    continue;
                if (found.bytes++ == 0) found.region = &region, found.first = i;
            }
        }
        return found;
    }

private:
    static constexpr size_t kMostWatched = 256u << 20;  // bytes of an output that are worth a copy

    static bool is_input(const Launch& launch, const uint8_t* data) {
        const auto same = [data](const GmArgument& other) { return other.is_input && other.data == data; };
        return std::any_of(launch.arguments.begin(), launch.arguments.end(), same);
    }

    GmRegion& add(const std::string& name, uint8_t* begin, uint8_t* kept, size_t bytes, bool writable) {
        regions_.emplace_back();
        GmRegion& region = regions_.back();
        region.name = name;
        region.begin = begin;
        region.kept = kept != nullptr ? kept : begin;
        region.bytes = region.padded = bytes;
        region.writable = writable;
        return region;
    }

    /// Sets the bits `first` to `end` - 1.
    static void mark(std::vector<uint64_t>& bits, size_t first, size_t end) {
        while (first < end) {
            const size_t shift = first % 64, count = std::min<size_t>(64 - shift, end - first);
            bits[first / 64] |= (count == 64 ? ~0ull : (1ull << count) - 1) << shift;
            first += count;
        }
    }

    std::vector<GmRegion> regions_;
};

}  // namespace twin
