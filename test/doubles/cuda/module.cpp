// The CUDA double: images, and the host twins that stand for their kernels.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>

#include "../twins.h"

namespace doubles {
namespace {

constexpr unsigned fatbinMagic = 0xba55ed50;
constexpr Elf64_Half machineCuda = 190;

using Kernels = std::vector<streamap_kernel>;

struct OfferedImages {
  std::mutex mutex;
  std::map<const void *, Kernels> byImage; ///< of all tasks of a source, which share its image
};

/// Filled by constructors of the program, before anything of this library's own may have been constructed.
OfferedImages &offered() {
  static OfferedImages &images = *new OfferedImages;
  return images;
}

std::optional<Kernels> offeredTwins(const void *image) {
  OfferedImages &images = offered();
  const std::lock_guard lock(images.mutex);
  const auto found = images.byImage.find(image);
  return found == images.byImage.end() ? std::nullopt : std::optional(found->second);
}

LoadedImage refused(CUresult result, std::string log) {
  return LoadedImage{result, std::move(log), nullptr, {}};
}

LoadedImage openTwins(const std::string &path) {
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return refused(CUDA_ERROR_INVALID_IMAGE, dlerror());
  const auto *const table = static_cast<const streamap_twin_table *>(dlsym(library, "streamap_twins"));
  if (!table || table->abi_version != STREAMAP_ABI_VERSION) {
    dlclose(library);
    return refused(CUDA_ERROR_INVALID_IMAGE, table ? "twins of another version" : "no streamap_twins in it");
  }
  return LoadedImage{CUDA_SUCCESS, {}, library, Kernels(table->kernels, table->kernels + table->nkernels)};
}

/// An ELF file in memory, whose size only its own headers tell.
LoadedImage openElf(const Elf64_Ehdr &header) {
  const auto size = static_cast<std::size_t>(header.e_shoff) + std::size_t{header.e_shnum} * header.e_shentsize;
  const int file = memfd_create("twins", MFD_CLOEXEC);
  if (file < 0 || write(file, &header, size) != static_cast<ssize_t>(size)) {
    close(file);
    return refused(CUDA_ERROR_OPERATING_SYSTEM, "cannot write the image to memory");
  }
  LoadedImage loaded = openTwins("/proc/self/fd/" + std::to_string(file));
  close(file);
  return loaded;
}

/// The number behind a PTX directive: 900 for `.version 9.0`, 90 for `.target sm_90`.
std::optional<int> ptxNumber(const std::string &ptx, const std::string &directive, int perMajor) {
  const auto place = ptx.find(directive);
  if (place == std::string::npos)
    return std::nullopt;
  int major = 0, minor = 0;
  const int fields = std::sscanf(ptx.c_str() + place + directive.size(), " %d.%d", &major, &minor);
  return fields < 1 ? std::nullopt : std::optional(major * perMajor + minor);
}

/// The refusals of a driver's own compiler. PTX 9.0 came with CUDA 13.0, 8.0 with 12.0.
LoadedImage checkPtx(const World &world, const Device &device, const std::string &ptx) {
  const auto version = ptxNumber(ptx, ".version", 100), target = ptxNumber(ptx, ".target sm_", 1);
  if (!version || !target)
    return refused(CUDA_ERROR_INVALID_PTX, "ptxas application ptx input, line 1; fatal : Missing .version directive");
  const int newest = (world.settings.driverVersion / 1000 - 4) * 100 + world.settings.driverVersion % 1000 / 10;
  if (*version > newest)
    return refused(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "ptxas application ptx input, line 1; fatal : Unsupported .version " +
                                                           std::to_string(*version / 100) + "." + std::to_string(*version % 100));
  if (*target > device.settings->ccMajor * 10 + device.settings->ccMinor)
    return refused(CUDA_ERROR_INVALID_PTX,
                   "ptxas application ptx input, line 2; error : SM version specified by .target is higher "
                   "than default SM version assumed");
  return {};
}

LoadedImage loadPtx(const World &world, const Device &device, const char *text) {
  const std::string ptx = text;
  if (LoadedImage checked = checkPtx(world, device, ptx); checked.result != CUDA_SUCCESS)
    return checked;
  if (auto twins = offeredTwins(text))
    return LoadedImage{CUDA_SUCCESS, {}, nullptr, std::move(*twins)};
  const std::string file = twinFileName(ptx);
  if (!world.settings.twins.empty() && access((world.settings.twins + "/" + file).c_str(), R_OK) == 0)
    return openTwins(world.settings.twins + "/" + file);
  return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, "the double has no twin " + file + " of this PTX");
}

} // namespace

LoadedImage loadImage(const World &world, const Device &device, const void *image) {
  unsigned magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    const auto &header = *static_cast<const Elf64_Ehdr *>(image);
    if (header.e_machine == EM_X86_64)
      return openElf(header);
    return refused(header.e_machine == machineCuda ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE, {});
  }
  if (magic == fatbinMagic) {
    if (auto twins = offeredTwins(image))
      return LoadedImage{CUDA_SUCCESS, {}, nullptr, std::move(*twins)};
    return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, {});
  }
  const auto *const text = static_cast<const char *>(image);
  if (std::strncmp(text, "//", 2) == 0 || std::strncmp(text, ".version", 8) == 0 || text[0] == '\n')
    return loadPtx(world, device, text);
  return refused(CUDA_ERROR_INVALID_IMAGE, {});
}

void unloadModule(Module &module) {
  if (module.library)
    dlclose(module.library);
  module.library = nullptr;
  module.kernels.clear();
}

void offerTwins(const streamap_unit &unit) {
  OfferedImages &images = offered();
  const std::lock_guard lock(images.mutex);
  for (const streamap_task *const task : std::span(unit.tasks, unit.ntasks)) {
    if (!task->images)
      continue;
    const std::span kernels(task->images->kernels, task->images->nkernels);
    for (const streamap_image &image : std::span(task->images->images, task->images->nimages)) {
      Kernels &known = images.byImage[image.data];
      known.insert(known.end(), kernels.begin(), kernels.end());
    }
  }
}

std::string twinFileName(const std::string &ptx) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : ptx)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char name[32];
  std::snprintf(name, sizeof name, "%016lx.so", hash);
  return name;
}

} // namespace doubles

/// A program that was started with the double preloaded registers its tasks here first, so the twins of their kernels are known.
extern "C" __attribute__((visibility("default"))) void streamap_register(const streamap_unit *unit) {
  doubles::offerTwins(*unit);
  using Register = void (*)(const streamap_unit *);
  if (const auto next = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "streamap_register")))
    next(unit);
}
