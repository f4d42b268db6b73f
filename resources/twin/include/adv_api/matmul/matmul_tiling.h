// Name of the host-side tiling of matrix products; see twin/host/matmul_tiling.h.
#pragma once

#include "twin/host/tiling_api.h"
