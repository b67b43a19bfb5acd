// Pool: a fixed number of threads that work through numbered blocks.
//
// Blocks are handed out in ascending order, each exactly once; which thread takes which block is up to chance, so work
// must not depend on it (law 1: add into integers, or keep one result a block). Between runs the threads sleep.
// Threads may share a pool: their runs follow one another. After a fork the child starts threads of its own when it
// first has work for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <stop_token>

#include "expose/base/api.hpp"

namespace expose {

class EXPOSE_API Pool {
 public:
  // More than any machine has: a larger number is a mistake, such as -1 turned unsigned.
  static constexpr std::size_t kMostThreads = 4096;

  // 0 = as many as the machine has cores. The calling thread is one of them, so Pool(1) starts none.
  // Throws Code::invalid_argument for more than kMostThreads, std::system_error where the system has no more threads.
  explicit Pool(std::size_t threads = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::size_t threads() const { return threads_; }

  // Calls work(block, worker) for every block in 0 .. blocks-1 and returns when all have ended. worker < threads(),
  // and no two blocks have the same worker at the same time: it is the index of per-thread scratch memory.
  //
  // If blocks throw, no further ones are started, and the exception of the lowest of them is thrown here. This is
  // always the same one: the blocks below it have all run. If `stop` is requested before the last block was started,
  // throws Code::cancelled. Both only after all started blocks have ended; the pool can be used again. The calling
  // thread looks up (interrupt.hpp) before each of its blocks, as if that were part of the block.
  //
  // A run from inside a block of the same pool goes through its blocks alone, on the worker of that block; also from
  // inside a block of a second pool that the same thread has taken meanwhile. A block must not wait for another thread
  // that runs on this pool, a helper of a second pool included: it in turn waits for this run.
  void run(std::size_t blocks, const std::function<void(std::size_t block, std::size_t worker)>& work,
           std::stop_token stop = {});

 private:
  struct Job;
  struct Crew;

  Crew& crew();

  std::size_t threads_;
  std::atomic<Crew*> crew_;
};

// work(i) for i in 0 .. n-1: on all threads of the pool, or one after the other without one.
template <class Work>
void each(Pool* pool, std::size_t n, const Work& work) {
  if (pool != nullptr) return pool->run(n, [&](std::size_t i, std::size_t) { work(i); });
  for (std::size_t i = 0; i < n; ++i) work(i);
}

}  // namespace expose
