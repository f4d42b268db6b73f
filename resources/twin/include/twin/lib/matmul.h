// The Matmul object of the high-level library.
//
// On the device a vector core sends the product to the cube core of its group. Here the vector core computes
// it and the cube core of its group is charged with the time.
#pragma once

#include "twin/core/matmul.h"
#include "twin/lib/matmul_layout.h"

// Loops of the twin do not count as the kernel's (count_loops.h), though this header comes behind its first
// line.
#pragma push_macro("for")
#undef for

namespace AscendC {

/// Sizes of matrices in the library's own width, for kernels that count on them.
inline uint16_t CeilDiv(uint16_t value, uint16_t unit) {
    return static_cast<uint16_t>(unit == 0 ? 0 : (value + unit - 1) / unit);
}
inline uint16_t CeilAlign(uint16_t value, uint16_t unit) {
    return static_cast<uint16_t>(CeilDiv(value, unit) * unit);
}
// Here, as in CANN, and not in every kernel: many have functions of these names.
template <typename T>
constexpr T Align(T value, T unit) {
    return unit == 0 ? 0 : (value + unit - 1) / unit * unit;
}
template <typename T>
constexpr T CeilAlign(T value, T unit) {
    return Align(value, unit);
}
template <typename T>
constexpr T AlignDown(T value, T unit) {
    return unit == 0 ? 0 : value / unit * unit;
}

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY =
              Impl::Detail::MatmulPolicy>
class Matmul {
    using A = typename A_TYPE::T;
    using B = typename B_TYPE::T;
    using C = typename C_TYPE::T;
    using Bias = typename BIAS_TYPE::T;
    static constexpr bool kIntegers = std::is_same<A, int8_t>::value;
    static constexpr MatmulConfig kConfig = twin::config_of(MM_CFG);
    using Policy = MATMUL_POLICY<MM_CFG, Matmul, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>;
    static constexpr twin::Triangle kTriangle = Policy::kTriangle;
    static_assert(!twin::kHasOwnModules<Policy>,
                  "Matmul: modules of a policy's own are not simulated by the CPU twin");
    static_assert(
        std::is_same<A, B>::value && twin::is_one_of<A, half, bfloat16_t, float, int8_t>,
        "Matmul: half, bfloat16_t, float or int8_t, the same for both operands; other pairs are not "
        "simulated by the CPU twin");
    static_assert(C_TYPE::pos != TPosition::CO1, "Matmul: output to CO1 is not simulated by the CPU twin");
    static_assert(!kConfig.isEnableChannelSplit ||
                      (C_TYPE::format == CubeFormat::NZ && std::is_same<C, float>::value),
                  "Matmul: isEnableChannelSplit needs float C in CubeFormat::NZ");
    static_assert(twin::is_one_of<C, half, bfloat16_t, float, int32_t, int8_t, uint8_t>, "Matmul: type of C");

public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;

    // Set-up.
    void Init(const TCubeTiling* tiling, TPipe* = nullptr) {
        twin::matmul_init(false);
        take(tiling);
    }
    /// Without tiling data: the split is a constant of the configuration.
    void InitConstant() {
        const TCubeTiling split = twin::split_of(MM_CFG);
        if (split.singleCoreM <= 0) return;
        twin::matmul_init(true);
        take(&split);
    }
    void SetSubBlockIdx(uint8_t) {}
    template <typename... Arguments>
    void SetWorkspace(const Arguments&...) {}
    template <typename Tensor>
    void SetLocalWorkspace(const Tensor&) {}
    void SetUserDefInfo(uint64_t) {}
    template <typename Pointer>
    void SetSelfDefineData(Pointer) {}

    void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
        org_m_ = size(orgM), org_n_ = size(orgN), org_ka_ = size(orgKa), org_kb_ = size(orgKb),
        org_kc_ = size(orgKc);
    }
    void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
        if (tailM >= 0) single_m_ = size(tailM);
        if (tailN >= 0) single_n_ = size(tailN);
        if (tailK >= 0) single_k_ = size(tailK);
        restart();
    }

    // Operands.
    void SetTensorA(const GlobalTensor<A>& gm, bool isTransposeA = false) {
        set_global(a_, gm, isTransposeA);
    }
    void SetTensorB(const GlobalTensor<B>& gm, bool isTransposeB = false) {
        set_global(b_, gm, isTransposeB);
    }
    void SetTensorA(const LocalTensor<A>& left, bool isTransposeA = false,
                    const twin::Site& site = twin::Site::here()) {
        set_local(a_, left, isTransposeA, "Matmul::SetTensorA", site);
    }
    void SetTensorB(const LocalTensor<B>& right, bool isTransposeB = false,
                    const twin::Site& site = twin::Site::here()) {
        set_local(b_, right, isTransposeB, "Matmul::SetTensorB", site);
    }
    void SetBias(const GlobalTensor<Bias>& gm) { set_global(bias_, gm, false), has_bias_ = true; }
    void SetBias(const LocalTensor<Bias>& local, const twin::Site& site = twin::Site::here()) {
        set_local(bias_, local, false, "Matmul::SetBias", site), has_bias_ = true;
    }
    void DisableBias() { has_bias_ = false; }
    void ClearBias() { has_bias_ = false; }
    void SetHF32(bool enableHF32 = false, int32_t = 0) { hf32_ = enableHF32; }
    void SetQuantScalar(const uint64_t scalar) { quant_scalar_ = scalar, quant_ = Quant::scalar; }
    void SetQuantVector(const GlobalTensor<uint64_t>& factors) {
        quant_factors_ = twin::bytes_of(factors), quant_ = Quant::vector;
    }

    // Whole product of this core.
    template <bool sync = true>
    void IterateAll(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false,
                    const twin::Site& site = twin::Site::here()) {
        static_cast<void>(enSequentialWrite), static_cast<void>(waitIterateAll), static_cast<void>(fakeMsg);
        if constexpr (kTriangle != twin::Triangle::none || kConfig.isPartialOutput) {
            restart();
            for (uint64_t part = 0; Iterate(false, site); ++part) {
                if (kConfig.isPartialOutput) {
                    GetTensorC(gm[part * base_m() * base_n()], enAtomic, true, site);
                } else if (in_triangle()) {
                    GetTensorC(gm, enAtomic, enSequentialWrite, site);
                }
            }
            return;
        }
        is_async_ = !sync;
        whole_product("Matmul::IterateAll", site);
        store(twin::target_of(gm), twin::View{}, enAtomic, c_stride(), "Matmul::IterateAll", site);
        is_async_ = false;
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<C>& local, uint8_t enAtomic = 0,
                    const twin::Site& site = twin::Site::here()) {
        whole_product("Matmul::IterateAll", site);
        store(nullptr, local.view(), enAtomic, C_TYPE::format == CubeFormat::NZ ? rows16() : single_n_,
              "Matmul::IterateAll", site);
    }
    void WaitIterateAll(const twin::Site& site = twin::Site::here()) {
        twin::matmul_wait(sums_, "Matmul::WaitIterateAll", site);
    }
    void WaitGetTensorC(const twin::Site& site = twin::Site::here()) {
        twin::matmul_wait(sums_, "Matmul::WaitGetTensorC", site);
    }

    /// Next base block; false when this core's part is done. With enPartialSum it is added to the sums of the
    /// last. Partial output gives the parts of the inner dimension one by one.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, const twin::Site& site = twin::Site::here()) {
        if (next_ == 0) is_async_ = !sync;
        const uint64_t rows = blocks(single_m_, base_m()), columns = blocks(single_n_, base_n());
        const uint64_t parts = kConfig.isPartialOutput ? blocks(single_k_, base_k()) : 1;
        if (next_ == rows * columns * parts) {
            restart();
            is_async_ = false;
            return false;
        }
        const bool columns_first = order() == IterateOrder::ORDER_N;
        const uint64_t block = next_ / parts;
        const uint64_t row = columns_first ? block / columns : block % rows;
        const uint64_t column = columns_first ? block % columns : block / rows;
        first_k_ = next_ % parts * base_k(),
        used_k_ = parts == 1 ? single_k_ : std::min(base_k(), single_k_ - first_k_);
        ++next_;
        fetched_ = false;
        first_m_ = row * base_m(), first_n_ = column * base_n();
        used_m_ = std::min(base_m(), single_m_ - first_m_),
        used_n_ = std::min(base_n(), single_n_ - first_n_);
        multiply("Matmul::Iterate", site, enPartialSum);
        return true;
    }
    /// The block of the last Iterate: at its place in C, or with enSequentialWrite at the start of the
    /// tensor.
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    const twin::Site& site = twin::Site::here()) {
        if constexpr (!sync) next_result(site);
        if (is_async_) twin::matmul_wait(sums_, "Matmul::GetTensorC", site);
        const uint64_t offset = enSequentialWrite ? 0 : c_offset(c_stride(), org_m_);
        store(twin::target_of(gm) + offset, twin::View{}, enAtomic,
              enSequentialWrite ? base_stride() : c_stride(), "Matmul::GetTensorC", site);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<C>& local, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    const twin::Site& site = twin::Site::here()) {
        if constexpr (!sync) next_result(site);
        if (is_async_) twin::matmul_wait(sums_, "Matmul::GetTensorC", site);
        twin::View view = local.view();
        const bool nz = C_TYPE::format == CubeFormat::NZ;
        const uint64_t stride = enSequentialWrite ? base_stride() : nz ? rows16() : single_n_;
        const uint64_t offset = enSequentialWrite ? 0 : c_offset(stride, stride);
        view.data += offset;
        view.limit = view.limit > offset ? view.limit - offset : 0;
        store(nullptr, view, enAtomic, stride, "Matmul::GetTensorC", site);
    }
    /// Into global memory and UB at once.
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<C>& gm, const LocalTensor<C>& local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, const twin::Site& site = twin::Site::here()) {
        GetTensorC(gm, enAtomic, enSequentialWrite, site);
        GetTensorC(local, enAtomic, enSequentialWrite, site);
    }
    void End() {}

    // Batches.
    void SetBatchNum(int32_t batchA, int32_t batchB) { batch_a_ = size(batchA), batch_b_ = size(batchB); }
    template <bool sync = true>
    void IterateBatch(const GlobalTensor<C>& gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                      const uint8_t enAtomic = 0, const twin::Site& site = twin::Site::here()) {
        static_assert(A_TYPE::layout != LayoutMode::NONE && B_TYPE::layout != LayoutMode::NONE,
                      "IterateBatch: MatmulType says which LayoutMode the batches have");
        static_cast<void>(enSequentialWrite), static_cast<void>(enPartialSum);
        const auto step = [](LayoutMode mode, const twin::BatchAxes& axes, uint32_t given, uint64_t packed) {
            if (twin::is_laid_out(mode)) return twin::batch_strides(mode, axes).matrix;
            return given != 0 ? given : packed;
        };
        const uint64_t step_a =
            step(A_TYPE::layout, twin::a_axes(tiling_), matrixStrideA, single_m_ * single_k_);
        const uint64_t step_b =
            step(B_TYPE::layout, twin::b_axes(tiling_), matrixStrideB, single_n_ * single_k_);
        const uint64_t step_c =
            step(C_TYPE::layout, twin::c_axes(tiling_), matrixStrideC, single_m_ * single_n_);
        const uint64_t batches = std::max(batchA, batchB);
        const uint8_t *first_a = a_.global, *first_b = b_.global, *first_bias = bias_.global;
        for (uint64_t i = 0; i < batches; ++i) {
            a_.global = first_a + (batchA == batches ? i : i * batchA / batches) * step_a * sizeof(A);
            b_.global = first_b + (batchB == batches ? i : i * batchB / batches) * step_b * sizeof(B);
            if (has_bias_ && first_bias != nullptr && kConfig.isBiasBatch) {
                bias_.global = first_bias + i * single_n_ * sizeof(Bias);
            }
            whole_product("Matmul::IterateBatch", site);
            store(twin::target_of(gm) + i * step_c * sizeof(C), twin::View{}, enAtomic, c_stride(),
                  "Matmul::IterateBatch", site);
        }
        a_.global = first_a, b_.global = first_b, bias_.global = first_bias;
    }

private:
    enum class Quant : uint8_t { none, scalar, vector };

    void take(const TCubeTiling* tiling) {
        tiling_ = *tiling;
        SetOrgShape(tiling->M, tiling->N, tiling->Ka, tiling->Kb);
        SetSingleShape(tiling->singleCoreM, tiling->singleCoreN, tiling->singleCoreK);
        restart();
    }
    static uint64_t size(int value) { return value > 0 ? static_cast<uint64_t>(value) : 0; }
    static uint64_t blocks(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }
    uint64_t base_m() const {
        return std::max<uint64_t>(1, kConfig.basicM != 0 ? kConfig.basicM : size(tiling_.baseM));
    }
    uint64_t base_n() const {
        return std::max<uint64_t>(1, kConfig.basicN != 0 ? kConfig.basicN : size(tiling_.baseN));
    }
    uint64_t base_k() const {
        return std::max<uint64_t>(1, kConfig.basicK != 0 ? kConfig.basicK : size(tiling_.baseK));
    }
    /// Columns of one fractal of C in Nz form.
    static constexpr uint64_t kWidth = sizeof(C) == 1                                   ? 32
                                       : sizeof(C) == 4 && kConfig.isEnableChannelSplit ? 8
                                                                                        : 16;
    /// Whether the current block lies in the part of C that the policy computes.
    bool in_triangle() const {
        const uint64_t row = first_m_ / base_m(), column = first_n_ / base_n();
        return kTriangle == twin::Triangle::upper ? column >= row : row >= column;
    }
    /// One asynchronous Iterate makes all blocks; every GetTensorC takes the next.
    void next_result(const twin::Site& site) {
        if (fetched_) Iterate<false>(false, site);
        fetched_ = true;
    }
    IterateOrder order() const {
        if (kConfig.iterateOrder != IterateOrder::UNDEF) return kConfig.iterateOrder;
        return tiling_.iterateOrder == 1 ? IterateOrder::ORDER_N : IterateOrder::ORDER_M;
    }
    uint64_t rows16() const { return (single_m_ + 15) / 16 * 16; }
    /// Elements between rows of C (ND), rows of a column (Nz).
    uint64_t c_stride() const {
        if (twin::is_laid_out(C_TYPE::layout)) {
            return twin::batch_strides(C_TYPE::layout, twin::c_axes(tiling_)).row;
        }
        if (C_TYPE::format == CubeFormat::NZ) return (org_m_ + 15) / 16 * 16;
        const uint64_t row = org_kc_ != 0 ? org_kc_ : org_n_;
        constexpr uint64_t c0 = twin::kBlockBytes / sizeof(C);
        return C_TYPE::format == CubeFormat::ND_ALIGN ? (row + c0 - 1) / c0 * c0 : row;
    }
    uint64_t base_stride() const {
        return C_TYPE::format == CubeFormat::NZ ? (used_m_ + 15) / 16 * 16 : base_n();
    }
    uint64_t c_offset(uint64_t stride, uint64_t nz_rows) const {
        if (C_TYPE::format != CubeFormat::NZ) return (first_m_ * stride + first_n_) * sizeof(C);
        return (first_n_ / kWidth * ((nz_rows + 15) / 16 * 16) + first_m_) * kWidth * sizeof(C);
    }
    void restart() { next_ = 0, fetched_ = false; }

    template <class T>
    void set_global(twin::MatmulOperand& operand, const GlobalTensor<T>& gm, bool transposed) {
        operand.global = twin::bytes_of(gm);
        operand.type = twin::cube_type<T>();
        operand.transposed = transposed;
        restart();
    }
    template <class T>
    void set_local(twin::MatmulOperand& operand, const LocalTensor<T>& local, bool transposed,
                   const char* call, const twin::Site& site) {
        operand.global = nullptr;
        operand.local = local.view();
        operand.type = twin::cube_type<T>();
        operand.transposed = transposed;
        const uint32_t number = &operand == &a_ ? 0 : &operand == &b_ ? 1 : 2;
        twin::matmul_bring(sums_, number, operand.local, local.GetSize() * sizeof(T), call, site);
        restart();
    }

    /// An operand with its strides; on chip it holds exactly this core's part.
    template <class Type>
    twin::MatmulOperand placed(twin::MatmulOperand x, uint64_t rows, uint64_t columns, uint64_t own_rows,
                               uint64_t own_columns) const {
        const bool local = x.global == nullptr;
        if (x.transposed) std::swap(rows, columns), std::swap(own_rows, own_columns);
        x.nz = Type::format == CubeFormat::NZ;
        const uint64_t c0 = twin::kBlockBytes / sizeof(typename Type::T);
        const uint64_t height = local ? own_rows : rows, width = local ? own_columns : columns;
        x.row_stride = x.nz ? (height + 15) / 16 * 16 : local ? (width + c0 - 1) / c0 * c0 : width;
        if (Type::format == CubeFormat::VECTOR) x.row_stride = width;
        return x;
    }
    /// Moves the start of an operand to (row, column) of the product.
    static void move(twin::MatmulOperand& x, uint64_t row, uint64_t column) {
        const uint64_t offset = x.byte_of(row, column);
        if (x.global != nullptr) {
            x.global += offset;
        } else if (x.local.data != nullptr) {
            x.local.data += offset;
            x.local.limit = x.local.limit > offset ? x.local.limit - offset : 0;
        }
    }

    void whole_product(const char* call, const twin::Site& site) {
        first_m_ = first_n_ = 0;
        used_m_ = single_m_, used_n_ = single_n_;
        first_k_ = 0, used_k_ = single_k_;
        multiply(call, site, false);
    }
    void multiply(const char* call, const twin::Site& site, bool add) {
        if constexpr (MM_CB::kCopiesItself) {
            twin::report(
                twin::rules::cube_limit, call, site,
                {"own copy functions of Matmul (MatmulCallBackFunc) are not simulated by the CPU twin: "
                 "judge this kernel on a device",
                 "", ""});
            return;
        }
        twin::MatmulJob job;
        job.a = placed<A_TYPE>(a_, org_m_, org_ka_, single_m_, single_k_);
        job.b = placed<B_TYPE>(b_, org_kb_, org_n_, single_k_, single_n_);
        if (twin::is_laid_out(A_TYPE::layout)) {
            job.a.row_stride = twin::batch_strides(A_TYPE::layout, twin::a_axes(tiling_)).row;
        }
        if (twin::is_laid_out(B_TYPE::layout)) {
            job.b.row_stride = twin::batch_strides(B_TYPE::layout, twin::b_axes(tiling_)).row;
        }
        move(job.a, first_m_, first_k_);
        move(job.b, first_k_, first_n_);
        job.bias = bias_;
        job.has_bias = has_bias_ && first_k_ == 0;
        if (has_bias_) {
            job.bias.row_stride = single_n_;
            move(job.bias, 0, first_n_);
        }
        job.m = used_m_, job.n = used_n_, job.k = used_k_;
        job.base_m = base_m(), job.base_n = base_n(), job.base_k = base_k();
        if (kConfig.doMultiDataLoad) {
            job.step_ka = std::max<uint64_t>(1, size(tiling_.stepKa));
            job.step_kb = std::max<uint64_t>(1, size(tiling_.stepKb));
        }
        job.c_bytes = sizeof(C);
        job.sync = !is_async_, job.follows = is_async_ && next_ > 1;
        job.hf32 = hf32_;
        twin::matmul_multiply(call, site, job, sums_, add);
    }

    QuantMode_t quant_mode() const {
        const bool vector = quant_ == Quant::vector;
        if (sizeof(C) == 1)
            return kIntegers ? (vector ? VREQ8 : REQ8) : (vector ? VQF322B8_PRE : QF322B8_PRE);
        if (std::is_same<C, bfloat16_t>::value) return F322BF16;
        if (std::is_same<C, half>::value) return !kIntegers ? F322F16 : vector ? VDEQF16 : DEQF16;
        return NoQuant;
    }
    void store(uint8_t* global, const twin::View& local, uint8_t atomic, uint64_t stride, const char* call,
               const twin::Site& site) {
        constexpr twin::AtomicMode modes[] = {twin::AtomicMode::none, twin::AtomicMode::add,
                                              twin::AtomicMode::max, twin::AtomicMode::min};
        twin::MatmulTarget target;
        target.global = global, target.local = local, target.bytes = sizeof(C);
        target.nz = C_TYPE::format == CubeFormat::NZ, target.nz_width = kWidth;
        target.row_stride = stride;
        target.fix.target_bytes = sizeof(C), target.fix.target_float = twin::is_floating<C>;
        target.fix.target_bf16 = std::is_same<C, bfloat16_t>::value;
        target.fix.quant = quant_mode(), target.fix.scalar = quant_scalar_;
        if (quant_ == Quant::vector) target.factors = quant_factors_ + first_n_ * sizeof(uint64_t);
        target.atomic = modes[atomic & 3];
        target.combine = twin::combine_of<C>();
        twin::matmul_store(call, site, target, sums_, used_m_, used_n_, kIntegers, !is_async_ || next_ > 0);
    }

    TCubeTiling tiling_;
    uint64_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
    uint64_t single_m_ = 0, single_n_ = 0, single_k_ = 0;
    uint64_t batch_a_ = 1, batch_b_ = 1;
    uint64_t next_ = 0, first_m_ = 0, first_n_ = 0, used_m_ = 0, used_n_ = 0, first_k_ = 0, used_k_ = 0;
    bool fetched_ = false;   ///< GetTensorC has taken the current block
    bool is_async_ = false;  ///< the caller goes on while the cube core works
    twin::MatmulOperand a_, b_, bias_;
    bool has_bias_ = false, hf32_ = false;
    Quant quant_ = Quant::none;
    uint64_t quant_scalar_ = 0;
    const uint8_t* quant_factors_ = nullptr;
    twin::MatmulSums sums_;
};

/// The same object driven from the cube core itself.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY =
              Impl::Detail::MatmulPolicy>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

}  // namespace AscendC

namespace matmul {
using namespace AscendC;
}  // namespace matmul

#pragma pop_macro("for")

#include "twin/lib/matmul_regist.h"
