// platform_ascendc::PlatformAscendC: what op_host asks about the processor. Answers are those of the chosen
// SoC.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "twin/host/tiling_context.h"
#include "twin/soc_data.h"

namespace twin {
namespace host {

/// Name of the SoC this process models; set once by the runner before any function of the operator runs.
inline std::string& modelled_soc() {
    static std::string soc = "Ascend910B1";
    return soc;
}

}  // namespace host
}  // namespace twin

enum class NpuArch {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3510 = 3510,
    DAV_5102 = 5102,
    DAV_RESV = 99999
};

namespace platform_ascendc {

enum class CoreMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
    FB = 7,
    BT = 8,
    RESERVED
};
enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_93,
    ASCEND950,
    ASCEND910_95 = ASCEND950,
    ASCEND310,
    RESERVED_VERSION = 99999
};

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos* infos)
        : soc_(Find(infos == nullptr ? nullptr : infos->Soc())) {}
    virtual ~PlatformAscendC() = default;

    /// Number of AI cores, which on the separated architecture is the number of cube cores.
    uint32_t GetCoreNum() const { return soc_->cube_cores; }
    uint32_t GetCoreNumAic() const { return soc_->cube_cores; }
    uint32_t GetCoreNumAiv() const { return soc_->vector_cores; }
    /// Vector cores outside the AI cores: none on this architecture.
    uint32_t GetCoreNumVector() const { return 0; }
    SocVersion GetSocVersion() const {
        return std::strcmp(soc_->compute_unit, "ascend910_93") == 0 ? SocVersion::ASCEND910_93
                                                                    : SocVersion::ASCEND910B;
    }
    NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
    void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
        switch (type) {
            case CoreMemType::UB:
                bytes = twin::kUbBytes - 256 - reserved_;
                break;  // the framework keeps 256 bytes
            case CoreMemType::L1:
                bytes = twin::kL1Bytes;
                break;
            case CoreMemType::L0_A:
                bytes = twin::kL0aBytes;
                break;
            case CoreMemType::L0_B:
                bytes = twin::kL0bBytes;
                break;
            case CoreMemType::L0_C:
                bytes = twin::kL0cBytes;
                break;
            case CoreMemType::FB:
                bytes = twin::kFbBytes;
                break;
            case CoreMemType::BT:
                bytes = twin::kBtBytes;
                break;
            case CoreMemType::L2:
                bytes = soc_->l2_bytes;
                break;
            case CoreMemType::HBM:
                bytes = soc_->hbm_bytes;
                break;
            default:
                bytes = 0;
                break;
        }
    }
    /// Bytes per cycle and core.
    void GetCoreMemBw(const CoreMemType& type, uint64_t& bandwidth) const {
        switch (type) {
            case CoreMemType::L2:
                bandwidth = 110;
                break;
            case CoreMemType::HBM:
                bandwidth = 32;
                break;
            case CoreMemType::UB:
                bandwidth = 1024;
                break;
            default:
                bandwidth = 0;
                break;
        }
    }
    /// Blocks to launch so that `slices` slices run on groups of one cube and its vector cores.
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t cube_cores, uint32_t vector_cores) const {
        if (cube_cores == 0 || vector_cores == 0 || cube_cores > vector_cores) {
            return slices;
        }
        const uint32_t ratio = vector_cores / cube_cores;
        return (slices + ratio - 1) / ratio;
    }
    uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t cube_cores, uint32_t vector_cores) const {
        return CalcTschBlockDim(slices, cube_cores, vector_cores);
    }
    uint32_t GetLibApiWorkSpaceSize() const { return 16U << 20; }
    uint32_t GetResCubeGroupWorkSpaceSize() const { return 0; }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return 0; }
    void ReserveLocalMemory(int bytes) { reserved_ = static_cast<uint64_t>(bytes); }

private:
    static const twin::Soc* Find(const char* name) {
        const twin::Soc* soc = twin::find_soc(name == nullptr ? twin::host::modelled_soc().c_str() : name);
        return soc != nullptr ? soc : twin::find_soc("Ascend910B1");
    }
    const twin::Soc* soc_;
    uint64_t reserved_ = 0;
};

class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance() {
        static fe::PlatFormInfos infos(twin::host::modelled_soc().c_str());
        static PlatformAscendC platform(&infos);
        return &platform;
    }
    static PlatformAscendC* GetInstance(const char*) { return GetInstance(); }
};

}  // namespace platform_ascendc

namespace fe {

/// What the platform's configuration says of the modelled processor, as far as operators ask.
struct PlatformInfo {
    struct {
        std::string aic_version, ccec_aic_version, short_soc_version;
    } str_info;
    struct {
        uint32_t ai_core_cnt = 0, vector_core_cnt = 0, ai_cpu_cnt = 0;
        uint64_t memory_size = 0, l2_size = 0;
    } soc_info;
    struct {
        double cube_freq = 0;
        uint64_t l0_a_size = 0, l0_b_size = 0, l0_c_size = 0, l1_size = 0, ub_size = 0;
    } ai_core_spec;
};
struct OptionalInfo {
    std::string soc_version, core_type;
};

class PlatformInfoManager {
public:
    static PlatformInfoManager& Instance() {
        static PlatformInfoManager manager;
        return manager;
    }
    static PlatformInfoManager& GeInstance() { return Instance(); }
    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& info, OptionalInfo& options) {
        const twin::Soc* soc = twin::find_soc(twin::host::modelled_soc().c_str());
        if (soc == nullptr) return 1;
        const bool newer = std::strcmp(soc->compute_unit, "ascend910_93") == 0;
        info.str_info.short_soc_version = newer ? "Ascend910_93" : "Ascend910B";
        info.soc_info.ai_core_cnt = soc->cube_cores;
        info.soc_info.vector_core_cnt = soc->vector_cores;
        info.soc_info.memory_size = soc->hbm_bytes;
        info.soc_info.l2_size = soc->l2_bytes;
        info.ai_core_spec.cube_freq = soc->clock_mhz;
        info.ai_core_spec.l0_a_size = twin::kL0aBytes;
        info.ai_core_spec.l0_b_size = twin::kL0bBytes;
        info.ai_core_spec.l0_c_size = twin::kL0cBytes;
        info.ai_core_spec.l1_size = twin::kL1Bytes;
        info.ai_core_spec.ub_size = twin::kUbBytes;
        options.soc_version = soc->name;
        return 0;
    }
};

}  // namespace fe

inline uint32_t fe::PlatFormInfos::GetCoreNum() const {
    const twin::Soc* soc = twin::find_soc(soc_);
    return soc == nullptr ? 0 : soc->cube_cores;
}

inline void fe::PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const {
    platform_ascendc::PlatformAscendC(const_cast<PlatFormInfos*>(this))
        .GetCoreMemSize(static_cast<platform_ascendc::CoreMemType>(type), bytes);
}
