// Header name as in CANN; the contents live under twin/host/.
#pragma once

#include "tiling/tiling_type.h"
