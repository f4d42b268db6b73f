// The tiling framework under the names that the operator libraries for networks and transformers give it.
#pragma once

#include "twin/host/log.h"
#include "twin/host/tiling_templates.h"

namespace optiling {
/// The shape of a tensor for loops over its axes: a scalar is one of length 1.
inline const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
    static const gert::Shape one{1};
    return shape.GetDimNum() == 0 ? one : shape;
}
}  // namespace optiling

namespace Ops {
namespace Transformer {
namespace OpTiling {
using optiling::EnsureNotScalar;
using optiling::Register;
using optiling::TilingBaseClass;
using optiling::TilingRegistry;
}  // namespace OpTiling
}  // namespace Transformer
namespace NN {
namespace Optiling {
using optiling::EnsureNotScalar;
using optiling::Register;
using optiling::TilingBaseClass;
using optiling::TilingRegistry;
}  // namespace Optiling
}  // namespace NN
}  // namespace Ops
