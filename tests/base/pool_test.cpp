#include "expose/base/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <latch>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

TEST(Pool, HasTheThreadsAskedFor) {
  EXPECT_EQ(Pool(1).threads(), 1u);
  EXPECT_EQ(Pool(3).threads(), 3u);
  EXPECT_EQ(Pool(0).threads(), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(Pool, RefusesMoreThreadsThanItCanMean) {
  EXPECT_EQ(complaint([] { Pool pool(4097); }),
            "invalid_argument: 4097 threads are asked for, a pool has at most 4096");
  EXPECT_EQ(complaint([] { Pool pool(std::numeric_limits<std::size_t>::max()); }),
            "invalid_argument: " + std::to_string(std::numeric_limits<std::size_t>::max()) +
                " threads are asked for, a pool has at most 4096");
}

TEST(Pool, RunsEveryBlockOnce) {
  for (const std::size_t threads : {1U, 2U, 4U, 7U}) {
    Pool pool(threads);
    for (const std::size_t blocks : {0U, 1U, 2U, 3U, 100U, 1000U}) {
      std::vector<int> runs(blocks);
      pool.run(blocks, [&](std::size_t block, std::size_t) { ++runs[block]; });
      EXPECT_EQ(runs, std::vector<int>(blocks, 1)) << threads << " threads";
    }
  }
}

TEST(Pool, GivesEachWorkerOneBlockAtATime) {
  Pool pool(4);
  std::vector<std::atomic<int>> busy(pool.threads());
  std::atomic<int> clashes = 0;
  pool.run(2000, [&](std::size_t, std::size_t worker) {
    if (busy.at(worker).fetch_add(1) != 0) ++clashes;
    std::this_thread::yield();
    --busy.at(worker);
  });
  EXPECT_EQ(clashes, 0);
}

// Four blocks that wait for each other end only if four threads run them at the same time.
TEST(Pool, WorksOnAllItsThreadsAtOnce) {
  Pool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::latch all_here(4);
    std::vector<int> worked(4);
    pool.run(4, [&](std::size_t, std::size_t worker) {
      all_here.arrive_and_wait();
      ++worked[worker];
    });
    EXPECT_EQ(worked, std::vector<int>(4, 1));
  }
}

// The blocks wait for each other, so each of the two threads has one.
TEST(Pool, UsesTheCallingThreadToo) {
  Pool pool(2);
  std::latch both_here(2);
  std::vector<std::thread::id> ids(2);
  pool.run(2, [&](std::size_t, std::size_t worker) {
    both_here.arrive_and_wait();
    ids[worker] = std::this_thread::get_id();
  });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_NE(ids[1], std::this_thread::get_id());
}

TEST(Pool, RunsInlineAndInOrderWhereOneThreadIsEnough) {
  Pool one(1);
  std::vector<std::size_t> order;
  one.run(4, [&](std::size_t block, std::size_t worker) {
    EXPECT_EQ(worker, 0u);
    order.push_back(block);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));

  Pool four(4);
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 100; ++round) {
    four.run(1, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  }
}

TEST(Pool, ThrowsTheExceptionOfTheLowestFailingBlock) {
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Pool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<bool>> ran(300);
      std::string what;
      try {
        pool.run(ran.size(), [&](std::size_t block, std::size_t) {
          ran[block] = true;
          if (block % 7 == 6) throw std::runtime_error("block " + std::to_string(block));
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      EXPECT_EQ(what, "block 6");
      for (std::size_t block = 0; block < 7; ++block) EXPECT_TRUE(ran[block]);
    }
  }
}

// Block 1 fails while block 0 is still waiting: the order of numbers counts, not the order in time.
TEST(Pool, PrefersTheLowerBlockToTheEarlierFailure) {
  Pool pool(2);
  std::latch one_fails(1);  // counted down just before: nothing can be observed after the failure itself
  const auto work = [&](std::size_t block, std::size_t) {
    if (block == 1) {
      one_fails.count_down();
      throw Error(Code::corrupt, "one");
    }
    one_fails.wait();
    std::this_thread::yield();
    throw Error(Code::corrupt, "zero");
  };
  EXPECT_EQ(complaint([&] { pool.run(2, work); }), "corrupt: zero");
}

TEST(Pool, StartsNoBlocksAfterAFailure) {
  Pool pool(1);
  std::size_t ran = 0;
  const auto work = [&](std::size_t block, std::size_t) {
    ++ran;
    if (block == 3) throw Error(Code::not_found, "block 3");
  };
  EXPECT_EQ(complaint([&] { pool.run(1000, work); }), "not_found: block 3");
  EXPECT_EQ(ran, 4u);
}

TEST(Pool, CanBeUsedAgainAfterAFailure) {
  Pool pool(3);
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(pool.run(10, [](std::size_t, std::size_t) { throw std::logic_error("no"); }), std::logic_error);
    std::atomic<int> ran = 0;
    pool.run(10, [&](std::size_t, std::size_t) { ++ran; });
    EXPECT_EQ(ran, 10);
  }
}

TEST(Pool, StopsOnRequestAndSaysHowFarItCame) {
  Pool pool(1);
  std::stop_source source;
  const auto work = [&](std::size_t block, std::size_t) {
    if (block == 2) source.request_stop();
  };
  EXPECT_EQ(complaint([&] { pool.run(5, work, source.get_token()); }),
            "cancelled: stopped on request after 3 of 5 blocks");
  EXPECT_EQ(complaint([&] { pool.run(5, work, source.get_token()); }),
            "cancelled: stopped on request after 0 of 5 blocks");
  EXPECT_EQ(complaint([&] { pool.run(5, work); }), "no complaint");
}

TEST(Pool, EndsStartedBlocksBeforeItReportsTheStop) {
  Pool pool(4);
  for (int round = 0; round < 100; ++round) {
    std::stop_source source;
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    const auto work = [&](std::size_t block, std::size_t) {
      ++begun;
      if (block == 5) source.request_stop();
      std::this_thread::yield();
      ++ended;
    };
    const std::string sentence = complaint([&] { pool.run(100'000, work, source.get_token()); });
    EXPECT_EQ(sentence, "cancelled: stopped on request after " + std::to_string(begun) + " of 100000 blocks");
    EXPECT_EQ(begun, ended);
  }
}

// The work is complete, so there is nothing to complain about.
TEST(Pool, AStopDuringTheLastBlockComesTooLate) {
  Pool pool(1);
  std::stop_source source;
  const auto work = [&](std::size_t block, std::size_t) {
    if (block == 4) source.request_stop();
  };
  EXPECT_EQ(complaint([&] { pool.run(5, work, source.get_token()); }), "no complaint");
}

TEST(Pool, AFailureOutweighsAStop) {
  Pool pool(1);
  std::stop_source source;
  const auto work = [&](std::size_t, std::size_t) {
    source.request_stop();
    throw Error(Code::overflow, "too much");
  };
  EXPECT_EQ(complaint([&] { pool.run(5, work, source.get_token()); }), "overflow: too much");
}

TEST(Pool, ARunInsideABlockStaysOnItsWorker) {
  for (const std::size_t threads : {1U, 4U}) {
    Pool pool(threads);
    std::atomic<int> inner_blocks = 0;
    pool.run(20, [&](std::size_t, std::size_t outer_worker) {
      const auto id = std::this_thread::get_id();
      std::size_t expected = 0;
      pool.run(5, [&](std::size_t block, std::size_t worker) {
        EXPECT_EQ(worker, outer_worker);
        EXPECT_EQ(std::this_thread::get_id(), id);
        EXPECT_EQ(block, expected++);
        ++inner_blocks;
      });
    });
    EXPECT_EQ(inner_blocks, 100);
  }
}

TEST(Pool, AFailureInsideARunInsideABlockComesOut) {
  Pool pool(2);
  const auto inner = [](std::size_t block, std::size_t) {
    if (block == 1) throw Error(Code::not_found, "inner");
  };
  EXPECT_EQ(complaint([&] { pool.run(4, [&](std::size_t, std::size_t) { pool.run(3, inner); }); }), "not_found: inner");
}

TEST(Pool, BlocksMayUseAnotherPool) {
  Pool outer(2);
  Pool inner(2);
  std::atomic<int> ran = 0;
  outer.run(4, [&](std::size_t, std::size_t) { inner.run(10, [&](std::size_t, std::size_t) { ++ran; }); });
  EXPECT_EQ(ran, 40);
}

// As a signal handler does that judges with what it has interrupted.
TEST(Pool, AThreadMayComeBackByWayOfAnotherPool) {
  for (const std::size_t threads : {1U, 3U}) {
    Pool first(threads);
    Pool second(1);
    std::atomic<int> ran = 0;
    first.run(4, [&](std::size_t, std::size_t outer_worker) {
      second.run(2, [&](std::size_t, std::size_t) {
        first.run(5, [&](std::size_t, std::size_t worker) {
          EXPECT_EQ(worker, outer_worker);
          ++ran;
        });
      });
    });
    EXPECT_EQ(ran, 40);
  }
}

// Neither of the threads may see the other's run in progress; with and without helpers taking part.
TEST(Pool, RunsOfDifferentThreadsFollowOneAnother) {
  for (const std::size_t threads : {1U, 3U}) {
    Pool pool(threads);
    std::vector<std::atomic<int>> inside(2);
    std::atomic<int> overlaps = 0;
    std::atomic<int> ran = 0;
    std::barrier start(2);
    const auto many_runs = [&](std::size_t me) {
      start.arrive_and_wait();
      for (std::size_t round = 0; round < 200; ++round) {
        pool.run(1 + round % 4, [&](std::size_t, std::size_t) {
          ++inside[me];
          if (inside[1 - me] != 0) ++overlaps;
          std::this_thread::yield();
          ++ran;
          --inside[me];
        });
      }
    };
    {
      const std::jthread other(many_runs, 1);
      many_runs(0);
    }
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(ran, 2 * 50 * (1 + 2 + 3 + 4));
  }
}

// What law 1 asks of every user of the pool, in small: integer sums do not depend on who added what.
TEST(Pool, GivesTheSameSumForAnyNumberOfThreads) {
  const std::uint64_t expected = 999 * 1000 / 2;
  for (std::size_t threads = 1; threads <= 8; ++threads) {
    Pool pool(threads);
    std::vector<std::uint64_t> sums(pool.threads());
    pool.run(1000, [&](std::size_t block, std::size_t worker) { sums[worker] += block; });
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    EXPECT_EQ(total, expected);
  }
}

TEST(Pool, CanBeMadeAndDroppedWithoutARun) {
  for (int round = 0; round < 50; ++round) Pool pool(4);
}

}  // namespace
}  // namespace expose
