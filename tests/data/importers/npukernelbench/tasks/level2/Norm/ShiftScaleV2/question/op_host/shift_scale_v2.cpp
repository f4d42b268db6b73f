#include "register/op_def_registry.h"
namespace ops {
static const std::vector<ge::DataType> types = {ge::DT_FLOAT, ge::DT_COMPLEX128};
class ShiftScaleV2 : public OpDef {
public:
    explicit ShiftScaleV2(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType(types).FormatList({ge::FORMAT_ND});
        this->Input("gamma").ParamType(REQUIRED).DataType(types).FormatList({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType(types).FormatList({ge::FORMAT_ND});
        this->Output("total").ParamType(REQUIRED).DataType(types).FormatList({ge::FORMAT_ND});
        this->Attr("shift").AttrType(OPTIONAL).Float(0.5f);
        this->Attr("axes").AttrType(OPTIONAL).ListInt({0, 1});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ShiftScaleV2);
} // namespace ops
