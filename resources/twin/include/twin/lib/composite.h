// Shared parts of the library functions: they are built from many vector instructions on the device, here
// from one checked pass over their operands with the cost of the instructions they stand for.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

/// Bytes, or elements, of so many times so many; the largest number where that is more than fits: a shape may
/// be anything a kernel made up.
template <class... Numbers>
constexpr uint64_t product_of(Numbers... numbers) {
    uint64_t all = 1;
    bool fits = true;
    ((fits = !__builtin_mul_overflow(all, static_cast<uint64_t>(numbers), &all) && fits), ...);
    return fits ? all : ~uint64_t(0);
}

/// Of a row of `width` elements in UB the first `used` count.
inline void require_used(const Instruction& instruction, uint64_t used, uint64_t width) {
    if (used <= width) return;
    instruction.fail(rules::vector_limit,
                     {format("%llu elements of a row count, which has %llu",
                             static_cast<unsigned long long>(used), static_cast<unsigned long long>(width)),
                      "", ""});
}

/// What a library function costs as the vector instructions it is made of, each of which waits for the one
/// before.
class LibraryPrice {
public:
    /// `count` instructions, each over `elements` elements of `bytes` bytes.
    void add(double count, VectorRate rate, uint64_t elements, size_t bytes) {
        const auto each = static_cast<double>(elements);
        cycles_ += count * (processor().vector_start_cycles + each / rate.per_cycle(bytes));
        operations_ += count * each;
    }
    void issue(Instruction& instruction) const {
        const Soc& soc = processor();
        instruction.issue(cycles_, soc.vector_start_cycles - soc.vector_issue_cycles);
        core().work.vector_ops += operations_;
    }

private:
    double cycles_ = 0, operations_ = 0;
};

/// Gives a library function of `steps` full-rate vector instructions over `elements` elements to the vector
/// pipe.
inline void issue_composite(Instruction& instruction, double steps, uint64_t elements, size_t bytes) {
    LibraryPrice price;
    price.add(steps, kFullRate, elements, bytes);
    price.issue(instruction);
}

/// dst[i] = function(src[i]); a temporary is only checked for being a tensor of UB.
template <class D, class S, class Function>
void composite_unary(Instruction& instruction, double steps, const AscendC::LocalTensor<D>& dst,
                     const AscendC::LocalTensor<S>& src, uint64_t count, Function function) {
    instruction.read_aligned(src.view(), 0, product_of(count, sizeof(S)));
    instruction.write_aligned(dst.view(), 0, product_of(count, sizeof(D)));
    issue_composite(instruction, steps, count, std::max(sizeof(S), sizeof(D)));
    const std::vector<S> source(src.data(), src.data() + count);
    D* target = dst.data();
    for (uint64_t i = 0; i < count; ++i) target[i] = static_cast<D>(function(Compute<S>(source[i])));
}
template <class D, class S, class Function>
void composite_unary(const char* call, const Site& site, double steps, const AscendC::LocalTensor<D>& dst,
                     const AscendC::LocalTensor<S>& src, uint64_t count, Function function) {
    Instruction instruction(Pipe::V, call, site);
    composite_unary(instruction, steps, dst, src, count, function);
}

template <class D, class A, class B, class Function>
void composite_binary(const char* call, const Site& site, double steps, const AscendC::LocalTensor<D>& dst,
                      const AscendC::LocalTensor<A>& first, const AscendC::LocalTensor<B>& second,
                      uint64_t count, Function function) {
    Instruction instruction(Pipe::V, call, site);
    instruction.read_aligned(first.view(), 0, product_of(count, sizeof(A)));
    instruction.read_aligned(second.view(), 0, product_of(count, sizeof(B)));
    instruction.write_aligned(dst.view(), 0, product_of(count, sizeof(D)));
    issue_composite(instruction, steps, count, std::max(sizeof(A), sizeof(D)));
    const std::vector<A> a(first.data(), first.data() + count);
    const std::vector<B> b(second.data(), second.data() + count);
    D* target = dst.data();
    for (uint64_t i = 0; i < count; ++i)
        target[i] = static_cast<D>(function(Compute<A>(a[i]), Compute<B>(b[i])));
}

/// A function of several steps keeps what lies between them in its temporary: what was there is gone. Those
/// of fewer need none.
inline constexpr double kStepsWithTemporary = 4;

/// A library function over `count` elements has computed in its temporary.
template <class T>
void use_temporary(const AscendC::LocalTensor<uint8_t>& temporary, uint64_t count, const Site& site) {
    poison_temporary(temporary.view(), std::min<uint64_t>(temporary.GetSize(), count * sizeof(T)), site);
}

/// Library functions work on half and float.
#define TWIN_REQUIRE_HALF_OR_FLOAT(NAME) \
    static_assert(twin::is_one_of<T, half, float>, NAME ": half and float only")

}  // namespace twin

// The four documented forms of an element-wise library function: with or without temporary, with or without
// count.
#define TWIN_LIB_UNARY(NAME, STEPS, ...)                                                                  \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,              \
              const twin::Site& site = twin::Site::here()) {                                              \
        TWIN_REQUIRE_HALF_OR_FLOAT(#NAME);                                                                \
        TWIN_CALL(dst, src, calCount, site);                                                              \
        twin::composite_unary(#NAME, site, STEPS, dst, src, calCount, __VA_ARGS__);                       \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                       \
              const twin::Site& site = twin::Site::here()) {                                              \
        NAME<T, isReuseSource>(dst, src, src.GetSize(), site);                                            \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                       \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,                       \
              const twin::Site& site = twin::Site::here()) {                                              \
        if (STEPS >= twin::kStepsWithTemporary) twin::use_temporary<T>(sharedTmpBuffer, calCount, site);  \
        NAME<T, isReuseSource>(dst, src, calCount, site);                                                 \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                       \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const twin::Site& site = twin::Site::here()) { \
        NAME<T, isReuseSource>(dst, src, sharedTmpBuffer, src.GetSize(), site);                           \
    }

#define TWIN_LIB_BINARY(NAME, STEPS, FUNCTION, ...)                                                       \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,          \
              const uint32_t calCount, const twin::Site& site = twin::Site::here()) {                     \
        static_assert(twin::is_one_of<T, __VA_ARGS__>, #NAME ": data type not supported");                \
        TWIN_CALL(dst, src0, src1, calCount, site);                                                       \
        twin::composite_binary(#NAME, site, STEPS, dst, src0, src1, calCount, FUNCTION);                  \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,          \
              const twin::Site& site = twin::Site::here()) {                                              \
        NAME<T, isReuseSource>(dst, src0, src1, src0.GetSize(), site);                                    \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,          \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,                       \
              const twin::Site& site = twin::Site::here()) {                                              \
        if (STEPS >= twin::kStepsWithTemporary) twin::use_temporary<T>(sharedTmpBuffer, calCount, site);  \
        NAME<T, isReuseSource>(dst, src0, src1, calCount, site);                                          \
    }                                                                                                     \
    template <typename T, bool isReuseSource = false>                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,          \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const twin::Site& site = twin::Site::here()) { \
        NAME<T, isReuseSource>(dst, src0, src1, sharedTmpBuffer, src0.GetSize(), site);                   \
    }
