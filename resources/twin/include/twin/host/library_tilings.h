// The tiling framework under the names that operator libraries give it.
#pragma once

#include "twin/host/base_contexts.h"
#include "twin/host/log.h"
#include "twin/host/plain_names.h"
#include "twin/host/tiling_templates.h"
#include "twin/host/type_utils.h"

namespace optiling {
using Ops::Base::EnsureNotScalar;
}  // namespace optiling

#define TWIN_TILING_FRAMEWORK        \
    using optiling::AiCoreParams;    \
    using optiling::Register;        \
    using optiling::TilingBaseClass; \
    using optiling::TilingRegistry;

namespace Ops {
namespace Base {
TWIN_TILING_FRAMEWORK
}  // namespace Base
namespace Math {
namespace OpTiling {
TWIN_TILING_FRAMEWORK
using Base::EnsureNotScalar;
}  // namespace OpTiling
}  // namespace Math
namespace NN {
namespace Optiling {
TWIN_TILING_FRAMEWORK
using Base::EnsureNotScalar;
}  // namespace Optiling
}  // namespace NN
namespace Transformer {
namespace OpTiling {
TWIN_TILING_FRAMEWORK
using Base::EnsureNotScalar;
}  // namespace OpTiling
}  // namespace Transformer
}  // namespace Ops

#undef TWIN_TILING_FRAMEWORK
