// The host's library of tiling functions has no part in a kernel.
#pragma once
