// One compiled stage, or the counter by itself, on one text by one thread, and nothing else: what a simulator
// of a processor looks at, for the suite `processor`. It is compiled with the experiments.
//
//   one_stage [--print] native < FILE                       counts the words
//   one_stage [--print] STAGE VOCAB_SIZE [MERGES] < FILE    also trains for VOCAB_SIZE ids; MERGES: only so many
//
// So what a part costs is the difference of two runs: 0 merges and all of them, the counter and 0 merges, no
// text and a text. With --print it prints what was made (words and their counts, or pairs of ids in their
// order) and the seconds of each phase, which is no part of any difference.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "counter.hpp"
#include "flat_words.hpp"
#include "stage.hpp"

namespace bpe_lab {
namespace {

constexpr char kCounter[] = "native";
constexpr char kSpecialToken[] = "<|endoftext|>";
constexpr std::uint32_t kFirstId = 257;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;  // as native_counter.py has it

std::uint32_t number(const char* word) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(word, &end, 10);
  if (*word < '0' || *word > '9' || *end != '\0' || value >= kMaxIds) {
    throw std::invalid_argument(std::string(word) + " is no number of ids or merges");
  }
  return static_cast<std::uint32_t>(value);
}

// The system calls are the kernel's work, which is in no simulated count.
std::ptrdiff_t read_input(void*, std::uint8_t* into, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(STDIN_FILENO, into, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

WordCounts count_input() {
  // Never before the end: how often it is called while it counts would depend on the clock.
  const ProgressCallback report{[](void*) { return true; }, nullptr, std::chrono::hours(24)};
  Counted counted = count_files({{read_input, nullptr}}, {kSpecialToken}, 1, kBlockBytes, false, report);
  if (counted.invalid.found) throw std::runtime_error("the text is not UTF-8: mend it");
  return std::move(counted.words);
}

void print_words(const WordCounts& words) {
  Checkpoint checkpoint;
  for (const WordRef& word : words_by_count(words, checkpoint)) {
    std::fputs("word ", stdout);
    for (std::uint32_t at = 0; at < word.length; ++at) std::printf("%02x", word.bytes[at]);
    std::printf(" %llu\n", static_cast<unsigned long long>(word.count));
  }
}

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(begin_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

[[noreturn]] void end() {
  std::fflush(stdout);
  // Nothing is taken down: after all merges that would cost other than after none.
  std::_Exit(EXIT_SUCCESS);
}

void run(std::vector<const char*> words) {
  const bool print = !words.empty() && std::strcmp(words[0], "--print") == 0;
  if (print) words.erase(words.begin());
  const bool counts_only = words.size() == 1 && std::strcmp(words[0], kCounter) == 0;
  if (!counts_only && (words.size() < 2 || words.size() > 3)) {
    throw std::invalid_argument("usage: one_stage [--print] native | STAGE VOCAB_SIZE [MERGES] < FILE");
  }
  const MakeStage make = counts_only ? nullptr : stage_named(words[0]);
  const std::uint32_t vocab_size = counts_only ? kFirstId : std::max(kFirstId, number(words[1]));
  std::uint32_t merges = vocab_size - kFirstId;
  if (words.size() > 2) merges = std::min(merges, number(words[2]));

  Clock clock;
  const WordCounts table = count_input();
  const double count_seconds = clock.lap();
  if (counts_only) {
    if (print) {
      std::printf("seconds count %.9f\n", count_seconds);
      print_words(table);
    }
    end();
  }
  Setup setup;
  setup.first_id = kFirstId;
  setup.end_id = vocab_size;
  const std::unique_ptr<Stage> stage = make_stage(make, table, setup);
  stage->count_pairs();
  const double set_up_seconds = clock.lap();
  std::vector<Choice> chosen;
  chosen.reserve(vocab_size - kFirstId);  // for any number of merges the same
  while (chosen.size() < merges) {
    const Choice choice = stage->select();
    if (choice.count == 0) break;
    stage->update(choice.left, choice.right, kFirstId + static_cast<std::uint32_t>(chosen.size()));
    chosen.push_back(choice);
  }
  const double merge_seconds = clock.lap();
  if (print) {
    std::printf("seconds count %.9f\nseconds set_up %.9f\nseconds merge %.9f\n", count_seconds, set_up_seconds,
                merge_seconds);
    for (const Choice& choice : chosen) std::printf("merge %u %u\n", choice.left, choice.right);
  }
  end();
}

}  // namespace
}  // namespace bpe_lab

int main(int n_words, char** words) {
  try {
    bpe_lab::run({words + 1, words + n_words});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "one_stage: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
