#include <cmath>
#include <expose/expose.hpp>
#include <iostream>
#include <vector>

int main() {
  std::vector<double> table;  // 500 rows of two columns that go together
  for (int i = 0; i < 500; ++i) {
    table.push_back(std::sin(i));
    table.push_back(std::sin(i) + 0.1 * std::cos(7 * i));
  }
  const expose::Detector detector = expose::fit(expose::Records(table, 2));  // no parameter to choose

  const std::vector<double> fresh = {0.5, 0.52, 0.7, -0.7};  // each number is usual, the last two together are not
  const std::vector<expose::Verdict> verdicts = detector.judge(expose::Records(fresh, 2));
  for (const expose::Verdict& verdict : verdicts) {
    std::cout << "p = " << verdict.p_value << (verdict.anomalous ? ", anomalous\n" : ", normal\n");
  }
  return !verdicts[0].anomalous && verdicts[1].anomalous ? 0 : 1;
}
