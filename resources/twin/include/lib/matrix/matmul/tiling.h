// The Matmul object; see twin/lib/matmul.h.
#pragma once

#include "kernel_operator.h"
#include "twin/lib/matmul.h"
