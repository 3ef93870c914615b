// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA: the kernels of its other files in one table.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

extern const KernelsOf<MergeArgs> merge_kernels_table;
extern const KernelsOf<LayerArgs> layer_kernels_table;
extern const KernelsOf<WalkArgsOf> walk_kernels_table;
extern const GatherKernel gather_kernels_table[3];
extern const RankKernels rank_kernels_table;
extern const SumKernel sum_kernel;

extern const EvaluationKernels evaluation_kernels_table;
const EvaluationKernels evaluation_kernels_table = {&merge_kernels_table, &layer_kernels_table, &walk_kernels_table,
                                                    gather_kernels_table, &rank_kernels_table,  &sum_kernel};

}  // namespace fernwood::records::FW_ISA
