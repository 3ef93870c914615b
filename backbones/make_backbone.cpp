// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Makes a backbone file during the build, from the arrays that weights.py has written:
//   make_backbone ARRAYS WEIGHTS SOURCE LICENCE OUT

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "fernwood/backbone/backbone.h"
#include "fernwood/core/parallel.h"

namespace {

fernwood::backbone::StateDict read_arrays(const char* path) {
  fernwood::backbone::StateDict state;
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::badbit);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    fernwood::backbone::Tensor& tensor = state[name];
    std::size_t count = 1;
    for (std::int64_t size = 0; words >> size;) {
      tensor.shape.push_back(size);
      count *= static_cast<std::size_t>(size);
    }
    tensor.values.resize(count);
    file.read(reinterpret_cast<char*>(tensor.values.data()), static_cast<std::streamsize>(count * sizeof(float)));
  }
  return state;
}

}  // namespace

int main(int, char** argv) try {
  fernwood::ThreadPool pool(1);
  const fernwood::backbone::ImportOptions options{.name = {}, .source = argv[3], .licence = argv[4]};
  import_backbone(argv[2], read_arrays(argv[1]), {}, options, argv[5], pool);
} catch (const std::exception& failure) {
  std::cerr << "make_backbone: " << failure.what() << "\n";
  return 1;
}
