// HCCL, communication between cards, on the kernel side. The twin has one card: the names are there, so that
// what surrounds them compiles, and the first of them that runs is an error that says so. Source: Ascend C
// API, HCCL (kernel interfaces, GetHcclContext).
#pragma once

#include "twin/core/core.h"
#include "twin/hccl_types.h"

namespace twin {

/// Ends the kernel: nothing can be said of what it would do with several cards.
inline void need_cards(const char* call, const Site& site) {
    report(rules::collective, call, site,
           {"communication between cards (HCCL) is not simulated by the CPU twin: judge this operator on "
            "devices",
            "", ""});
}

}  // namespace twin

namespace AscendC {

enum HcclServerType { HCCL_SERVER_TYPE_AICPU = 0, HCCL_SERVER_TYPE_CCU = 5, HCCL_SERVER_TYPE_END };
struct HcclServerConfig {
    int type;
    int64_t blockId;
};
inline constexpr HcclServerConfig DEFAULT_CFG{0, 0};
using HcclHandle = int8_t;
constexpr HcclHandle INVALID_HANDLE_ID = -1;
constexpr int32_t HCCL_SUCCESS = 0, HCCL_FAILED = -1;
constexpr uint32_t HCCL_GROUP_ID_0 = 0, HCCL_MAX_RANK_NUM = 32;

/// Memory of a neighbour, in the context of a group. Only pointers to it are ever made.
struct MemDetails {
    uint64_t size, addr;
    uint32_t key;
};
struct IbVerbsData {
    MemDetails remoteInput, remoteOutput, localInput, localOutput;
    uint8_t res[24];
};
namespace HcclContextDef {}

template <uint32_t index>
GM_ADDR GetHcclContext(const twin::Site& site = twin::Site::here()) {
    static_assert(index <= 1, "GetHcclContext: there are two groups, 0 and 1");
    twin::need_cards("GetHcclContext", site);
    return nullptr;
}
template <uint32_t index>
void SetHcclContext(GM_ADDR, const twin::Site& site = twin::Site::here()) {
    twin::need_cards("SetHcclContext", site);
}

template <HcclServerType server = HCCL_SERVER_TYPE_AICPU, const HcclServerConfig& config = DEFAULT_CFG>
class Hccl {
public:
    void Init(GM_ADDR, __gm__ void* = nullptr) { twin::need_cards("Hccl::Init", twin::after_last_call()); }
    void InitV2(GM_ADDR, const void*) { twin::need_cards("Hccl::InitV2", twin::after_last_call()); }
    int32_t SetCcTiling(__gm__ void*) { return Fail("Hccl::SetCcTiling"); }
    int32_t SetCcTilingV2(uint64_t) { return Fail("Hccl::SetCcTilingV2"); }
    template <bool commit = false, class... Arguments>
    HcclHandle AllReduce(const Arguments&...) {
        return Prepare("Hccl::AllReduce");
    }
    template <bool commit = false, class... Arguments>
    HcclHandle AllGather(const Arguments&...) {
        return Prepare("Hccl::AllGather");
    }
    template <bool commit = false, class... Arguments>
    HcclHandle ReduceScatter(const Arguments&...) {
        return Prepare("Hccl::ReduceScatter");
    }
    template <bool commit = false, class... Arguments>
    HcclHandle AlltoAll(const Arguments&...) {
        return Prepare("Hccl::AlltoAll");
    }
    template <bool commit = false, class... Arguments>
    HcclHandle AlltoAllV(const Arguments&...) {
        return Prepare("Hccl::AlltoAllV");
    }
    template <bool commit = false>
    HcclHandle AlltoAllvWrite(GM_ADDR, GM_ADDR, GM_ADDR, uint64_t, uint64_t) {
        return Prepare("Hccl::AlltoAllvWrite");
    }
    template <bool commit = false>
    HcclHandle BatchWrite(GM_ADDR, uint32_t, uint16_t = 0) {
        return Prepare("Hccl::BatchWrite");
    }
    void Commit(HcclHandle) { twin::need_cards("Hccl::Commit", twin::after_last_call()); }
    int32_t Wait(HcclHandle) { return Fail("Hccl::Wait"); }
    int32_t Query(HcclHandle) { return Fail("Hccl::Query"); }
    template <bool sync = true>
    int32_t Iterate(HcclHandle, uint8_t*, uint8_t) {
        return Fail("Hccl::Iterate");
    }
    void InterHcclGroupSync(int8_t, HcclHandle) {
        twin::need_cards("Hccl::InterHcclGroupSync", twin::after_last_call());
    }
    template <class Scope = void>
    void QueueBarrier(uint16_t) {
        twin::need_cards("Hccl::QueueBarrier", twin::after_last_call());
    }
    template <bool sync = true>
    void Finalize() {
        twin::need_cards("Hccl::Finalize", twin::after_last_call());
    }
    uint32_t GetQueueNum() { return static_cast<uint32_t>(Fail("Hccl::GetQueueNum")); }
    GM_ADDR GetWindowsInAddr(uint32_t) { return Window("Hccl::GetWindowsInAddr"); }
    GM_ADDR GetWindowsOutAddr(uint32_t) { return Window("Hccl::GetWindowsOutAddr"); }
    uint32_t GetRankId() { return static_cast<uint32_t>(Fail("Hccl::GetRankId")); }
    uint32_t GetRankDim() { return static_cast<uint32_t>(Fail("Hccl::GetRankDim")); }

private:
    static int32_t Fail(const char* call) {
        twin::need_cards(call, twin::after_last_call());
        return HCCL_FAILED;
    }
    static HcclHandle Prepare(const char* call) { return static_cast<HcclHandle>(Fail(call)); }
    static GM_ADDR Window(const char* call) {
        twin::need_cards(call, twin::after_last_call());
        return nullptr;
    }
};

}  // namespace AscendC
