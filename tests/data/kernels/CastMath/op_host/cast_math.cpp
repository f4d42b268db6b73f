#include "cast_math_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t BYTES_PER_ELEMENT =
    48;  // of UB: input and output twice, and a copy in every type on the way

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    CastMathTilingData tiling;
    return SplitFlat(context, tiling, ElementsOf(context->GetInputShape(0)), width,
                     TileLength(context, BYTES_PER_ELEMENT));
}
}  // namespace optiling

namespace ops {
class CastMath : public OpDef {
public:
    explicit CastMath(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16,
                       ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT,   ge::DT_FLOAT,   ge::DT_FLOAT,
                       ge::DT_FLOAT,   ge::DT_FLOAT,   ge::DT_FLOAT,   ge::DT_FLOAT,   ge::DT_FLOAT,
                       ge::DT_INT32,   ge::DT_INT32,   ge::DT_INT32,   ge::DT_INT32,   ge::DT_INT32,
                       ge::DT_INT32,   ge::DT_INT32,   ge::DT_INT32,   ge::DT_INT8,    ge::DT_INT8,
                       ge::DT_INT8,    ge::DT_INT8,    ge::DT_INT8,    ge::DT_INT8,    ge::DT_INT8,
                       ge::DT_INT8,    ge::DT_UINT8,   ge::DT_UINT8,   ge::DT_UINT8,   ge::DT_UINT8,
                       ge::DT_UINT8,   ge::DT_UINT8,   ge::DT_UINT8,   ge::DT_BOOL,    ge::DT_BOOL,
                       ge::DT_BOOL,    ge::DT_BOOL,    ge::DT_BOOL,    ge::DT_BOOL,    ge::DT_BOOL,
                       ge::DT_INT64,   ge::DT_INT64,   ge::DT_INT64,   ge::DT_INT64,   ge::DT_INT64,
                       ge::DT_INT64,   ge::DT_INT64,   ge::DT_INT64,   ge::DT_BF16,    ge::DT_BF16,
                       ge::DT_BF16,    ge::DT_BF16,    ge::DT_BF16,    ge::DT_BF16,    ge::DT_INT16,
                       ge::DT_INT16,   ge::DT_INT16,   ge::DT_INT16,   ge::DT_INT16,   ge::DT_INT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType(
                {ge::DT_FLOAT, ge::DT_INT8,    ge::DT_INT32,   ge::DT_INT16,   ge::DT_UINT8,   ge::DT_BOOL,
                 ge::DT_BF16,  ge::DT_FLOAT16, ge::DT_BF16,    ge::DT_INT32,   ge::DT_INT64,   ge::DT_BOOL,
                 ge::DT_INT8,  ge::DT_UINT8,   ge::DT_INT16,   ge::DT_FLOAT,   ge::DT_FLOAT16, ge::DT_BF16,
                 ge::DT_INT8,  ge::DT_UINT8,   ge::DT_INT16,   ge::DT_INT64,   ge::DT_BOOL,    ge::DT_FLOAT16,
                 ge::DT_FLOAT, ge::DT_INT32,   ge::DT_UINT8,   ge::DT_BOOL,    ge::DT_BF16,    ge::DT_INT16,
                 ge::DT_INT64, ge::DT_FLOAT16, ge::DT_FLOAT,   ge::DT_INT32,   ge::DT_INT8,    ge::DT_INT16,
                 ge::DT_BF16,  ge::DT_INT64,   ge::DT_FLOAT16, ge::DT_FLOAT,   ge::DT_INT32,   ge::DT_INT8,
                 ge::DT_UINT8, ge::DT_BF16,    ge::DT_INT64,   ge::DT_FLOAT16, ge::DT_FLOAT,   ge::DT_INT8,
                 ge::DT_INT32, ge::DT_UINT8,   ge::DT_BOOL,    ge::DT_INT16,   ge::DT_BF16,    ge::DT_FLOAT16,
                 ge::DT_FLOAT, ge::DT_INT8,    ge::DT_INT32,   ge::DT_UINT8,   ge::DT_BOOL,    ge::DT_FLOAT16,
                 ge::DT_FLOAT, ge::DT_INT8,    ge::DT_INT32,   ge::DT_UINT8,   ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("dst_type").AttrType(REQUIRED).Int();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(CastMath);
}  // namespace ops
