// The global memory regions a launch may touch.
#pragma once

#include <cstdint>
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
    mutable bool is_stored = false;      ///< a core has stored there
    bool in_place = false;               ///< outputs: an input too, of which a kernel may keep parts
    std::vector<uint64_t> written;       ///< outputs: one bit per byte a core has written
    mutable std::shared_ptr<GmLog> log;  ///< who touched it last; made on first use
    std::vector<uint64_t> read;          ///< inputs: one bit per 32 bytes of which a core has read some
    std::vector<uint64_t> cached;        ///< one bit per 32 bytes that a core has brought into L2
    std::vector<uint8_t> before;  ///< outputs: content at launch, to notice writes through raw pointers
    size_t expected = 0;          ///< outputs: leading bytes that a core has to write
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
    explicit GlobalMemory(const Launch& launch);

    /// Where `bytes` bytes at `address` lie. The same buffer may be registered twice (an in-place operator);
    /// the most permissive answer counts.
    GmHit find(const uint8_t* address, size_t bytes) const;

    /// Where the bytes are that the kernel addresses as `address`; outside of the regions that is the same
    /// place.
    uint8_t* kept(const uint8_t* address) const;

    /// The region that starts last before `address`, or nullptr: most likely the tensor a wild access meant.
    const GmRegion* nearest(const uint8_t* address) const;

    /// Notes that a core has written these bytes.
    void note_written(const uint8_t* address, size_t bytes);

    /// Notes that a core has read some of these bytes.
    void note_read(const uint8_t* address, size_t bytes);

    /// Bytes of the range that no core had brought into L2; it is there from now on.
    size_t bring_into_l2(const uint8_t* address, size_t bytes);

    /// Puts the outputs back to what they were at launch; false where a core stored what cannot be put back.
    bool restore_outputs();

    /// Outputs with bytes no core has written; what is updated in place may stay as it was.
    std::vector<GmGap> gaps() const;

    /// Ranges of the inputs that no core has read, of each tensor the `kMostUnread` longest.
    std::vector<UnreadRecord> unread() const;

    /// Bytes of the outputs that changed though no instruction wrote them: stores through raw pointers.
    GmGap raw_writes() const;

private:
    static constexpr size_t kMostUnread = 1u << 14;
    static constexpr size_t kMostWatched = 256u << 20;  // bytes of an output that are worth a copy

    static bool is_input(const Launch& launch, const uint8_t* data);

    GmRegion& add(const std::string& name, uint8_t* begin, uint8_t* kept, size_t bytes, bool writable);

    /// Sets the bits `first` to `end` - 1; returns how many were not set.
    static size_t mark(std::vector<uint64_t>& bits, size_t first, size_t end);

    std::vector<GmRegion> regions_;
};

}  // namespace twin
