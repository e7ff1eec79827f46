// Kernels for the checks on a device. test/doubles/test_kernels.c has host twins of them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void saxpy(size_t n, float a, const float *x, float *y) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    y[i] += a * x[i];
}

extern "C" __global__ void add(size_t n, long long by, long long *x) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    x[i] += by;
}

extern "C" __global__ void reverse_blocks(int *x) {
  extern __shared__ int shared[];
  int *part = x + (size_t)blockIdx.x * blockDim.x;
  shared[threadIdx.x] = part[threadIdx.x];
  __syncthreads();
  part[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void store(char *where, size_t offset) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    ((volatile char *)where)[offset] = 1;
}
