#pragma once
#include "kern_fwk.h"

int64_t get_block_idx();
