//===- EmitDevice.cpp - The kernels of a unit for a device ----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/EmitDevice.h"
#include "emit/SourceEdits.h"

namespace streamap {

namespace {

void writeKernel(std::string &Text, const KernelModel &Kernel) {
  for (const KernelArgument &Argument : Kernel.Arguments)
    if (!Argument.Structure.empty())
      Text += Argument.Structure + "\n";
  Text += "extern \"C\" __global__ void " + Kernel.Name + "(";
  for (size_t I = 0; I < Kernel.Arguments.size(); ++I)
    Text += (I ? ", " : "") + Kernel.Arguments[I].Declared;
  Text += ")\n{\n" + Kernel.Before + "\n";
  if (Kernel.Line != 0)
    Text += "#line " + std::to_string(Kernel.Line) + " " + quoted(Kernel.File) + "\n";
  Text += Kernel.Body + "\n" + Kernel.After + "\n}\n";
}

} // namespace

DeviceSource emitDeviceSource(const std::vector<const GVersion *> &Versions, DeviceSlice &Slice) {
  DeviceSource Source;
  if (Versions.empty())
    return Source;
  std::string Text = Slice.text();
  for (const GVersion *Version : Versions)
    for (const KernelModel &Kernel : Version->Kernels)
      writeKernel(Text, Kernel);
  // In a namespace the program's names hide those of the device's headers.
  Source.Text = renameKeywords(Text) + "namespace streamap_unit {\n" + Text + "}\n";
  Source.Uses = Slice.library();
  return Source;
}

} // namespace streamap
