#include "expose/base/pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "expose/base/error.hpp"
#include "expose/base/interrupt.hpp"

namespace expose {
namespace {

// Where this thread is: inside a block of which pool, as which worker, inside of what.
struct Place {
  const Pool* pool;
  std::size_t worker;
  const Place* outer;
};
thread_local const Place* t_innermost = nullptr;

class Enter {
 public:
  Enter(const Pool* pool, std::size_t worker) : place_{pool, worker, t_innermost} { t_innermost = &place_; }
  ~Enter() { t_innermost = place_.outer; }
  Enter(const Enter&) = delete;
  Enter& operator=(const Enter&) = delete;

 private:
  const Place place_;
};

// Null where this thread is in no block of the pool.
const Place* place_in(const Pool* pool) {
  const Place* place = t_innermost;
  while (place != nullptr && place->pool != pool) place = place->outer;
  return place;
}

// How many forks lie between the first process and this one. Threads do not come along, and mutexes stay as they were.
std::atomic<std::uint64_t> g_forks = 0;
#if defined(__unix__) || defined(__APPLE__)
[[maybe_unused]] const int kRegistered = pthread_atfork(nullptr, nullptr, [] { ++g_forks; });
#endif

}  // namespace

// One run: what is to be done and how far it has come. Lives on the stack of the thread that called run.
struct Pool::Job {
  const std::size_t blocks;
  const std::function<void(std::size_t, std::size_t)>& work;
  const std::stop_token stop;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex = {};  // guards the next two
  std::size_t failed_block = 0;
  std::exception_ptr error = {};

  // Takes blocks until none are left. A block that was taken is run, whatever happens meanwhile: only so have all
  // blocks below a failed one been run.
  void work_through(std::size_t worker) {
    while (!failed && !stop.stop_requested()) {
      const std::size_t block = next.fetch_add(1);
      if (block >= blocks) return;
      try {
        look_up();
        work(block, worker);
      } catch (...) {
        fail(block, std::current_exception());
      }
    }
  }

  void fail(std::size_t block, std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (!error || block < failed_block) {
      failed_block = block;
      error = std::move(why);
    }
    failed = true;
  }

  // REQUIRES: nobody is working on it any more.
  void conclude() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
    if (next < blocks) {
      throw Error(Code::cancelled,
                  "stopped on request after " + std::to_string(next) + " of " + std::to_string(blocks) + " blocks");
    }
  }
};

// The helpers, and how they hear of jobs.
struct Pool::Crew {
  std::mutex one_run = {};       // held by the thread whose run it is
  std::mutex mutex = {};         // guards the next three
  Job* job = nullptr;            // what helpers may join
  std::uint64_t job_number = 0;  // so that a helper joins each job once
  std::size_t helping = 0;       // helpers inside the job
  std::condition_variable_any job_came = {};
  std::condition_variable helpers_left = {};
  const std::uint64_t forks = g_forks;
  std::vector<std::jthread> helpers = {};  // last: ends before what it uses

  Crew(const Pool* pool, std::size_t threads) {
    helpers.reserve(threads - 1);
    for (std::size_t worker = 1; worker < threads; ++worker) {
      helpers.emplace_back([this, pool, worker](const std::stop_token& end) { help(end, pool, worker); });
    }
  }
  ~Crew() {
    // All at once; joining one by one would let each sleep until its turn.
    for (std::jthread& helper : helpers) helper.request_stop();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Works as worker 0 beside the helpers, and returns when none of them knows the job any more.
  void share(Job& shared) {
    {
      const std::lock_guard lock(mutex);
      job = &shared;
      ++job_number;
    }
    job_came.notify_all();
    shared.work_through(0);
    std::unique_lock lock(mutex);
    job = nullptr;
    helpers_left.wait(lock, [this] { return helping == 0; });
  }

  // The life of a helper: sleep, join the job if it is a new one, sleep.
  void help(const std::stop_token& end, const Pool* pool, std::size_t worker) {
    const Enter enter(pool, worker);
    std::uint64_t joined = 0;
    std::unique_lock lock(mutex);
    while (job_came.wait(lock, end, [&] { return job != nullptr && job_number != joined; })) {
      Job& mine = *job;
      joined = job_number;
      ++helping;
      lock.unlock();
      mine.work_through(worker);
      lock.lock();
      if (--helping == 0) helpers_left.notify_one();
    }
  }
};

namespace {

std::size_t at_least_one(std::size_t threads) {
  if (threads > Pool::kMostThreads) {
    throw Error(Code::invalid_argument, std::to_string(threads) + " threads are asked for, a pool has at most " +
                                            std::to_string(Pool::kMostThreads));
  }
  return threads != 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

Pool::Pool(std::size_t threads) : threads_(at_least_one(threads)), crew_(new Crew(this, threads_)) {}

// A crew of before a fork is left as it is: nobody could be waited for.
Pool::~Pool() {
  if (Crew* const crew = crew_; crew->forks == g_forks) delete crew;
}

Pool::Crew& Pool::crew() {
  Crew* crew = crew_;
  if (crew->forks == g_forks) return *crew;
  auto fresh = std::make_unique<Crew>(this, threads_);
  return crew_.compare_exchange_strong(crew, fresh.get()) ? *fresh.release() : *crew;
}

void Pool::run(std::size_t blocks, const std::function<void(std::size_t, std::size_t)>& work, std::stop_token stop) {
  Job job{.blocks = blocks, .work = work, .stop = std::move(stop)};
  if (const Place* const place = place_in(this)) {
    job.work_through(place->worker);
  } else {
    Crew& crew = this->crew();
    const std::lock_guard lock(crew.one_run);
    const Enter enter(this, 0);
    if (blocks <= 1 || threads_ == 1) {
      job.work_through(0);
    } else {
      crew.share(job);
    }
  }
  job.conclude();
}

}  // namespace expose
