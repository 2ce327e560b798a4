// How each compiled stage of the registry is made.
#pragma once

#include <memory>

#include "stage.hpp"
#include "word_counts.hpp"

namespace bpe_lab {

std::unique_ptr<Stage> make_cpp_map(const WordRefs& words, const Setup& setup);
std::unique_ptr<Stage> make_cpp_flat(const WordRefs& words, const Setup& setup);
std::unique_ptr<Stage> make_cpp_scan(const WordRefs& words, const Setup& setup);
std::unique_ptr<Stage> make_openmp_scan(const WordRefs& words, const Setup& setup);
std::unique_ptr<Stage> make_cpp_positions(const WordRefs& words, const Setup& setup);
std::unique_ptr<Stage> make_core(const WordRefs& words, const Setup& setup);

inline constexpr struct NamedStage {
  const char* name;
  MakeStage make;
} kStages[] = {
    {"cpp_map", make_cpp_map},         {"cpp_flat", make_cpp_flat},           {"cpp_scan", make_cpp_scan},
    {"openmp_scan", make_openmp_scan}, {"cpp_positions", make_cpp_positions}, {"core", make_core},
};

// Makes a stage from the words of a table.
std::unique_ptr<Stage> make_stage(MakeStage make, const WordCounts& counts, Setup setup);

}  // namespace bpe_lab
