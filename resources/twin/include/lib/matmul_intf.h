// The Matmul object needs cube cores, which the twin does not simulate.
#pragma once

#error "Matmul (lib/matmul_intf.h) needs cube cores; the CPU twin simulates vector cores only. Judge this kernel on a card."
