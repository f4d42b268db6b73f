// Mc2CcTilingConfig: how op_host describes the communication of an operator. The twin checks what the
// documents limit and leaves the structs empty: their contents are the library's own, and no kernel may read
// them. Source: Ascend C API, HCCL tiling (constructor, SetOpType, SetAlgConfig, GetTiling).
#pragma once

#include <cstring>
#include <string>

#include "twin/hccl_types.h"
#include "twin/host/log.h"

namespace AscendC {

class Mc2CcTilingConfig {
public:
    Mc2CcTilingConfig(const std::string& groupName, uint32_t opType, const std::string& algConfig,
                      uint32_t reduceType = 0, uint8_t dstDataType = 0, uint8_t srcDataType = 0,
                      uint8_t commEngine = 0) {
        static_cast<void>(reduceType + dstDataType + srcDataType + commEngine);
        SetGroupName(groupName);
        SetOpType(opType);
        SetAlgConfig(algConfig);
    }
    uint32_t SetOpType(uint32_t type) {
        return Set(type_known_, type < uint32_t(HcclCMDType::HCCL_CMD_ALL), "opType");
    }
    uint32_t SetGroupName(const std::string& name) {
        return Set(group_known_, name.size() < kMostText, "groupName");
    }
    uint32_t SetAlgConfig(const std::string& text) {
        return Set(algorithm_known_, text.size() < kMostText, "algConfig");
    }
    uint32_t SetReduceType(uint32_t, uint8_t = 0, uint8_t = 0) { return 0; }
    uint32_t SetStepSize(uint8_t) { return 0; }
    uint32_t SetSkipLocalRankCopy(uint8_t) { return 0; }
    uint32_t SetSkipBufferWindowCopy(uint8_t) { return 0; }
    uint32_t SetDebugMode(uint8_t) { return 0; }
    uint32_t SetCommBlockNum(uint16_t) { return 0; }
    uint32_t SetQueueNum(uint16_t) { return 0; }
    uint32_t SetCommEngine(uint8_t) { return 0; }
    uint32_t GetTiling(::Mc2InitTiling& tiling) { return Clear(&tiling, sizeof tiling); }
    uint32_t GetTiling(::Mc2CcTiling& tiling) { return Clear(&tiling, sizeof tiling); }

private:
    static constexpr size_t kMostText = 128;

    uint32_t Set(bool& known, bool right, const char* name) {
        known = right;
        if (!right)
            twin::host::log_line("error", "Mc2CcTilingConfig: %s is outside of what HCCL takes", name);
        return right ? 0 : 1;
    }
    uint32_t Clear(void* tiling, size_t bytes) const {
        std::memset(tiling, 0, bytes);
        return type_known_ && group_known_ && algorithm_known_ ? 0 : 1;
    }

    bool type_known_ = false, group_known_ = false, algorithm_known_ = false;
};

}  // namespace AscendC
