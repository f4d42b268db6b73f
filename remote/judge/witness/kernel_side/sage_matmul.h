// What a kernel that includes the matrix library begins with, precompiled: half of such a compile is that
// library.
#pragma once
#include "sage_kernel.h"

#include "lib/matmul_intf.h"
