// cuda.cu -- the probes and figures of a CUDA device.
#include "device_check/check.hpp"

namespace cleave::device_check {

__global__ void rewrite_plainly(word* words, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) words[i] = words[i] * 3 + static_cast<word>(i);
}

double plain_rewrite(word* words, std::size_t n, unsigned rounds) {
  word* own = nullptr;
  if (words == nullptr && cudaMalloc(&own, n * sizeof(word)) != cudaSuccess) return 0;
  if (own != nullptr) cudaMemset(own, 0, n * sizeof(word));
  cudaDeviceSynchronize();
  constexpr unsigned block = 128;
  double best = 1e9;
  for (int go = 0; go < 3; ++go) {
    const double begin = now();
    for (unsigned round = 0; round < rounds; ++round) {
      rewrite_plainly<<<static_cast<unsigned>((n + block - 1) / block), block>>>(
          words == nullptr ? own : words, n);
    }
    cudaDeviceSynchronize();
    best = std::min(best, now() - begin);
  }
  cudaFree(own);
  return best;
}

}  // namespace cleave::device_check

int main(int argc, char** argv) {
  return cleave::device_check::run(cleave::device::kind::cuda, argc, argv);
}
