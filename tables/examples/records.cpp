// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Grows a forest on a table, and counts the records of another table that it classifies correctly: records TRAIN TEST
// MODEL
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: records TRAIN TEST MODEL\n";
    return 2;
  }
  try {
    fernwood::ThreadPool pool;
    fernwood::records::TableOptions options;
    options.needs_class = true;
    const fernwood::records::RecordTable train = fernwood::records::read_table(argv[1], options, pool);
    fernwood::records::RecordTrainOptions training;
    training.trees = 50;
    const fernwood::records::RecordForest forest = fernwood::records::train_records(train, training, pool);
    fernwood::records::save_records(forest, argv[3]);

    options.match(forest);  // columns by the model's attribute names; only its classes
    const fernwood::records::RecordTable test = fernwood::records::read_table(argv[2], options, pool);
    std::vector<std::int32_t> found(test.labels.size());
    const auto evaluator = fernwood::records::make_record_evaluator(forest, {});  // with the fastest strategy on this
                                                                                  // machine
    evaluator->classify(test.view(), found.data());

    std::size_t right = 0;
    for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == test.labels[i];
    std::cout << right << " of " << found.size() << " records right\n" << evaluator->explain();
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
