#include "expose/base/pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "expose/base/error.hpp"

namespace expose {
namespace {

// Where this thread is: inside a block of which pool, as which worker.
struct Place {
  const Pool* pool = nullptr;
  std::size_t worker = 0;
};
thread_local Place t_place;

class Enter {
 public:
  explicit Enter(Place place) : outer_(std::exchange(t_place, place)) {}
  ~Enter() { t_place = outer_; }
  Enter(const Enter&) = delete;
  Enter& operator=(const Enter&) = delete;

 private:
  Place outer_;
};

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

Pool::Pool(std::size_t threads) {
  if (threads > kMostThreads) {
    throw Error(Code::invalid_argument,
                std::to_string(threads) + " threads are asked for, a pool has at most " + std::to_string(kMostThreads));
  }
  if (threads == 0) threads = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  helpers_.reserve(threads - 1);
  for (std::size_t worker = 1; worker < threads; ++worker) {
    helpers_.emplace_back([this, worker](const std::stop_token& end) { help(end, worker); });
  }
}

Pool::~Pool() {
  // All at once; joining one by one would let each sleep until its turn.
  for (std::jthread& helper : helpers_) helper.request_stop();
}

void Pool::run(std::size_t blocks, const std::function<void(std::size_t, std::size_t)>& work, std::stop_token stop) {
  Job job{.blocks = blocks, .work = work, .stop = std::move(stop)};
  if (t_place.pool == this) {
    job.work_through(t_place.worker);
  } else {
    const std::lock_guard lock(one_run_);
    const Enter enter({this, 0});
    if (blocks <= 1 || helpers_.empty()) {
      job.work_through(0);
    } else {
      share(job);
    }
  }
  job.conclude();
}

// Works as worker 0 beside the helpers, and returns when none of them knows the job any more.
void Pool::share(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    ++job_number_;
  }
  job_came_.notify_all();
  job.work_through(0);
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  helpers_left_.wait(lock, [this] { return helping_ == 0; });
}

// The life of a helper: sleep, join the job if it is a new one, sleep.
void Pool::help(const std::stop_token& end, std::size_t worker) {
  const Enter enter({this, worker});
  std::uint64_t joined = 0;
  std::unique_lock lock(mutex_);
  while (job_came_.wait(lock, end, [&] { return job_ != nullptr && job_number_ != joined; })) {
    Job& job = *job_;
    joined = job_number_;
    ++helping_;
    lock.unlock();
    job.work_through(worker);
    lock.lock();
    if (--helping_ == 0) helpers_left_.notify_one();
  }
}

}  // namespace expose
