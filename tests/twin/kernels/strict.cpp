// Kernels that break one rule each, and correct ones next to them that must stay silent.
#include "case.h"

using namespace AscendC;
using cases::Case;

constexpr uint32_t kTile = 256;

/// The usual three-stage kernel over float data, whole tiles only.
template <int depth, int buffers>
class Pipeline {
public:
    void init(const Case& run) {
        x_ = run.gm<float>(0);
        z_ = run.gm<float>(1);
        pipe_.InitBuffer(in_, buffers, kTile * sizeof(float));
        pipe_.InitBuffer(out_, buffers, kTile * sizeof(float));
        tiles_ = run.count<float>(0) / kTile;
    }
    void process() {
        for (uint32_t tile = 0; tile < tiles_; ++tile) {
            auto a = in_.template AllocTensor<float>();
            DataCopy(a, x_[tile * kTile], kTile);
            in_.EnQue(a);
            a = in_.template DeQue<float>();
            auto c = out_.template AllocTensor<float>();
            Muls(c, a, 2.0f, static_cast<int32_t>(kTile));
            out_.EnQue(c);
            in_.FreeTensor(a);
            c = out_.template DeQue<float>();
            DataCopy(z_[tile * kTile], c, kTile);
            out_.FreeTensor(c);
        }
    }

private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, depth> in_;
    TQue<QuePosition::VECOUT, depth> out_;
    GlobalTensor<float> x_, z_;
    uint32_t tiles_ = 0;
};

void correct(const Case& run) {
    Pipeline<1, 2> op;
    op.init(run);
    op.process();
}
CASE("correct", correct)

/// Double buffering by hand, with flags in both directions.
void correct_flags(const Case& run) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2 * kTile * sizeof(float));
    auto x = run.gm<float>(0), z = run.gm<float>(1);
    auto both = buffer.Get<float>();
    const uint32_t tiles = run.count<float>(0) / kTile;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        const uint32_t half_index = tile % 2;
        auto t = both[half_index * kTile];
        if (tile >= 2) WaitFlag<HardEvent::MTE3_MTE2>(static_cast<int>(half_index));
        DataCopy(t, x[tile * kTile], kTile);
        SetFlag<HardEvent::MTE2_V>(static_cast<int>(half_index));
        WaitFlag<HardEvent::MTE2_V>(static_cast<int>(half_index));
        Muls(t, t, 2.0f, static_cast<int32_t>(kTile));
        SetFlag<HardEvent::V_MTE3>(static_cast<int>(half_index));
        WaitFlag<HardEvent::V_MTE3>(static_cast<int>(half_index));
        DataCopy(z[tile * kTile], t, kTile);
        if (tile + 2 < tiles) SetFlag<HardEvent::MTE3_MTE2>(static_cast<int>(half_index));
    }
}
CASE("correct_flags", correct_flags)

/// One stage of the queue kernel with a chosen mistake.
template <int mistake>
void broken_queue(const Case& run) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, kTile * sizeof(float));
    pipe.InitBuffer(out, 1, kTile * sizeof(float));
    auto x = run.gm<float>(0), z = run.gm<float>(1);
    auto a = in.AllocTensor<float>();
    DataCopy(a, x, kTile);
    if (mistake == 0) in.DeQue<float>();        // undelivered
    if (mistake == 1) in.AllocTensor<float>();  // exhausted
    in.EnQue(a);
    if (mistake == 2) in.EnQue(a);       // enqueued twice
    if (mistake == 3) in.FreeTensor(a);  // freed while queued
    if (mistake != 4) a = in.DeQue<float>();
    auto c = out.AllocTensor<float>();
    Muls(c, a, 2.0f, static_cast<int32_t>(kTile));  // consumer
    if (mistake == 5) in.EnQue(c);                  // wrong queue
    if (mistake != 6) out.EnQue(c);
    if (mistake == 4) a = in.DeQue<float>();
    in.FreeTensor(a);
    if (mistake == 7) in.FreeTensor(a);  // freed twice
    if (mistake != 6) c = out.DeQue<float>();
    DataCopy(z, c, kTile);                  // producer of global memory
    if (mistake == 8) Muls(c, a, 1.0f, 8);  // use after free
    if (mistake == 10) in.FreeTensor(c);    // freed elsewhere
    if (mistake < 9) out.FreeTensor(c);
}
/// Four queues of one position with as many buffers each as the parameter says, all of them used once.
void many_buffers(const Case& run) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queues[4];
    const auto buffers = run.parameter<uint8_t>(0);
    for (auto& queue : queues) pipe.InitBuffer(queue, buffers, 256);
    for (int round = 0; round < buffers; ++round) {
        for (auto& queue : queues) {
            auto x = queue.AllocTensor<float>();
            DataCopy(x, run.gm<float>(0), 64);
            queue.EnQue(x);
            x = queue.DeQue<float>();
            queue.FreeTensor(x);
        }
    }
}
CASE("queue/many_buffers", many_buffers)

CASE("queue/undelivered", broken_queue<0>)
CASE("queue/exhausted", broken_queue<1>)
CASE("queue/enqueued_twice", broken_queue<2>)
CASE("queue/freed_in_queue", broken_queue<3>)
CASE("queue/no_dequeue", broken_queue<4>)
CASE("queue/wrong_queue", broken_queue<5>)
CASE("queue/no_enqueue", broken_queue<6>)
CASE("queue/freed_twice", broken_queue<7>)
CASE("queue/use_after_free", broken_queue<8>)
CASE("queue/not_freed", broken_queue<9>)
CASE("queue/freed_elsewhere", broken_queue<10>)

void queue_full(const Case& run) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, kTile * sizeof(float));
    auto a = in.AllocTensor<float>(), b = in.AllocTensor<float>();
    DataCopy(a, run.gm<float>(0), kTile);
    in.EnQue(a);
    in.EnQue(b);  // full
}
CASE("queue/full", queue_full)

/// Fills UB to the last byte, and one block more.
template <bool over>
void capacity(const Case& run) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TBuf<> rest;
    pipe.InitBuffer(rest, 196608 - 1024 + (over ? 32 : 0));
    pipe.InitBuffer(in, 1, 1024);  // beyond the capacity
    auto a = in.AllocTensor<float>();
    DataCopy(a, run.gm<float>(0), kTile);  // access beyond UB
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
}
CASE("ub/exact", capacity<false>)
CASE("ub/over", capacity<true>)

/// Copies `parameter(0)` bytes in from byte offset `parameter(1)` of the input, or out to it.
template <bool out>
void bounds(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32768);
    auto t = buffer.Get<uint8_t>();
    auto gm = run.gm<uint8_t>(out ? 1 : 0)[run.parameter<uint32_t>(1)];
    DataCopyExtParams copy{1, run.parameter<uint32_t>(0), 0, 0, 0};
    if (out) {
        Duplicate(t.ReinterpretCast<float>(), 1.0f, 8192);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(gm, t, copy);  // store
    } else {
        DataCopyPad(t, gm, copy, DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});  // load
    }
}
CASE("gm/read", bounds<false>)
CASE("gm/write", bounds<true>)

void input_write(const Case& run) {
    auto x = run.gm<float>(0);
    x.SetValue(0, 1.0f);
}
CASE("gm/input_write", input_write)

void scalar_out(const Case& run) { run.gm<float>(0).GetValue(run.parameter<uint64_t>(0)); }
CASE("gm/scalar", scalar_out)

void short_tail(const Case& run) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto t = queue.AllocTensor<float>();
    DataCopy(t, run.gm<float>(0), 100);  // tail dropped
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(run.gm<float>(1), t, 96);
    queue.FreeTensor(t);
}
CASE("copy/tail", short_tail)

/// `parameter(0)` assigned to fields of 16 and 8 bits; on the device they keep the low bits.
void too_long(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32768);
    DataCopyParams copy;
    copy.blockLen = run.parameter<uint32_t>(0);
    DataCopy(buffer.Get<float>(), run.gm<float>(0), copy);  // cut length
}
CASE("copy/too_long", too_long)

void too_far(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 8192);
    auto t = buffer.Get<float>();
    BinaryRepeatParams strides;
    strides.dstRepStride = run.parameter<uint32_t>(0);
    Duplicate(t, 1.0f, 2048);
    PipeBarrier<PIPE_V>();
    Add(t, t, t, uint64_t(64), uint8_t(1), strides);  // cut stride
}
CASE("vector/too_far", too_far)

/// A tile changed in place between the two copies of one queue, with the positions of each hand-over or
/// without.
template <bool positions>
void in_place(const Case& run) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, kTile * sizeof(float));
    auto x = run.gm<float>(0), z = run.gm<float>(1);
    for (uint32_t at = 0; at < run.count<float>(0); at += kTile) {
        auto t = queue.AllocTensor<float>();
        DataCopy(t, x[at], kTile);
        if (positions) {
            queue.EnQue<TPosition::GM, TPosition::VECIN, float>(t);
            t = queue.DeQue<TPosition::GM, TPosition::VECIN, float>();
        }
        Muls(t, t, 2.0f, static_cast<int32_t>(kTile));  // in place
        if (positions) {
            queue.EnQue<TPosition::VECOUT, TPosition::GM, float>(t);
            t = queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();
        } else {
            queue.EnQue(t);
            t = queue.DeQue<float>();
        }
        DataCopy(z[at], t, kTile);
        queue.FreeTensor(t);
    }
}
CASE("queue/in_place", in_place<true>)
CASE("queue/in_place_unordered", in_place<false>)

/// Data movement and vector work on a TBuf with a chosen missing edge.
template <int missing>
void race(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    auto a = buffer.Get<float>(256);
    auto c = buffer.GetWithOffset<float>(256, 1024);
    DataCopy(a, run.gm<float>(0), 256);  // race producer
    if (missing != 0) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }
    Muls(c, a, 2.0f, 256);  // race consumer
    if (missing != 1) {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    DataCopy(run.gm<float>(1), c, 256);                    // race writer
    if (missing == 2) DataCopy(a, run.gm<float>(0), 256);  // race again
}
CASE("race/mte2_v", race<0>)
CASE("race/v_mte3", race<1>)
CASE("race/v_mte2", race<2>)
CASE("race/none", race<3>)

/// Scalar accesses are synchronised by the compiler.
void scalar_between(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    auto a = buffer.Get<float>();
    DataCopy(a, run.gm<float>(0), 256);
    a.SetValue(0, a.GetValue(1) + 1.0f);
    PipeBarrier<PIPE_ALL>();
    Muls(a, a, 2.0f, 256);
    a.SetValue(1, a.GetValue(2));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopy(run.gm<float>(1), a, 256);
}
CASE("race/scalar", scalar_between)

/// Copies between global memory and 512 floats of UB, of which MTE3 may read the first half and MTE2 write
/// the second.
template <class Copies>
void gm_copies(const Case& run, Copies copies) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    auto a = buffer.Get<float>();
    Duplicate(a, 3.0f, 256);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    copies(a, run.gm<float>(1));
}

/// Writes global memory and reads it back.
template <bool ordered>
void gm_round_trip(const Case& run) {
    gm_copies(run, [](auto a, auto z) {
        DataCopy(z, a, 256);
        if (ordered) {
            SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        }
        DataCopy(a[256], z, 256);
    });
}
CASE("race/gm", gm_round_trip<false>)
CASE("race/gm_ordered", gm_round_trip<true>)

/// Writes two adjoining halves, waits for the first alone and reads a half back.
template <int half>
void gm_halves(const Case& run) {
    gm_copies(run, [](auto a, auto z) {
        DataCopy(z, a, 128);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(z[128], a[128], 128);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(a[256], z[128 * half], 128);
    });
}
CASE("race/gm_first_half", gm_halves<0>)
CASE("race/gm_second_half", gm_halves<1>)

/// Overwrites global memory that is being read.
template <bool ordered>
void gm_overwrite(const Case& run) {
    gm_copies(run, [](auto a, auto z) {
        DataCopy(a[256], z, 256);
        if (ordered) {
            SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        }
        DataCopy(z[128], a, 128);
    });
}
CASE("race/gm_overwritten", gm_overwrite<false>)
CASE("race/gm_overwritten_ordered", gm_overwrite<true>)

/// Writes many blocks apart from each other and reads the first one back.
void gm_many(const Case& run) {
    gm_copies(run, [](auto a, auto z) {
        for (int i = 0; i < 300; ++i) DataCopy(z[i * 16], a, 8);
        DataCopy(a[256], z, 8);
    });
}
CASE("race/gm_many", gm_many)

template <int kind>
void vector_misuse(const Case& run) {
    TPipe pipe;
    TBuf<> buffer, other;
    pipe.InitBuffer(buffer, 1024);
    pipe.InitBuffer(other, 1024);
    auto a = buffer.Get<float>(), b = other.Get<float>();
    if (kind != 0) Duplicate(a, 1.0f, 256);
    if (kind == 0) Adds(b, a, 1.0f, 256);                                   // uninitialised
    if (kind == 1) Adds(b[1], a, 1.0f, 8);                                  // misaligned
    if (kind == 2) Adds(b, a, 1.0f, 65, 1, UnaryRepeatParams{1, 1, 8, 8});  // mask
    if (kind == 3) Adds(b, a, 1.0f, 512);                                   // beyond its buffer
    if (kind == 4) Adds(b, LocalTensor<float>(), 1.0f, 8);                  // null
    if (kind == 5) SetFlag<HardEvent::V_MTE3>(8);                           // event id
    if (kind == 6) WaitFlag<HardEvent::V_MTE3>(0);                          // never set
    if (kind == 7) SetFlag<HardEvent::V_MTE3>(0);                           // unpaired
    if (kind == 8) assert(run.parameters.size() > 5);                       // assertion
    if (kind == 9) Adds(b, a, 1.0f, 0);                                     // count
}
CASE("vector/uninitialised", vector_misuse<0>)
CASE("vector/misaligned", vector_misuse<1>)
CASE("vector/mask", vector_misuse<2>)
CASE("vector/beyond", vector_misuse<3>)
CASE("vector/null", vector_misuse<4>)
CASE("sync/event_id", vector_misuse<5>)
CASE("sync/never_set", vector_misuse<6>)
CASE("sync/unpaired", vector_misuse<7>)
CASE("assert", vector_misuse<8>)
CASE("vector/count", vector_misuse<9>)

/// More than the fields of an instruction hold: with 256 the device computes nothing.
template <int kind>
void too_many(const Case&) {
    TPipe pipe;
    TBuf<> buffer, other;
    pipe.InitBuffer(buffer, 65536);
    pipe.InitBuffer(other, 65536 + 32768);
    auto x = buffer.Get<float>(), z = other.Get<float>();
    Duplicate(x, 1.0f, 16384);
    if (kind == 0) WholeReduceSum(z, x, 64, 255, 1, 1, 8);
    if (kind == 1) WholeReduceSum(z, x, 64, 256, 1, 1, 8);            // whole repeats
    if (kind == 2) BlockReduceMax(z, x, 256, 64, 1, 1, 8);            // block repeats
    if (kind == 3) Sort32(z, x, x.ReinterpretCast<uint32_t>(), 256);  // sort repeats
    if (kind == 4) {
        const uint16_t lengths[4] = {4096, 8, 0, 0};
        MrgSort(z, {x, x[8192], x, x}, MrgSort4Info(lengths, false, 0b11, 1));  // long list
    }
}
CASE("repeats/most", too_many<0>)
CASE("repeats/whole", too_many<1>)
CASE("repeats/block", too_many<2>)
CASE("repeats/sort", too_many<3>)
CASE("repeats/merge", too_many<4>)

/// Core 0 skips the barrier the others wait in.
void lonely_barrier(const Case&) {
    if (GetBlockIdx() == 0) return;
    SyncAll();  // barrier
}
CASE("sync/lonely", lonely_barrier)

/// A core fails while the others wait for it.
void failed_partner(const Case& run) {
    if (GetBlockIdx() == 1) run.gm<float>(0).GetValue(1u << 20);
    SyncAll();
}
CASE("sync/failed_partner", failed_partner)

void poll_forever(const Case& run) {
    auto z = run.gm<int32_t>(1);
    while (z.GetValue(0) != 77) {  // polling
    }
}
CASE("loop/polling", poll_forever)

void loop_forever(const Case&) {
    volatile uint64_t turns = 0;
    PipeBarrier<PIPE_ALL>();  // last call
    while (true) turns = turns + 1;
}
CASE("loop/silent", loop_forever)

void throws(const Case&) { throw std::runtime_error("no exceptions on the device"); }
CASE("exception", throws)

/// Every block adds its partial sum to the output, then block 0 reads the total and doubles it.
void all_cores(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    auto total = run.gm<float>(1);
    Duplicate(t, static_cast<float>(GetBlockIdx() + 1), 8);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(total, t, 8);
    SetAtomicNone();
    SyncAll();
    if (GetBlockIdx() != 0) return;
    DataCopy(t, total, 8);
    PipeBarrier<PIPE_ALL>();
    Muls(t, t, 2.0f, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(total, t, 8);
}
CASE("all_cores", all_cores)

/// Block 1 waits for a value that block 0 writes: polling must let block 0 run.
void poll_partner(const Case& run) {
    auto z = run.gm<int32_t>(1);
    if (GetBlockIdx() == 0) {
        while (z.GetValue(0) != 5) {
        }
        z.SetValue(1, 6);
    } else {
        z.SetValue(0, 5);
    }
}
CASE("poll_partner", poll_partner)

void prints(const Case& run) {
    printf("core %d value %.2f %s\n", static_cast<int>(GetBlockIdx()), half(1.5f), "text");
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    auto t = buffer.Get<half>();
    Duplicate(t, half(2.0f), 16);
    DumpTensor(t, 7, 2);
    static_cast<void>(run);
}
CASE("prints", prints)

/// One instruction on 1,024 floats that share a buffer, 64 of them apart.
template <class Call>
void sharing(Call call) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, (1024 + 64) * sizeof(float));
    auto t = buffer.GetWithOffset<float>(1024, 0),
         sum = buffer.GetWithOffset<float>(64, 1024 * sizeof(float));
    Duplicate(t, 1.0f, 1024);
    Duplicate(sum, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    call(t, sum);
}
#define SHARING(name, ...) \
    CASE("sharing/" name,  \
         [](const Case&) { sharing([](auto t, auto sum) { static_cast<void>(sum), __VA_ARGS__; }); })
SHARING("same place", Abs(t, t, 1024))
SHARING("a repeat before", Abs(t, t[64], 512))
SHARING("sum as second source", Add(sum, t, sum, 64, 16, {1, 1, 1, 0, 8, 0}))
SHARING("narrowed in place", Cast(t.template ReinterpretCast<half>(), t, RoundMode::CAST_NONE, 1024))
SHARING("sum as first source", Add(sum, sum, t, 64, 16, {1, 1, 1, 0, 0, 8}))
SHARING("sum of products", MulAddDst(sum, t, t, 64, 16, {1, 1, 1, 0, 8, 8}))
SHARING("running sum", Add(t[64], t[64], t, 64, 8, {1, 1, 1, 8, 8, 8}))
SHARING("shifted by a block", Adds(t[8], t, 1.0f, 512))
SHARING("shifted within a repeat", Abs(t, t[8], 64))
SHARING("widened in place", Cast(t, t.template ReinterpretCast<half>(), RoundMode::CAST_NONE, 1024))
