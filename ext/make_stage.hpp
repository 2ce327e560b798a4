// The compiled stages by name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ablations.hpp"
#include "core.hpp"
#include "positions_stage.hpp"
#include "threads.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

inline std::unique_ptr<Stage> make_stage(const std::string& name, const WordTable& table,
                                         Setup setup) {
  const std::vector<WordRef> words = words_by_count(table, setup.go_on);
  if (name == "cpp_map") return std::make_unique<HeapStage<NodeMap>>(words, setup);
  if (name == "cpp_flat") return std::make_unique<HeapStage<FlatMap>>(words, setup);
  if (name == "cpp_scan") setup.threads = 1;
  if (name == "openmp_scan" || name == "openmp_scan_always" || name == "cpp_positions") {
    require_threads(setup.threads);
  }
  if (name == "cpp_scan" || name == "openmp_scan") return std::make_unique<ScanStage>(words, setup);
  if (name == "openmp_scan_always") return std::make_unique<ScanStage>(words, setup, 0);
  if (name == "cpp_positions") return std::make_unique<PositionsStage>(words, setup);
  // For tests: positions of 64 bits, and, on a small text, several threads and pairs of both kinds.
  const bool wide = FlatWords::cells_needed(words) > 0xFFFFFFFFu;
  if (name == "core_wide" || (name == "core" && wide)) {
    return std::make_unique<Core<std::uint64_t>>(words, setup);
  }
  if (wide) throw std::length_error(name + " holds 4 GB of distinct words at most: take core");
  if (name == "core") return std::make_unique<Core<std::uint32_t>>(words, setup);
  if (name == "core_parts") {
    CoreOptions options;
    options.least_part = 1;
    options.few = 2;
    return std::make_unique<Core<std::uint32_t>>(words, setup, options);
  }
  // Ablations, see ablations.hpp.
  if (name == "core_no_floor") {
    CoreOptions options;
    options.floor = false;
    return std::make_unique<Core<std::uint32_t>>(words, setup, options);
  }
  if (name == "core_all_in_table") {
    CoreOptions options;
    options.few = 0;
    return std::make_unique<Core<std::uint32_t>>(words, setup, options);
  }
  if (name == "core_looked_up_weights") {
    return std::make_unique<Core<std::uint32_t, WordsWithNumbers>>(words, setup);
  }
  if (name == "core_unsorted_places") {
    return std::make_unique<Core<std::uint32_t, WordsInAnyOrder>>(words, setup);
  }
  throw std::invalid_argument("no compiled stage is called " + name);
}

}  // namespace bpe_lab
