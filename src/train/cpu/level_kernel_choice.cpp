// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Selects the kernel variant for a CPU: level_kernels.cpp is compiled once for each instruction set.

#include "core/isa.h"
#include "train/cpu/level_kernels.h"

namespace fernwood::train {

FW_ISA_TABLES(LevelKernels, level_kernels_table)

const LevelKernels& level_kernels(Isa isa) { return level_kernels_table_of(isa); }

}  // namespace fernwood::train
