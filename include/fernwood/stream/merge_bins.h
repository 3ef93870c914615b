// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/stream/bin.h"

namespace fernwood::stream {

/// Procedure MERGE of Ben-Haim and Tom-Tov (JMLR 2010, algorithm 2) for any number of histograms: the two bins nearest
/// to each other, the leftmost of equals, become one until `max_bins` are left. The result is that of the greedy
/// procedure bit for bit, but comes from few rounds, each of which merges every gap that is smaller than both beside
/// it: gaps never shrink when bins merge, so the order of such merges does not matter, and the greedy procedure's
/// choice are the merges of the smallest gaps.
/// @param bins  Those of all histograms, in any order, which does not matter; equal values are added up first.
/// @param max_bins  >= 2.
/// @return  At most max_bins, ascending.
/// Time: a sort and a round for each step on the longest chain of merges, 15 to 35 for common data; as many rounds as
/// bins when each gap is larger than the one before.
std::vector<Bin> merge_bins(std::vector<Bin> bins, int max_bins);

}  // namespace fernwood::stream
