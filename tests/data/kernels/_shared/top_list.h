// The largest numbers of a long row, with their positions, taken from chunks that come one after the other.
#ifndef TOP_LIST_H
#define TOP_LIST_H
#include "kernel_operator.h"

class TopList {
public:
    static constexpr uint32_t CHUNK = 256;

    // Up to `most` numbers are kept; MrgSort takes lists of up to 4095.
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t most) {
        capacity = (most + GROUP - 1) / GROUP * GROUP;
        const uint32_t pairs = capacity + CHUNK;
        pipe->InitBuffer(listBuffer, 2 * pairs * PAIR_BYTES);
        pipe->InitBuffer(sortBuffer, 2 * CHUNK * PAIR_BYTES);
        pipe->InitBuffer(valueBuffer, CHUNK * sizeof(float));
        pipe->InitBuffer(indexBuffer, CHUNK * sizeof(int32_t));
        pipe->InitBuffer(foundBuffer, capacity * sizeof(float));
        pipe->InitBuffer(placeBuffer, capacity * sizeof(uint32_t));
        best = listBuffer.Get<float>();
        merged = best[pairs * PAIR_FLOATS];
    }
    __aicore__ inline void Begin() {
        held = 0;
        seen = 0;
    }
    // Where the numbers of the next chunk are to be put.
    __aicore__ inline AscendC::LocalTensor<float> Chunk() { return valueBuffer.Get<float>(); }
    // Takes the first `count` numbers of the chunk; all chunks but the last are full.
    __aicore__ inline void Take(uint32_t count) {
        const uint32_t padded = (count + GROUP - 1) / GROUP * GROUP;
        AscendC::LocalTensor<float> sorted = sortBuffer.Get<float>();
        AscendC::LocalTensor<float> values = Chunk();
        if (padded != count) {  // through the second half of sortBuffer, which Sort does not need yet
            AscendC::LocalTensor<float> kept = sorted[CHUNK * PAIR_FLOATS];
            AscendC::Adds(kept, values, 0.0f, static_cast<int32_t>(count));
            AscendC::Duplicate(values, MINUS_INFINITY, static_cast<int32_t>(padded));
            AscendC::Adds(values, kept, 0.0f, static_cast<int32_t>(count));
        }
        AscendC::LocalTensor<int32_t> places = indexBuffer.Get<int32_t>();
        AscendC::CreateVecIndex(places, static_cast<int32_t>(seen), padded);
        AscendC::LocalTensor<float> scratch = sorted[CHUNK * PAIR_FLOATS];
        AscendC::Sort<float, true>(sorted, values, places.ReinterpretCast<uint32_t>(), scratch,
                                   static_cast<int32_t>(padded / GROUP));
        Merge(sorted, padded);
        seen += count;
    }
    // How many numbers there are: as many as wanted, or all that were seen.
    __aicore__ inline uint32_t Count(uint32_t wanted) const { return wanted < seen ? wanted : seen; }
    // Splits the list; what Values and Places return then is in descending order.
    __aicore__ inline void End() {
        AscendC::Extract(foundBuffer.Get<float>(), placeBuffer.Get<uint32_t>(), best,
                         static_cast<int32_t>(held / GROUP));
    }
    __aicore__ inline AscendC::LocalTensor<float> Values() { return foundBuffer.Get<float>(); }
    __aicore__ inline AscendC::LocalTensor<int32_t> Places() { return placeBuffer.Get<int32_t>(); }

private:
    static constexpr uint32_t GROUP = 32;       // Sort takes whole groups
    static constexpr uint32_t PAIR_BYTES = 8;   // a number and its position
    static constexpr uint32_t PAIR_FLOATS = 2;
    static constexpr float MINUS_INFINITY = -__builtin_inff();

    __aicore__ inline void Merge(const AscendC::LocalTensor<float>& sorted, uint32_t count) {
        if (held == 0) {
            const uint16_t lengths[4] = {static_cast<uint16_t>(count), 0, 0, 0};
            Join(AscendC::MrgSortSrcList<float>(sorted, sorted, sorted, sorted), lengths, 0b0001);
        } else {
            const uint16_t lengths[4] = {static_cast<uint16_t>(held), static_cast<uint16_t>(count), 0, 0};
            Join(AscendC::MrgSortSrcList<float>(best, sorted, sorted, sorted), lengths, 0b0011);
        }
        AscendC::LocalTensor<float> older = best;
        best = merged;
        merged = older;
        held = held + count < capacity ? held + count : capacity;
    }
    __aicore__ inline void Join(const AscendC::MrgSortSrcList<float>& lists, const uint16_t lengths[4], uint16_t valid) {
        AscendC::MrgSort4Info info(lengths, false, valid, 1);
        AscendC::MrgSort(merged, lists, info);
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> listBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sortBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> indexBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> foundBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> placeBuffer;
    AscendC::LocalTensor<float> best;
    AscendC::LocalTensor<float> merged;
    uint32_t capacity;
    uint32_t held;
    uint32_t seen;
};
#endif
