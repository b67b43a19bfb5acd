#include "expose/base/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "expose/base/pool.hpp"

namespace expose {
namespace {

TEST(Interrupt, IsAskedBetweenBlocksByTheThreadThatCalls) {
  Pool pool(1);
  int asked = 0;
  const Interrupt interrupt([&] { ++asked; });
  pool.run(5, [](std::size_t, std::size_t) {});
  EXPECT_EQ(asked, 5);
}

TEST(Interrupt, EndsARunOfThreadsAndThePoolCanBeUsedAgain) {
  Pool pool(3);
  std::atomic<int> done = 0;
  {
    int asked = 0;
    const Interrupt interrupt([&] {
      if (++asked == 3) throw std::domain_error("enough");
    });
    const auto endless = [&] { pool.run(std::size_t{1} << 40, [&](std::size_t, std::size_t) { ++done; }); };
    EXPECT_THROW(endless(), std::domain_error);
  }
  done = 0;
  pool.run(100, [&](std::size_t, std::size_t) { ++done; });
  EXPECT_EQ(done, 100);
}

TEST(Interrupt, TheInnermostCounts) {
  int outer = 0, inner = 0;
  const Interrupt one([&] { ++outer; });
  {
    const Interrupt two([&] { ++inner; });
    look_up();
  }
  look_up();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

// The child has none of the threads, works with new ones, and ends without waiting for the old ones.
TEST(PoolAfterAFork, HasThreadsOfItsOwn) {
  auto* const pool = new Pool(3);
  std::atomic<int> done = 0;
  const auto work = [&] { pool->run(100, [&](std::size_t, std::size_t) { ++done; }); };
  work();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is killed, and fails
    done = 0;
    work();
    delete pool;
    _exit(done == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  work();
  EXPECT_EQ(done, 200);
  delete pool;
}

}  // namespace
}  // namespace expose
