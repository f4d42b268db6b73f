// Every line with a mark `// !rule` breaks that rule of the preflight; every other line must pass. The lines
// beside each mark are its look-alikes: what kernels verified on hardware do write.
#include <vector>

#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr double RATIO = 1.0 / 3.0;
constexpr uint32_t TILE = 1024;

class Virtual {
public:
    virtual __aicore__ inline float Scale() { return 2.0f; }  // !virtual
};

struct Base {
    __aicore__ inline float Scale() { return 2.0f; }
    float factor = 1.0;
};

struct Shared : virtual Base {};  // !virtual
struct Plain : Base {};

template <class T>
class KernelLanguage {
public:
    __aicore__ inline void Casts(uint32_t length, int32_t width, float value, const GlobalTensor<T>& input) {
        float fromUnsigned = static_cast<float>(length);                   // !float-unsigned-cast
        float cStyle = (float)(length * 2);                                // !float-unsigned-cast
        uint32_t toUnsigned = static_cast<uint32_t>(value);                // !float-unsigned-cast
        uint8_t toByte = uint8_t(value);                                   // !float-unsigned-cast
        half halfFromUnsigned = static_cast<half>(length);                 // !float-unsigned-cast
        float throughSigned = static_cast<float>(static_cast<int32_t>(length));
        float reciprocal = 1.0f / length;
        float constant = static_cast<float>(TILE);
        float size = static_cast<float>(sizeof(T));
        int32_t truncated = static_cast<int32_t>(value);
        uint64_t wide = static_cast<uint64_t>(width);
        half halfFromSigned = static_cast<half>(width);
        sink = fromUnsigned + cStyle + throughSigned + reciprocal + constant + size;
        count = toUnsigned + toByte + truncated + wide;
        small = static_cast<half>(static_cast<float>(halfFromUnsigned) + static_cast<float>(halfFromSigned));
    }

    __aicore__ inline void Doubles(float value, int32_t width) {
        float scaled = value * 2.0;                                        // !double-cast
        double precise = value;                                            // !double-cast
        float rounded = static_cast<float>(precise);                       // !double-cast
        precise = precise * precise;                                       // !double-operation
        scaled += 1.5;                                                     // !double-operation
        double fromInteger = static_cast<double>(width);                   // !double-cast
        float literal = 2.0;
        float third = RATIO;
        constexpr double half_pi = 3.14159265358979 / 2;
        float angle = static_cast<float>(half_pi);
        float single = value * 2.0f + static_cast<float>(0.5);
        sink = scaled + rounded + literal + third + angle + single;
    }

    __aicore__ inline void Halves(half left, half right, float value) {
        half sum = left + right;                                           // !half-arithmetic
        left *= right;                                                     // !half-arithmetic
        half scaled = static_cast<half>(static_cast<float>(left) * static_cast<float>(right));
        half mixed = static_cast<half>(static_cast<float>(left) + value);
        bool same = static_cast<float>(left) < static_cast<float>(right);
        half copied = right;
        small = same ? sum : copied;
        small = scaled;
        small = mixed;
    }

    __aicore__ inline void Mathematics(LocalTensor<float>& local, float value, T item) {
        float exponential = expf(value);                                   // !libm-call
        float logarithm = std::log(value);                                 // !libm-call
        float bent = tanh(item);                                           // !libm-call
        float root = sqrt(value);
        float largest = max(value, abs(root));
        Exp(local, local, TILE);
        Ln(local, local, TILE);
        float own = Tanh(value) + floor_of(value);
        sink = exponential + logarithm + bent + largest + own;
    }

    __aicore__ inline void Library(int32_t width) {
        std::vector<int32_t> widths;                                       // !host-library
        int32_t plain[4] = {width, width, width, width};
        bool isFloat = std::is_same<T, float>::value;
        list = plain[0] + isFloat;
        set(width);
        int32_t* block = static_cast<int32_t*>(malloc(16));                // !dynamic-memory
        int32_t* made = new int32_t(width);                                // !dynamic-memory
        delete made;                                                       // !dynamic-memory
        if (block == nullptr) {
            throw width;                                                   // !exception
        }
        printf("width %d\n", width);
    }

    __aicore__ inline void Types(Virtual* object) {
        bool known = typeid(*object) == typeid(Virtual);                   // !runtime-type
        if constexpr (std::is_same<T, half>::value) {
            count = known;
        }
    }

    __aicore__ inline int32_t Factorial(int32_t n) {
        return n < 2 ? 1 : n * Factorial(n - 1);                           // !recursion
    }
    __aicore__ inline int32_t Ping(int32_t n) { return n == 0 ? 0 : Pong(n - 1); }  // !recursion
    __aicore__ inline int32_t Pong(int32_t n) { return Ping(n); }                   // !recursion
    template <int N>
    __aicore__ inline int32_t Unrolled(int32_t n) {
        if constexpr (N > 0) {
            return n + Unrolled<N - 1>(n);
        }
        return n;
    }
    __aicore__ inline int32_t Overloaded(int32_t n) { return Overloaded(static_cast<float>(n)); }
    __aicore__ inline int32_t Overloaded(float x) { return static_cast<int32_t>(x); }

    __aicore__ inline void Events(const GlobalTensor<T>& output, GlobalTensor<T>& other) {
        SetFlag<HardEvent::MTE2_V>(AscendC::EVENT_ID0);                    // !event-namespace
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        other.SetValue(0, output.GetValue(0));
    }

    __aicore__ inline void Buffers(uint32_t length) {
        pipe.InitBuffer(inQueue, BUFFER_NUM, 48 * 1024);
        pipe.InitBuffer(tileOfA, BUFFER_NUM, 128 * 1024);                  // L1 of the cube core
        pipe.InitBuffer(sums, 128 * 1024);                                 // L0C
        pipe.InitBuffer(small_, length * sizeof(T));
        pipe.InitBuffer(outQueue, BUFFER_NUM, 64 * 1024);                  // !ub-budget
    }

    __aicore__ inline void Addresses(GM_ADDR memory, __gm__ T* values, const GlobalTensor<T>& input) {
        sink = plain_sum(values, 4);                                       // !address-space
        float* lost = reinterpret_cast<float*>(memory);                    // !address-space
        const T* first = input.GetPhyAddr();                               // !address-space
        float local[4] = {};
        __gm__ float* invented = local;                                    // !address-space
        GlobalTensor<float> wrong;
        wrong.SetGlobalBuffer(local, 4);                                   // !address-space
        sink = plain_sum(local, 4) + global_sum(values, 4) + any_sum(values) + any_sum(local);
        __gm__ float* floats = reinterpret_cast<__gm__ float*>(memory) + 8;
        __gm__ Base* base = (__gm__ Base*)memory;
        wrong.SetGlobalBuffer(floats, 4);
        wrong.SetGlobalBuffer((__gm__ float*)input.GetPhyAddr(), 4);
        uint64_t number = reinterpret_cast<uint64_t>(memory);
        __gm__ T* none = nullptr;
        count = number + (floats == nullptr) + (none != values);
        sink += base->factor + *floats + lost[0] + *first + *invented;
        __gm__ half* halves = reinterpret_cast<__gm__ half*>(memory);
        half one = halves[0];
        one = *halves;
        sink += static_cast<float>(halves[1]);
        half* plain = halves;                                              // !address-space
        GET_TILING_DATA_PTR_WITH_STRUCT(Base, tiling, memory);
        COPY_TILING_WITH_STRUCT(Base, tiling, copied);
        sink += tiling->factor + copied->factor;
    }

private:
    __aicore__ inline float plain_sum(const T* values, int32_t n) { return n > 0 ? values[0] : 0.0f; }
    __aicore__ inline float global_sum(const __gm__ T* values, int32_t n) { return n > 0 ? values[0] : 0.0f; }
    template <class P>
    __aicore__ inline float any_sum(P values) { return values[0]; }
    __aicore__ inline float Tanh(float value) { return value; }
    __aicore__ inline float floor_of(float value) { return static_cast<float>(static_cast<int32_t>(value)); }
    __aicore__ inline void set(int32_t value) { list = value; }

    TPipe pipe;
    TQue<TPosition::A1, BUFFER_NUM> tileOfA;
    TBuf<TPosition::CO1> sums;
    TQue<QuePosition::VECIN, BUFFER_NUM> inQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<QuePosition::VECCALC> small_;
    float sink;
    uint64_t count;
    half small;
    int32_t list;
};

__aicore__ inline void WriteConst(const GlobalTensor<DTYPE_X>& output) {
    output.SetValue(0, static_cast<DTYPE_X>(1));                           // !const-tensor
}

__aicore__ inline DTYPE_X First(GM_ADDR x, const LanguageCheckTilingData& tiling) {
    GlobalTensor<DTYPE_X> first;
    first.SetGlobalBuffer((__gm__ DTYPE_X*)x, tiling.totalLength);
    GlobalTensor<DTYPE_WEIGHT> second;                                     // !dtype-name
    return first.GetValue(tiling.tileLength);                              // !tiling-field
}

template <class T>
__aicore__ inline T Sum(T left, T right) {
    return left + right;                                                   // !half-arithmetic
}

template <class T>
__aicore__ inline T Largest(T left, T right) {
    if constexpr (std::is_same<T, half>::value) {
        return left;
    } else {
        return left + right;
    }
}

extern "C" __global__ __aicore__ void language_check(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (TILING_KEY_IS(1)) {
        KernelLanguage<DTYPE_X> kernel;
        kernel.Buffers(tilingData.totalLength);
        kernel.Addresses(x, (__gm__ DTYPE_X*)x, GlobalTensor<DTYPE_X>());
        Largest(Sum(half(1), half(2)), half(3));
        Sum(1, 2);
    }
}
