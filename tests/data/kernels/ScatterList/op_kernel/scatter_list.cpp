#include "row_buffer.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

// A row of work is one contiguous piece: a tensor of the list at one place of the outer dimensions.
template <typename Index>
class KernelScatterList {
public:
    __aicore__ inline void Init(const ScatterListTilingData& tiling, TPipe* pipe) {
        set = tiling;
        pipe->InitBuffer(queue, BUFFER_NUM, set.tileBytes);
    }
    __aicore__ inline void SetTensors(GM_ADDR var, GM_ADDR indice, GM_ADDR updates, GM_ADDR mask) {
        list = var;
        masked = mask != nullptr;
        indexGm.SetGlobalBuffer(reinterpret_cast<__gm__ Index*>(indice));
        source.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(updates));
        maskGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(mask));
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t row = run.first; row < run.end; ++row) {
            uint32_t tensor = row / set.outer;
            if (!masked || maskGm.GetValue(tensor) != 0) {
                WritePiece(tensor, row % set.outer,
                           static_cast<uint64_t>(row) * set.sliceRows * set.unitBytes);
            }
        }
    }

private:
    __aicore__ inline void WritePiece(uint32_t tensor, uint32_t place, uint64_t from) {
        uint64_t step = set.hasLengths != 0 ? 2 : 1;
        uint64_t start = static_cast<uint64_t>(indexGm.GetValue(tensor * step));
        uint64_t length = set.sliceRows;
        if (set.hasLengths != 0) {
            length = static_cast<uint64_t>(indexGm.GetValue(tensor * step + 1));
        }
        uint64_t to = (static_cast<uint64_t>(place) * set.lengths[tensor] + start) * set.unitBytes;
        ListTensorDesc descriptor(reinterpret_cast<__gm__ void*>(list));
        target.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(descriptor.GetDataPtr<uint8_t>(tensor)));
        uint64_t bytes = length * set.unitBytes;
        for (uint64_t done = 0; done < bytes; done += set.tileBytes) {
            uint32_t count =
                static_cast<uint32_t>(bytes - done < set.tileBytes ? bytes - done : set.tileBytes);
            DataCopyExtParams block{1, count, 0, 0, 0};
            LocalTensor<uint8_t> local = queue.AllocTensor<uint8_t>();
            DataCopyPad(local, source[from + done], block, DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
            queue.EnQue(local);
            local = queue.DeQue<uint8_t>();
            DataCopyPad(target[to + done], local, block);
            queue.FreeTensor(local);
        }
    }

    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> queue;
    GlobalTensor<Index> indexGm;
    GlobalTensor<uint8_t> source;
    GlobalTensor<uint8_t> target;
    GlobalTensor<uint8_t> maskGm;
    ScatterListTilingData set;
    GM_ADDR list;
    bool masked;
};

extern "C" __global__ __aicore__ void scatter_list(GM_ADDR var, GM_ADDR indice, GM_ADDR updates, GM_ADDR mask,
                                                   GM_ADDR var_out, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelScatterList<DTYPE_INDICE> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(var_out, indice, updates, mask);
    op.Run();
}
