// How a vector instruction walks over its operands: repeats of 256 bytes, 32-byte blocks, masks and strides.
#pragma once

#include <algorithm>
#include <utility>

#include "twin/api/tensor.h"

namespace twin {

/// Elements one repeat covers when the widest operand has `bytes` bytes per element.
constexpr uint32_t lanes_of(size_t bytes) { return static_cast<uint32_t>(kRepeatBytes / bytes); }

/// The mask argument of a vector instruction: the first lanes of every repeat, or a bit for each lane. In
/// counter mode both are a number of elements.
class Mask {
public:
    template <class Number, std::enable_if_t<std::is_integral_v<Number> || std::is_enum_v<Number>, int> = 0>
    Mask(Number count) : count_(static_cast<uint64_t>(count)) {}  // a literal 0 is a number, too
    Mask(const uint64_t bits[]) : bits_(bits) {}

    /// Two words, lanes 0..63 in the first; nullptr when the mask is a count. Only read when the mask counts
    /// at all: with isSetMask == false kernels pass anything.
    const uint64_t* bits() const { return bits_; }
    uint64_t elements() const { return bits_ == nullptr ? count_ : bits_[0]; }

private:
    const uint64_t* bits_ = nullptr;
    uint64_t count_ = 0;
};

/// The lanes of one instruction.
struct Frame {
    uint32_t lanes = 0;  ///< elements per repeat
    uint32_t repeats = 0;
    uint32_t prefix = 0;   ///< active lanes of a repeat when they are the first ones
    uint32_t tail = 0;     ///< active lanes of the last repeat (prefix masks only)
    uint64_t low = ~0ull;  ///< bit mask of the active lanes, used when `bits`
    uint64_t high = ~0ull;
    bool bits = false;

    uint32_t active(uint32_t repeat) const { return repeat + 1 == repeats ? tail : prefix; }
    bool lane(uint32_t index) const { return ((index < 64 ? low >> index : high >> (index - 64)) & 1) != 0; }
    /// Elements processed by all repeats together.
    uint64_t elements() const {
        if (bits) return uint64_t(repeats) * static_cast<uint64_t>(__builtin_popcountll(low) + high_bits());
        return repeats == 0 ? 0 : uint64_t(repeats - 1) * prefix + tail;
    }

    /// The first `count` elements, back to back.
    static Frame counted(uint64_t count, uint32_t lanes) {
        Frame frame;
        frame.lanes = lanes;
        frame.repeats = static_cast<uint32_t>((count + lanes - 1) / lanes);
        frame.prefix = lanes;
        frame.tail = count == 0 ? 0 : static_cast<uint32_t>(count - uint64_t(frame.repeats - 1) * lanes);
        return frame;
    }

    /// `repeats` repeats under `mask`; in counter mode its number of elements.
    static Frame masked(Mask mask, uint32_t repeats, uint32_t lanes, const char* call, const Site& site) {
        if (core().vector.mask.counter) return counted(mask.elements(), lanes);
        Frame frame;
        frame.lanes = lanes;
        frame.repeats = repeats;
        if (mask.bits() == nullptr) {
            frame.set_prefix(mask.elements(), call, site);
        } else {
            frame.set_bits(mask.bits(), call, site);
        }
        return frame;
    }

    /// With isSetMask == false the mask registers decide.
    static Frame registers(uint32_t repeats, uint32_t lanes, const char* call, const Site& site) {
        const uint64_t bits[2] = {core().vector.mask.low,
                                  lanes > 64 || core().vector.mask.counter ? core().vector.mask.high : 0};
        return masked(bits, repeats, lanes, call, site);
    }

private:
    /// Source: masks: a mask of 0 leaves the target as it is.
    void compute_nothing(const char* call, const Site& site) {
        report(rules::vector_count, call, site, {"the mask has no active lane: nothing is computed", "", ""});
        repeats = prefix = tail = 0;
    }
    void set_prefix(uint64_t count, const char* call, const Site& site) {
        if (count == 0) return compute_nothing(call, site);
        if (count > lanes) {
            report(rules::vector_limit, call, site,
                   {format("mask %llu is outside 0..%u for this data type",
                           static_cast<unsigned long long>(count), lanes),
                    "", format("%u lanes", lanes)});
        }
        prefix = tail = static_cast<uint32_t>(count);
    }
    void set_bits(const uint64_t words[2], const char* call, const Site& site) {
        if (lanes <= 64 && words[1] != 0) {
            report_as(rules::vector_limit, Severity::warning, call, site,
                      {"mask[1] must be 0 for 32-bit data", "", "64 lanes"});
        }
        low = words[0];
        high = lanes > 64 ? words[1] : 0;
        if (lanes < 64) low &= (1ull << lanes) - 1;
        const uint32_t ones = static_cast<uint32_t>(__builtin_popcountll(low) + high_bits());
        if (ones == 0) return compute_nothing(call, site);
        bits = !is_prefix(ones);
        prefix = tail = ones;
    }
    int high_bits() const { return lanes > 64 ? __builtin_popcountll(high) : 0; }
    bool is_prefix(uint32_t ones) const {
        const uint64_t low_prefix = ones >= 64 ? ~0ull : (1ull << ones) - 1;
        const uint64_t high_prefix = ones <= 64 ? 0 : ones >= 128 ? ~0ull : (1ull << (ones - 64)) - 1;
        return low == low_prefix && (lanes <= 64 || high == high_prefix);
    }
};

/// Frame of a call with a mask, honouring isSetMask.
template <bool set_mask>
Frame make_frame(Mask mask, uint32_t repeats, uint32_t lanes, const char* call, const Site& site) {
    return set_mask ? Frame::masked(mask, repeats, lanes, call, site)
                    : Frame::registers(repeats, lanes, call, site);
}

/// Distances of an operand, in 32-byte blocks.
struct Stride {
    uint32_t block = 1;   ///< between the blocks of a repeat
    uint32_t repeat = 8;  ///< between repeats

    /// Back-to-back data of elements of `bytes` bytes, `lanes` of them per repeat.
    static constexpr Stride packed(size_t bytes, uint32_t lanes) {
        return {1, static_cast<uint32_t>(lanes * bytes / kBlockBytes)};
    }
};

/// One tensor operand of a vector instruction.
template <class T>
struct Operand {
    const AscendC::LocalTensor<T>& tensor;
    Stride stride;
};

/// Checks that a vector instruction may write what `frame` covers of elements of `size` bytes in `view`.
void check_lanes_written(Instruction& instruction, const Frame& frame, Stride stride, const View& view,
                         uint32_t size);

template <class T>
void check_write(Instruction& instruction, const Frame& frame, const Operand<T>& operand) {
    check_lanes_written(instruction, frame, operand.stride, operand.tensor.view(), sizeof(T));
}

/// The lanes of an instruction that read bytes nobody wrote.
///
/// A lane of the result that comes of such bytes counts as unwritten itself, and is a finding where it is
/// used: a count rounded up to whole repeats and gaps between rows are no fault while nobody looks at what
/// they give. Only where all lanes of a source, or more in a row than rounding adds, were never written is
/// the finding at once.
class UnwrittenLanes {
public:
    UnwrittenLanes(Instruction& instruction, const Frame& frame) : instruction_(instruction), frame_(frame) {}

    /// Checks that the instruction may read the lanes of an operand with elements of `size` bytes.
    void read(Stride stride, const View& view, uint32_t size);
    template <class T>
    void read(const Operand<T>& operand) {
        read(operand.stride, operand.tensor.view(), sizeof(T));
    }

    /// The same for one bit of every lane, back to back; with `same` each repeat has those of the first.
    void read_bits(const View& view, bool same);

    /// The same for the one element that lane `lane` of repeat `repeat` takes.
    void read_element(const View& view, uint64_t offset, uint32_t size, uint32_t repeat, uint32_t lane);

    /// A finding where a lane is unwritten: the result of an instruction that makes more than lanes of lanes.
    void report(const View& view);

    /// After the check of the write: the lanes of the result that come of unwritten ones.
    void leave(Stride stride, const View& view, uint32_t size) const;
    /// The same for results of one bit.
    void leave_bits(const View& view) const;

private:
    struct Lane {
        uint32_t repeat, lane;
        long unwritten;   ///< the byte of the source
        uint32_t origin;  ///< the call to name
    };
    template <class Place>
    void collect(const View& view, uint64_t bytes, Place place);
    void report(const View& view, const std::vector<Lane>& lanes, uint64_t bytes) const;
    void take(const View& view, std::vector<Lane> lanes, uint64_t bytes);

    Instruction& instruction_;
    const Frame& frame_;
    std::vector<Lane> lanes_;
};

/// Checks that an instruction may read an operand, every lane of which matters.
template <class T>
void check_read(Instruction& instruction, const Frame& frame, const Operand<T>& operand) {
    UnwrittenLanes unwritten(instruction, frame);
    unwritten.read(operand);
    unwritten.report(operand.tensor.view());
}

/// Where the lanes of an operand lie.
struct LanePlaces {
    View view;
    Stride stride;
    uint32_t size;  ///< bytes of an element
    template <class T>
    static LanePlaces of(const Operand<T>& operand) {
        return {operand.tensor.view(), operand.stride, sizeof(T)};
    }
};

/// Reports a source that shares bytes with the result where no instruction may (rule operand-overlap).
///
/// In one repeat both are the same place, or apart. What a repeat writes no later repeat reads: the vector
/// unit has read it before. `carries` says that the instruction hands its result from repeat to repeat, which
/// those do that add, multiply or compare, by their second source, where one of both stands still.
void check_overlap(const Instruction& instruction, const Frame& frame, const LanePlaces& dst,
                   const LanePlaces& source, bool carries = false);

/// Checks the reads and writes of an instruction whose every lane depends on the same lanes of `sources`.
template <class D, class... S>
void check_lanes(Instruction& instruction, const Frame& frame, const Operand<D>& dst,
                 const Operand<S>&... sources) {
    UnwrittenLanes unwritten(instruction, frame);
    (unwritten.read(sources), ...);
    check_write(instruction, frame, dst);
    unwritten.leave(dst.stride, dst.tensor.view(), sizeof(D));
}

/// The same, and that none of `sources` overlaps the result.
template <class D, class... S>
void check_by_lane(Instruction& instruction, const Frame& frame, const Operand<D>& dst,
                   const Operand<S>&... sources) {
    (check_overlap(instruction, frame, LanePlaces::of(dst), LanePlaces::of(sources)), ...);
    check_lanes(instruction, frame, dst, sources...);
}

/// Copies the active lanes of one repeat into `lanes`.
template <class T>
void load_lanes(T* lanes, const Frame& frame, uint32_t repeat, const Operand<T>& operand) {
    const T* base =
        operand.tensor.data() + uint64_t(repeat) * operand.stride.repeat * kBlockBytes / sizeof(T);
    constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T);
    const uint32_t needed = frame.bits ? frame.lanes : frame.active(repeat);
    if (operand.stride.block == 1 && !frame.bits) {
        std::memcpy(static_cast<void*>(lanes), base, needed * sizeof(T));
        return;
    }
    for (uint32_t lane = 0; lane < needed; ++lane) {
        if (frame.bits && !frame.lane(lane)) continue;
        lanes[lane] = base[uint64_t(lane / kPerBlock) * operand.stride.block * kPerBlock + lane % kPerBlock];
    }
}

/// Writes the active lanes of one repeat.
template <class T>
void store_lanes(const T* lanes, const Frame& frame, uint32_t repeat, const Operand<T>& operand) {
    T* base = operand.tensor.data() + uint64_t(repeat) * operand.stride.repeat * kBlockBytes / sizeof(T);
    constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T);
    const uint32_t needed = frame.bits ? frame.lanes : frame.active(repeat);
    if (operand.stride.block == 1 && !frame.bits) {
        std::memcpy(static_cast<void*>(base), lanes, needed * sizeof(T));
        return;
    }
    for (uint32_t lane = 0; lane < needed; ++lane) {
        if (frame.bits && !frame.lane(lane)) continue;
        base[uint64_t(lane / kPerBlock) * operand.stride.block * kPerBlock + lane % kPerBlock] = lanes[lane];
    }
}

/// Type arithmetic happens in: float for the 16-bit floats.
template <class T>
using Compute = std::conditional_t<is_float16<T>, float, T>;

/// Elements per cycle of an instruction class for 16-bit and 32-bit data ([guide] vector throughput table),
/// and the number of the processor by which a calibrated host differs from that table.
struct VectorRate {
    double narrow;
    double wide;
    double Soc::* speed = &Soc::vector_other_speed;
    double per_cycle(size_t bytes) const { return (bytes <= 2 ? narrow : wide) * (processor().*speed); }
};
constexpr VectorRate kFullRate{128, 64, &Soc::vector_full_speed};
constexpr VectorRate kTwoSourceRate{
    64, 32,
    &Soc::vector_two_source_speed};  // [run] about 2 cycles per repeat of Add: both sources share the banks
constexpr VectorRate kSlowRate{32, 32, &Soc::vector_slow_speed};
constexpr VectorRate kCastRate{64, 64, &Soc::vector_cast_speed};
constexpr VectorRate kReduceRate{128.0 / 7, 64.0 / 7, &Soc::vector_reduce_speed};
constexpr VectorRate kGatherRate{5, 5};
constexpr VectorRate kGatherMaskRate{64, 32};
constexpr VectorRate kSortRate{2, 2};

/// Gives a vector instruction over `elements` elements to the vector pipe.
inline void issue_vector(Instruction& instruction, VectorRate rate, uint64_t elements, size_t bytes) {
    const Soc& soc = processor();
    const double cycles = soc.vector_issue_cycles + static_cast<double>(elements) / rate.per_cycle(bytes);
    instruction.issue(cycles, soc.vector_start_cycles - soc.vector_issue_cycles);
    core().work.vector_ops += static_cast<double>(elements);
}

/// Cycles follow the repeats, not the active lanes: a masked lane costs as much as an active one.
inline uint64_t charged_elements(const Frame& frame) {
    return frame.repeats == 0
               ? 0
               : uint64_t(frame.repeats - 1) * frame.lanes + (frame.bits ? frame.lanes : frame.tail);
}

/// dst[i] = function(src[i]) over the lanes of `frame`.
template <class D, class S, class Function>
void map_unary(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<D> dst,
               Operand<S> src, Function function) {
    constexpr size_t kWidest = std::max(sizeof(D), sizeof(S));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, call, site);
    check_by_lane(instruction, frame, dst, src);
    issue_vector(instruction, rate, charged_elements(frame), kWidest);
    S in[kLanes] = {};
    D out[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(in, frame, repeat, src);
        for (uint32_t lane = 0; lane < kLanes; ++lane)
            out[lane] = static_cast<D>(function(Compute<S>(in[lane])));
        store_lanes(out, frame, repeat, dst);
    }
}

/// dst[i] = function(first[i], second[i]) over the lanes of `frame`; `carries` as in `check_overlap`.
template <class D, class A, class B, class Function>
void map_two_sources(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<D> dst,
                     Operand<A> first, Operand<B> second, Function function, bool carries) {
    constexpr size_t kWidest = std::max(sizeof(D), std::max(sizeof(A), sizeof(B)));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, call, site);
    check_overlap(instruction, frame, LanePlaces::of(dst), LanePlaces::of(first));
    check_overlap(instruction, frame, LanePlaces::of(dst), LanePlaces::of(second), carries);
    check_lanes(instruction, frame, dst, first, second);
    issue_vector(instruction, rate, charged_elements(frame), kWidest);
    A a[kLanes] = {};
    B b[kLanes] = {};
    D out[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(a, frame, repeat, first);
        load_lanes(b, frame, repeat, second);
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            out[lane] = static_cast<D>(function(Compute<A>(a[lane]), Compute<B>(b[lane])));
        }
        store_lanes(out, frame, repeat, dst);
    }
}

/// The same for an instruction that does not go on from its result.
template <class D, class A, class B, class Function>
void map_binary(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<D> dst,
                Operand<A> first, Operand<B> second, Function function) {
    map_two_sources(call, site, rate, frame, dst, first, second, function, false);
}

/// The same for an instruction that may, repeat by repeat.
template <class T, class Function>
void map_carrying(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<T> dst,
                  Operand<T> first, Operand<T> second, Function function) {
    constexpr bool kCarries = is_one_of<T, half, float, int32_t>;
    map_two_sources(call, site, rate, frame, dst, first, second, function, kCarries);
}

/// Same with the old value of dst as third input: dst[i] = function(dst[i], first[i], second[i]).
template <class D, class A, class B, class Function>
void map_accumulate(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<D> dst,
                    Operand<A> first, Operand<B> second, Function function) {
    constexpr size_t kWidest = std::max(sizeof(D), std::max(sizeof(A), sizeof(B)));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, call, site);
    check_by_lane(instruction, frame, dst, first, second, dst);
    issue_vector(instruction, rate, charged_elements(frame), kWidest);
    A a[kLanes] = {};
    B b[kLanes] = {};
    D out[kLanes] = {};
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(a, frame, repeat, first);
        load_lanes(b, frame, repeat, second);
        load_lanes(out, frame, repeat, dst);
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            out[lane] =
                static_cast<D>(function(Compute<D>(out[lane]), Compute<A>(a[lane]), Compute<B>(b[lane])));
        }
        store_lanes(out, frame, repeat, dst);
    }
}

/// A count of 0 or below 0 is accepted by the compiler but is a mistake worth a warning.
inline uint64_t checked_count(int64_t count, const char* call, const Site& site) {
    if (count > 0) return static_cast<uint64_t>(count);
    report(rules::vector_count, call, site,
           {format("count is %lld: nothing is computed", static_cast<long long>(count)), "", ""});
    return 0;
}

/// The repeats of an instruction, whose field has eight bits; wider parameters are cut on the device.
inline uint32_t checked_repeats(int64_t repeats, const char* call, const Site& site) {
    constexpr int64_t kMost = 255;
    if (repeats >= 0 && repeats <= kMost) return static_cast<uint32_t>(repeats);
    report(rules::vector_limit, call, site,
           {format("%lld repeats, of which the instruction has room for 0..255",
                   static_cast<long long>(repeats)),
            "", "255 repeats"});
    return 0;
}

}  // namespace twin
