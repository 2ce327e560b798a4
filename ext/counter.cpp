#include "counter.hpp"

#include <atomic>
#include <exception>
#include <mutex>

#include "threads.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

Counted count_files(std::vector<Source> sources,
                    const std::vector<std::string>& special_tokens, int threads, std::size_t block_bytes, bool replace,
                    const ProgressCallback& report, PatternId pattern) {
  const SpecialTokens specials(special_tokens);
  BlockReader reader(std::move(sources), specials, block_bytes, replace, pattern);
  Counted result;
  require_threads(threads);
  require_stacks(threads);
  result.words.make_parts();
  std::timed_mutex reading;
  std::mutex failing;
  std::exception_ptr failure;
  std::atomic<bool> stop{false};
  const WithoutSignals without(threads);

#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
  {
    without.all_started();
#ifdef _OPENMP
    const int thread = omp_get_thread_num();
#else
    const int thread = 0;
#endif
    try {
      BlockCounter counter(result.words, specials, pattern);
      Block block;
      auto reported = std::chrono::steady_clock::now();
      while (!stop) {
        block.text.size = 0;
        // One thread reads at a time. Nobody waits for long: where reading takes longer than counting, others may always
        // be faster, and the one that waits may be the one that reports. (By the clock of the system: the thread
        // sanitizer of GCC 12 does not see a lock that waits by the steady one.)
        const auto patience = std::chrono::system_clock::now() + kReportEvery;
        if (const std::unique_lock<std::timed_mutex> turn(reading, patience); turn) {
          if (stop || !reader.next(block)) break;
        }
        const std::uint8_t* const at = counter.add(block);
        if (at != block.text.end()) {
          stop = true;
          const std::uint64_t offset =
              block.offset + static_cast<std::uint64_t>(at - block.text.begin());
          const std::lock_guard<std::mutex> lock(failing);
          // Blocks are handed out in order, so those before the first bad one are all in work.
          InvalidText& first = result.invalid;
          if (!first.found || block.file < first.file ||
              (block.file == first.file && offset < first.offset)) {
            first = {true, block.file, offset, *at};
          }
        }
        if (thread == 0) {
          const auto now = std::chrono::steady_clock::now();
          if (now - reported >= report.every) {
            reported = now;
            if (!report.call(report.context)) {
              result.interrupted = true;
              stop = true;
            }
          }
        }
      }
      counter.finish();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace bpe_lab
