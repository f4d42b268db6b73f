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
        AscendC::LocalTensor<float> runs = sorted[CHUNK * PAIR_FLOATS];
        if (padded != count) {
            AscendC::LocalTensor<float> kept = runs;
            AscendC::Adds(kept, values, 0.0f, static_cast<int32_t>(count));
            AscendC::Duplicate(values, MINUS_INFINITY, static_cast<int32_t>(padded));
            AscendC::Adds(values, kept, 0.0f, static_cast<int32_t>(count));
        }
        AscendC::LocalTensor<int32_t> places = indexBuffer.Get<int32_t>();
        AscendC::CreateVecIndex(places, static_cast<int32_t>(seen), padded);
        AscendC::Sort32(sorted, values, places.ReinterpretCast<uint32_t>(),
                        static_cast<int32_t>(padded / GROUP));
        for (uint32_t done = 0; done < padded; done += RUN) {
            MergeGroups(runs[done * PAIR_FLOATS], sorted[done * PAIR_FLOATS],
                        padded - done < RUN ? padded - done : RUN);
        }
        MergeRuns(runs, padded);
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
    static constexpr uint32_t GROUP = 32;       // elements Sort32 sorts among themselves
    static constexpr uint32_t RUN = 4 * GROUP;  // MrgSort takes four lists
    static constexpr uint32_t PAIR_BYTES = 8;   // a number and its position
    static constexpr uint32_t PAIR_FLOATS = 2;
    static constexpr float MINUS_INFINITY = -__builtin_inff();

    // Up to four sorted groups become one sorted run.
    __aicore__ inline void MergeGroups(const AscendC::LocalTensor<float>& run,
                                       const AscendC::LocalTensor<float>& groups, uint32_t count) {
        uint16_t lengths[4] = {};
        uint16_t valid = 0;
        for (uint32_t group = 0; group < count / GROUP; ++group) {
            lengths[group] = GROUP;
            valid = static_cast<uint16_t>(valid | 1 << group);
        }
        constexpr uint32_t step = GROUP * PAIR_FLOATS;
        const uint32_t last = (count / GROUP - 1) * step;
        Join(run,
             AscendC::MrgSortSrcList<float>(groups, groups[last < step ? last : step],
                                            groups[last < 2 * step ? last : 2 * step], groups[last]),
             lengths, valid);
    }
    // The best so far and the runs of a chunk become the best.
    __aicore__ inline void MergeRuns(const AscendC::LocalTensor<float>& runs, uint32_t count) {
        const uint32_t first = count < RUN ? count : RUN;
        const uint16_t lengths[4] = {static_cast<uint16_t>(first), static_cast<uint16_t>(count - first),
                                     static_cast<uint16_t>(held), 0};
        const uint16_t valid =
            static_cast<uint16_t>(0b001 | (count > RUN ? 0b010 : 0) | (held > 0 ? 0b100 : 0));
        const AscendC::LocalTensor<float> second = count > RUN ? runs[RUN * PAIR_FLOATS] : runs;
        Join(merged, AscendC::MrgSortSrcList<float>(runs, second, best, best), lengths, valid);
        AscendC::LocalTensor<float> older = best;
        best = merged;
        merged = older;
        held = held + count < capacity ? held + count : capacity;
    }
    __aicore__ inline void Join(const AscendC::LocalTensor<float>& target,
                                const AscendC::MrgSortSrcList<float>& lists, const uint16_t lengths[4],
                                uint16_t valid) {
        AscendC::MrgSort4Info info(lengths, false, valid, 1);
        AscendC::MrgSort(target, lists, info);
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
