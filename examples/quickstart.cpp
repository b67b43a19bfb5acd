#include <expose/expose.hpp>
#include <iostream>
#include <vector>

int main() {
  const std::vector<float> normal = {1.0F, 2.0F, 1.1F, 2.1F, 0.9F, 1.9F, 1.0F, 2.2F};  // four rows of two columns
  const std::vector<float> fresh = {1.0F, 2.0F, 7.0F, 5.0F};                           // one like them, one unlike

  const auto map = expose::make_map({.d = 2, .r = 512, .kernel = expose::Gaussian{.bandwidth = 0.5}});
  expose::MeanMap model(map);
  model.add(expose::Rows(normal, 2));  // learning is an addition; model.subtract(rows) takes it back, to the bit

  const std::vector<double> similarity = expose::Similarity(model).of(expose::Rows(fresh, 2));
  std::cout << similarity[0] << " is normal, " << similarity[1] << " is not\n";
  return similarity[0] > 0.5 && similarity[1] < 0.5 ? 0 : 1;
}
