// One matrix product as the Matmul object asks for it, untemplated.
#pragma once

#include <array>
#include <vector>

#include "twin/api/cube.h"

namespace twin {

/// An operand [rows, columns] of a product. ND: rows `row_stride` elements apart; Nz: columns of c0 elements,
/// each `row_stride` rows high. A transposed operand is stored with rows and columns exchanged.
struct MatmulOperand {
    const uint8_t* global = nullptr;  ///< in global memory, or
    View local;                       ///< on chip
    CubeType type = CubeType::f16;
    bool nz = false;
    bool transposed = false;
    uint64_t row_stride = 0;

    const uint8_t* data() const { return global != nullptr ? kept(global) : local.data; }
    /// Byte of element (row, column) of the operand as the product sees it.
    uint64_t byte_of(uint64_t row, uint64_t column) const;
};

/// C[m, n] (+)= A[m, k] B[k, n] (+ bias[n]).
struct MatmulJob {
    MatmulOperand a, b, bias;
    bool has_bias = false;
    uint64_t m = 0, n = 0, k = 0;
    uint64_t base_m = 16, base_n = 16,
             base_k = 16;               ///< blocks the product is cut into, for the time it takes
    uint64_t step_ka = 1, step_kb = 1;  ///< base blocks along k that one copy brings
    uint64_t c_bytes = 4;
    bool sync = true;      ///< the caller waits for it
    bool follows = false;  ///< an asynchronous product that was asked for together with the one before
    bool hf32 = false;
};

/// Where C goes: like an operand, with the conversion on the way and the atomic mode of global memory.
struct MatmulTarget {
    uint8_t* global = nullptr;
    View local;
    size_t bytes = 4;
    bool nz = false;
    uint64_t nz_width = 16;  ///< columns of one fractal
    uint64_t row_stride = 0;
    FixTransfer fix{};
    const uint8_t* factors = nullptr;  ///< in global memory, one word per column
    AtomicMode atomic = AtomicMode::none;
    Combine combine = nullptr;
};

constexpr uint32_t kMatmulOperands = 3;  ///< A, B and bias

/// An operand in UB as the library brought it to global memory, where the cube core reads it.
struct BroughtOperand {
    const uint8_t* begin = nullptr;  ///< in UB
    std::vector<uint8_t> bytes;
};

/// Sums of one block, float or int32_t, row by row, and when the cube core has them, in cycles.
struct MatmulSums {
    std::vector<uint32_t> values;
    double done = 0;
    Clock asked{};  ///< what its core had issued when it asked for the blocks that follow
    std::array<BroughtOperand, kMatmulOperands> brought{};
    uint64_t c_bytes = 0;     ///< of an element of C, as the product says
    bool is_stored = false;   ///< the store whose time is the product's was made
    uint64_t last_read = 0;   ///< number of its last reads that run on while the caller does, 0 for none
    uint64_t last_store = 0;  ///< the same of its stores
};

/// Registers a Matmul object on this core. True on the cube core of a mixed kernel, which only serves the
/// vector cores: the kernel returns there.
bool regist_matmul(bool cube_only, const Site& site);

/// The object gets its split: what the library does before its first copy.
void matmul_init(bool constant);

/// SetTensorA, SetTensorB or SetBias (`operand` 0, 1, 2) of a tensor of `bytes` bytes in UB: the library
/// copies it to global memory by MTE3, behind the vector unit. Source: GetGlobalAddr in its matmul_client.h.
void matmul_bring(MatmulSums& sums, uint32_t operand, const View& view, uint64_t bytes, const char* call,
                  const Site& site);

/// Computes a product into `sums` (added to what they hold when `add`). The cube core of this group spends
/// the time.
void matmul_multiply(const char* call, const Site& site, const MatmulJob& job, MatmulSums& sums, bool add);

/// The core goes on when an asynchronous product is done and its results are in global memory.
void matmul_wait(const MatmulSums& sums, const char* call, const Site& site);

/// Converts and stores m x n sums. Without `sync` nothing is ordered after the store before matmul_wait().
void matmul_store(const char* call, const Site& site, const MatmulTarget& target, MatmulSums& sums,
                  uint64_t m, uint64_t n, bool from_integer, bool sync = true);

}  // namespace twin
