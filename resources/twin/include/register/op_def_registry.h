// Header name as in CANN; the contents live under twin/host/.
#pragma once

#include "twin/host/op_def.h"
#include "twin/host/tiling_data.h"
