// Divides the rows of a table for training, validation and testing.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "learning/tables/table.h"

namespace haplospin {

// Returns the rows in which every target has a value.
std::vector<size_t> LabeledRows(const Table& table, const std::vector<std::string>& targets);

// Throws InputError if a target has no values or is constant in the rows at `labeled`, or if these are too few.
void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labeled);

// Groups of rows that every part of a split should have in the same proportion: the classes of a categorical target,
// fifths of the values of a numeric one, and the rows without a value.
std::vector<uint32_t> Strata(const Column& target);

// `rows` in an order in which every contiguous part has the strata (one for each of `rows`) in about the same
// proportion.
std::vector<size_t> StratifiedOrder(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata,
                                    RandomStream& random);

// The part (0, 1, ..., parts - 1) of each row; parts and their strata differ in size by one row at most.
std::vector<size_t> StratifiedParts(const std::vector<uint32_t>& strata, size_t parts, RandomStream& random);

// Chooses at most `max_rows` of the rows, stratified, in ascending order.
std::vector<size_t> ContextRows(const std::vector<size_t>& rows, const std::vector<uint32_t>& table_strata,
                                int64_t max_rows, uint64_t seed);

// Row numbers as an index of tensors, int64.
torch::Tensor RowTensor(const std::vector<size_t>& rows, torch::Device device);

}  // namespace haplospin
