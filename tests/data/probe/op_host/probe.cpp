// Asks the host side for everything a tiling function may ask for and fails, saying why, when an answer is wrong.
#include <cstring>
#include <string>

#include "graph/utils/type_utils.h"
#include "log/ops_log.h"
#include "probe_tiling.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

#define EXPECT(condition)                              \
    if (!(condition)) {                                \
        OPS_LOG_E(context, "expected %s", #condition); \
        return ge::GRAPH_FAILED;                       \
    }

namespace optiling {
struct ProbeCompileInfo {
    uint32_t cores = 0;
};

static ge::graphStatus CheckAttributes(gert::TilingContext* context) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    EXPECT(attrs->GetAttrNum() == 7);
    EXPECT(*attrs->GetInt(0) == -7);
    EXPECT(*attrs->GetFloat(1) == 0.25f);
    EXPECT(*attrs->GetBool(2));
    EXPECT(std::strcmp(attrs->GetStr(3), "tab\there") == 0);
    EXPECT(attrs->GetListInt(4)->GetSize() == 3 && attrs->GetListInt(4)->GetData()[2] == 1LL << 40);
    EXPECT(attrs->GetListFloat(5)->GetSize() == 2 && attrs->GetListFloat(5)->GetData()[1] == -1.5f);
    EXPECT(*attrs->GetAttrPointer<int64_t>(6) == 11);  // not given: the default of the definition
    EXPECT(attrs->GetInt(7) == nullptr);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus CheckTensors(gert::TilingContext* context) {
    EXPECT(context->GetComputeNodeInputNum() == 2 && context->GetComputeNodeOutputNum() == 1);
    EXPECT(context->GetComputeNodeInfo()->GetInputsNum() == 2);
    EXPECT(std::string(context->GetNodeType()) == "Probe");
    const gert::StorageShape* shape = context->GetInputShape(0);
    EXPECT(shape->GetStorageShape().GetDimNum() == 2 && shape->GetOriginShape().GetDim(1) == 5);
    EXPECT(shape->GetStorageShape().GetShapeSize() == 15 && shape->GetStorageShape() == shape->GetOriginShape());
    EXPECT(context->GetOptionalInputShape(1) == nullptr && context->GetOptionalInputDesc(1) == nullptr);
    EXPECT(context->GetOptionalInputTensor(1) == nullptr && context->GetInputShape(2) == nullptr);
    EXPECT(context->GetRequiredInputDesc(0)->GetDataType() == ge::DT_FLOAT);
    EXPECT(context->GetInputDesc(0)->GetFormat().GetStorageFormat() == ge::FORMAT_ND);
    EXPECT(ge::TypeUtils::DataTypeToSerialString(context->GetOutputDesc(0)->GetDataType()) == "DT_FLOAT");
    const gert::Tensor* sizes = context->GetRequiredInputTensor(2);
    EXPECT(sizes != nullptr && sizes->GetShapeSize() == 3);
    EXPECT(sizes->GetData<int64_t>()[0] == 4 && sizes->GetData<int64_t>()[2] == 9);  // declared with ValueDepend
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus CheckPlatform(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0, l1 = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, l1);
    EXPECT(ub == 196608 - 256 && l1 == 524288);
    EXPECT(platform.GetCoreNumAiv() == 40 && platform.GetCoreNumAic() == 20);
    EXPECT(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv() == 40);
    EXPECT(platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
    EXPECT(platform.GetLibApiWorkSpaceSize() == 16 * 1024 * 1024);
    EXPECT(context->GetCompileInfo<ProbeCompileInfo>()->cores == 40);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    for (auto check : {CheckAttributes, CheckTensors, CheckPlatform}) {
        if (check(context) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    ProbeTilingData tiling;
    int32_t rows[ROWS] = {-1, 2, 1 << 30};
    tiling.set_small(7);
    tiling.inner.set_flag(0);
    tiling.inner.set_wide(1ULL << 40);
    tiling.set_rows(rows);
    tiling.set_count(15);
    tiling.set_scale(0.0f);
    ProbeTilingData copy = tiling;
    EXPECT(copy.get_count() == 15 && copy.get_rows()[1] == 2 && copy.inner.get_wide() == 1ULL << 40);
    copy.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    // What was saved lacks two fields; they are set in the buffer itself. The copy does not share it.
    copy.SetDataPtr(context->GetRawTilingData()->GetData());
    copy.inner.set_flag(1);
    copy.set_scale(0.5f);
    ProbeTilingData apart = copy;
    apart.set_count(0);
    context->GetRawTilingData()->SetDataSize(copy.GetDataSize());
    context->SetBlockDim(1);
    context->SetTilingKey(12345678901ULL);
    context->GetWorkspaceSizes(1)[0] = 16 * 1024 * 1024 + 64;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    context->GetCompiledInfo<ProbeCompileInfo>()->cores = platform.GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Probe).Tiling(TilingFunc).TilingParse<ProbeCompileInfo>(TilingParse);
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    EXPECT(context->GetOptionalInputShape(1) == nullptr && context->GetInputShape(1)->GetDim(0) == 3);
    *context->GetOutputShape(0) = *context->GetRequiredInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(Probe).InferShape(InferShape).InferDataType(InferDataType);
}  // namespace ge

namespace ops {
class Probe : public OpDef {
public:
    explicit Probe(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_BOOL}).Format({ge::FORMAT_ND});
        this->Input("sizes").ParamType(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND}).ValueDepend(REQUIRED);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("whole").AttrType(REQUIRED).Int();
        this->Attr("part").AttrType(OPTIONAL).Float(1.0);
        this->Attr("yes").AttrType(OPTIONAL).Bool(false);
        this->Attr("text").AttrType(OPTIONAL).String("none");
        this->Attr("wholes").AttrType(OPTIONAL).ListInt({1});
        this->Attr("parts").AttrType(OPTIONAL).ListFloat({});
        this->Attr("default_one").AttrType(OPTIONAL).Int(11);
        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true).DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "probe");
        this->AICore().AddConfig("ascend910b", config);
    }
};
OP_ADD(Probe);
}  // namespace ops
