//===- EmitTwins.cpp - Host text of a G version ---------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/EmitTwins.h"
#include "emit/SourceEdits.h"

namespace streamap {

const char NoUnitImages[] = "#define STREAMAP_UNIT_IMAGES";

std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Lines;
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = std::min(Text.find('\n', Begin), Text.size());
    if (Text.find_first_not_of(" \t", Begin) < End)
      Lines.push_back(Text.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  return Lines;
}

namespace {

void addLines(std::vector<std::string> &Lines, const std::string &Text) {
  for (std::string &Line : linesOf(Text))
    Lines.push_back(std::move(Line));
}

void writeTwin(std::vector<std::string> &Lines, const KernelModel &Kernel) {
  for (const KernelArgument &Argument : Kernel.Arguments)
    if (!Argument.Structure.empty())
      Lines.push_back(Argument.Structure);
  Lines.push_back("static void " + Kernel.Name + "(streamap_twin_thread *streamap_thread, void *const *streamap_raw)");
  Lines.push_back("{");
  for (size_t I = 0; I < Kernel.Arguments.size(); ++I) {
    const KernelArgument &Argument = Kernel.Arguments[I];
    Lines.push_back("  " + Argument.Declared + "; __builtin_memcpy(&" + Argument.Name + ", streamap_raw[" + std::to_string(I) +
                    "], sizeof " + Argument.Name + ");");
  }
  Lines.push_back("  (void)streamap_thread; (void)streamap_raw;");
  addLines(Lines, Kernel.Before);
  addLines(Lines, Kernel.Body);
  addLines(Lines, Kernel.After);
  Lines.push_back("}");
}

} // namespace

std::vector<std::string> emitTwins(const GVersion &Version, const std::string &Id) {
  std::vector<std::string> Lines;
  std::string Rows;
  for (const KernelModel &Kernel : Version.Kernels) {
    writeTwin(Lines, Kernel);
    std::string Sizes;
    for (const KernelArgument &Argument : Kernel.Arguments)
      Sizes += std::to_string(Argument.Size) + ", ";
    if (!Sizes.empty())
      Lines.push_back("static const unsigned " + Kernel.Name + "_sizes[] = { " + Sizes + "};");
    Rows += "{" + quoted(Kernel.Name) + ", " + (Kernel.Barriers ? "STREAMAP_KERNEL_BARRIERS" : "0") + ", " +
            std::to_string(Kernel.Arguments.size()) + ", " + (Sizes.empty() ? "0" : Kernel.Name + "_sizes") + ", 0, 0, " +
            Kernel.Name + "}, ";
  }
  Lines.push_back("static const streamap_kernel streamap_kernels_" + Id + "[] = { " + Rows + "};");
  return Lines;
}

std::vector<std::string> emitImages(const GVersion &Version, const std::string &Id) {
  std::string Count = std::to_string(Version.Kernels.size());
  return {"static const streamap_image streamap_code_" + Id + "[] = { {STREAMAP_IMAGE_TWINS, " + Count + ", streamap_kernels_" +
              Id + ", 0, 0}, STREAMAP_UNIT_IMAGES };",
          "static const struct streamap_images streamap_images_" + Id + " = { sizeof(struct streamap_images), " + Count +
              ", sizeof streamap_code_" + Id + " / sizeof(streamap_image), streamap_kernels_" + Id + ", streamap_code_" + Id +
              ", streamap_run_" + Id + ", " + std::to_string(Version.Scratch) + " };"};
}

} // namespace streamap
