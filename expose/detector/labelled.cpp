#include "expose/detector/labelled.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "expose/detector/row_hash.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

std::vector<double> draw_sample(const Records& rows, std::uint64_t seed, Missing missing) {
  Sampler sampler(rows.d(), seed, missing);
  sampler.add(rows);
  if (sampler.wants_second_pass()) sampler.recount(rows);
  return sampler.sample();
}

Labelled gather_labelled(const Records& rows, std::span<const Label> labels, const Records& sample, std::uint64_t seed,
                         Missing missing) {
  std::vector<double> canonical(rows.d());
  std::unordered_set<std::uint64_t> sampled;
  for (std::size_t i = 0; i < sample.n(); ++i) sampled.insert(hash_row(sample, i, seed, canonical));
  using Placed = std::pair<std::uint64_t, std::size_t>;  // hash, row
  std::vector<Placed> anomalies, normals;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (labels[i] == Label::unlabelled || !is_good(rows, i, missing)) continue;
    (labels[i] == Label::anomaly ? anomalies : normals).emplace_back(hash_row(rows, i, seed, canonical), i);
  }
  Labelled labelled;
  for (std::vector<Placed>* placed : {&anomalies, &normals}) {
    std::ranges::sort(*placed);
    placed->resize(std::min(placed->size(), kMostLabels));
    for (const auto& [hash, i] : *placed) {
      for (std::size_t k = 0; k < rows.d(); ++k) labelled.values.push_back(rows.at(i, k));
      labelled.in_sample.push_back(sampled.contains(hash));
      labelled.all_in_sample = labelled.all_in_sample && labelled.in_sample.back();
    }
  }
  labelled.anomalies = anomalies.size();
  labelled.normals = normals.size();
  return labelled;
}

}  // namespace expose
