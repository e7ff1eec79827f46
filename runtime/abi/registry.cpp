// StreamMAP runtime: the tasks that this process knows, and names for them that hold on every rank.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/registry.h"

#include <link.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "abi/base_task.h"
#include "base/export.h"

namespace streamap {
namespace {

/// A module, and its tasks in order of registration.
struct Module {
  TaskModule facts;
  std::uintptr_t base = 0; ///< where it is loaded: tells modules apart before anything is hashed
  bool hashed = false;
  bool own = false; ///< libstreamap itself
  std::vector<const streamap_task *> tasks;
};

struct Registry {
  std::mutex mutex;
  std::vector<Module> modules;
  std::vector<const streamap_unit *> units;
  std::unordered_map<const streamap_task *, DescriptorKey> keys; ///< made on first use
  bool sealed = false;
};

// Constructed on first use, by constructors of other modules; never destroyed, since their destructors may still launch.
Registry &registry() {
  static Registry *const instance = new Registry;
  return *instance;
}

/// A module as the dynamic linker sees it.
struct Loaded {
  std::uintptr_t inside = 0; ///< any address in it (in)
  std::uintptr_t base = 0;
  std::string path;
  std::vector<std::pair<const unsigned char *, std::size_t>> constant; ///< segments that nobody writes
  std::vector<unsigned char> buildId;                                  ///< empty where the linker left none
};

/// The linker's own hash of the file, from the note segment that starts at `note`.
std::vector<unsigned char> findBuildId(const unsigned char *note, std::size_t size) {
  const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  const auto *const end = note + size;
  while (note + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof header);
    const auto *const description = note + sizeof header + padded(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && description + header.n_descsz <= end)
      return {description, description + header.n_descsz};
    note = description + padded(header.n_descsz);
  }
  return {};
}

int findLoaded(dl_phdr_info *info, std::size_t, void *out) {
  auto &wanted = *static_cast<Loaded *>(out);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum && !holds; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    holds = segment.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + segment.p_memsz;
  }
  if (!holds)
    return 0;
  wanted.base = info->dlpi_addr;
  wanted.path = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    const auto *const begin = reinterpret_cast<const unsigned char *>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) && !(segment.p_flags & PF_W))
      wanted.constant.emplace_back(begin, segment.p_filesz);
    if (segment.p_type == PT_NOTE && wanted.buildId.empty())
      wanted.buildId = findBuildId(begin, segment.p_filesz);
  }
  return 1;
}

Loaded loadedModule(const void *inside) {
  Loaded found;
  found.inside = reinterpret_cast<std::uintptr_t>(inside);
  dl_iterate_phdr(findLoaded, &found);
  return found;
}

/// The same on every rank that loaded the same file: the build id, or else a hash of the segments that nobody writes (a
/// debugger's breakpoints change those).
void hashModule(Module &module) {
  if (module.hashed || module.tasks.empty())
    return;
  const Loaded loaded = loadedModule(module.tasks.front());
  XXH64_hash_t hash = XXH3_64bits(loaded.buildId.data(), loaded.buildId.size());
  if (loaded.buildId.empty())
    for (const auto &[begin, size] : loaded.constant)
      hash = XXH3_64bits_withSeed(begin, size, hash);
  module.facts.hash = hash;
  module.hashed = true;
}

Module &moduleAt(Registry &all, const streamap_unit *unit) {
  const Loaded loaded = loadedModule(unit);
  for (auto &module : all.modules)
    if (module.base == loaded.base)
      return module;
  Module module;
  module.base = loaded.base;
  module.facts.path = loaded.path;
  module.facts.late = all.sealed;
  module.own = loaded.base == loadedModule(reinterpret_cast<const void *>(&streamap_register)).base;
  return all.modules.emplace_back(std::move(module));
}

/// Fills `keys` for all tasks that are not in it.
void nameTasks(Registry &all) {
  for (auto &module : all.modules) {
    hashModule(module);
    for (std::uint32_t i = 0; i < module.tasks.size(); ++i)
      all.keys.try_emplace(module.tasks[i], DescriptorKey{module.facts.hash, i});
  }
}

/// Whether the unit's module holds tasks defined in a header.
bool hasHeaderTasks(const Registry &all) {
  for (const auto &module : all.modules)
    for (const auto *task : module.tasks)
      if (task->flags & STREAMAP_FLAG_INLINE)
        return true;
  return false;
}

/// Whether the pack of `task` begins as that of `base`. It does not where `base` is defined in another file than the call and
/// reads memory for its loop bounds: only the defining file knows of those values.
bool beginsAs(const streamap_task &task, const streamap_task &base) {
  return task.nparams >= base.nparams && task.pack_size >= base.pack_size &&
         std::equal(base.params, base.params + base.nparams, task.params,
                    [](const streamap_param &a, const streamap_param &b) { return a.offset == b.offset && a.size == b.size; });
}

Result<void> checkTask(const streamap_task &task, const streamap_unit &unit) {
  if (task.abi_version != STREAMAP_ABI_VERSION || task.size != sizeof(streamap_task))
    return failure(std::string("task ") + task.name + " in " + unit.file + " has another ABI version than its file");
  if (!(task.flags & STREAMAP_FLAG_CALL))
    return {};
  if (const auto &base = *baseOf(task); !beginsAs(task, base))
    return failure(std::string(task.file) + ":" + std::to_string(task.line) + ": this call of '" + task.name +
                       "' has a directive of its own, but '" + base.name + "' (" + base.file + ":" + std::to_string(base.line) +
                       ") computes its split loops from memory, which only its own file knows",
                   std::string("give '") + base.name + "' the bound by value, or call it without a directive");
  return {};
}

} // namespace

bool programHasTasks() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  return std::any_of(all.modules.begin(), all.modules.end(), [](const Module &m) { return !m.own && !m.tasks.empty(); }) ||
         std::any_of(all.units.begin(), all.units.end(),
                     [](const streamap_unit *u) { return u->abi_version != STREAMAP_ABI_VERSION; });
}

Result<void> checkRegistry() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  for (const auto *unit : all.units) {
    if (unit->abi_version != STREAMAP_ABI_VERSION)
      return failure(std::string(unit->file) + " was compiled by streamap-cc " + unit->tool + ", whose ABI version is " +
                         std::to_string(unit->abi_version) + "; this libstreamap has version " +
                         std::to_string(STREAMAP_ABI_VERSION),
                     "compile it again with the streamap-cc that belongs to this libstreamap");
    for (std::uint32_t i = 0; i < unit->ntasks; ++i)
      if (auto checked = checkTask(*unit->tasks[i], *unit); !checked)
        return checked;
  }
  if (hasHeaderTasks(all))
    for (const auto *unit : all.units)
      if (unit->plain_begin && unit->plain_begin != unit->plain_end)
        return failure(std::string(*unit->plain_begin) +
                           " includes a header that defines tasks, but was not compiled by streamap-cc",
                       std::string("compile ") + *unit->plain_begin + " with streamap-cc");
  return {};
}

void sealRegistry() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  all.sealed = true;
}

std::vector<TaskModule> taskModules() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<TaskModule> result;
  for (auto &module : all.modules) {
    hashModule(module);
    result.push_back(module.facts);
  }
  return result;
}

DescriptorKey keyOf(const streamap_task &task) {
  static thread_local const streamap_task *lastTask = nullptr;
  static thread_local DescriptorKey lastKey;
  if (&task == lastTask)
    return lastKey;
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  auto found = all.keys.find(&task);
  if (found == all.keys.end()) {
    nameTasks(all);
    found = all.keys.find(&task);
  }
  assert(found != all.keys.end() && "a task is launched only by code of a registered unit");
  lastTask = &task;
  return lastKey = found->second;
}

const streamap_task *findTask(DescriptorKey key) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  for (auto &module : all.modules) {
    hashModule(module);
    if (module.facts.hash == key.module && key.index < module.tasks.size())
      return module.tasks[key.index];
  }
  return nullptr;
}

TaskModule moduleOf(DescriptorKey key) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  const auto found = std::find_if(all.modules.begin(), all.modules.end(),
                                  [&](const Module &m) { return m.hashed && m.facts.hash == key.module; });
  assert(found != all.modules.end() && "the key came from keyOf");
  return found->facts;
}

} // namespace streamap

STREAMAP_EXPORT void streamap_register(const streamap_unit *unit) {
  auto &all = streamap::registry();
  std::lock_guard lock(all.mutex);
  all.units.push_back(unit);
  if (unit->abi_version != STREAMAP_ABI_VERSION)
    return; // told by checkRegistry(); its layout is not ours
  auto &module = streamap::moduleAt(all, unit);
  module.tasks.insert(module.tasks.end(), unit->tasks, unit->tasks + unit->ntasks);
  module.facts.tasks = static_cast<std::uint32_t>(module.tasks.size());
}
