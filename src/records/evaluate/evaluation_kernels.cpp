// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which
// other files might share: only FW_HD formulas and plain data. Sums of rows, and the kernels of the other files in a
// table.
#include <cstring>

#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

namespace {

/// Read as a whole before it is written: the compiler makes vectors of it.
FW_HD void add_piece(const std::int32_t* row, std::int32_t* sums) {
  typedef std::int32_t Piece __attribute__((vector_size(kRowPiece * sizeof(std::int32_t))));
  Piece added, sum;
  std::memcpy(&added, row, sizeof added);
  std::memcpy(&sum, sums, sizeof sum);
  sum += added;
  std::memcpy(sums, &sum, sizeof sum);
}

void add_rows(const AddRowsArgs& given) {
  const AddRowsArgs args = given;
  if (args.width == kRowPiece) {  // most forests have no more classes: no loop over pieces
    for (std::size_t i = 0; i < args.num_records; ++i)
      add_piece(args.rows + static_cast<std::size_t>(args.answers[i]) * kRowPiece, args.sums + i * kRowPiece);
    return;
  }
  for (std::size_t i = 0; i < args.num_records; ++i)
    for (std::size_t k = 0; k < args.width; k += kRowPiece)
      add_piece(args.rows + static_cast<std::size_t>(args.answers[i]) * args.width + k, args.sums + i * args.width + k);
}

}  // namespace

extern const KernelsOf<MergeArgs> merge_kernels_table;
extern const KernelsOf<LayerArgs> layer_kernels_table;
extern const KernelsOf<WalkArgsOf> walk_kernels_table;
extern const GatherKernel gather_kernels_table[3];
extern const RankKernels rank_kernels_table;

extern const EvaluationKernels evaluation_kernels_table;
const EvaluationKernels evaluation_kernels_table = {&merge_kernels_table, &layer_kernels_table, &walk_kernels_table,
                                                    gather_kernels_table, &rank_kernels_table,  add_rows};

}  // namespace fernwood::records::FW_ISA
