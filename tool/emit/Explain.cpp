//===- Explain.cpp - The task model for people ----------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Explain.h"

namespace streamap {

namespace {

std::string accessWord(unsigned Access) {
  switch (Access) {
  case STREAMAP_IN:
    return "in";
  case STREAMAP_OUT:
    return "out";
  case STREAMAP_INOUT:
    return "inout";
  default:
    return "reduction";
  }
}

std::string resourceText(const TaskModel &Task) {
  if (Task.Items.empty())
    return "one task on whichever resource is best";
  std::string Result;
  for (const ItemModel &Item : Task.Items) {
    if (!Result.empty())
      Result += ", ";
    switch (Item.Form) {
    case ResourceItem::Form::Constant:
      Result += std::to_string(Item.First);
      break;
    case ResourceItem::Form::Expression:
      Result += "(" + Item.Count + ")";
      break;
    case ResourceItem::Form::All:
      Result += "*";
      break;
    case ResourceItem::Form::Numbered:
      Result += "[" + std::to_string(Item.First) + (Item.Last == Item.First ? "" : "-" + std::to_string(Item.Last)) + "]";
      break;
    }
    Result += Item.Kind == ResourceKind::G ? ":G" : Item.Kind == ResourceKind::C ? ":C" : "";
  }
  return Result;
}

const char *relationText(streamap_loop_relation Relation) {
  switch (Relation) {
  case STREAMAP_LOOP_LT:
    return "<";
  case STREAMAP_LOOP_LE:
    return "<=";
  case STREAMAP_LOOP_GT:
    return ">";
  case STREAMAP_LOOP_GE:
    return ">=";
  case STREAMAP_LOOP_NE:
    return "!=";
  }
  return "?";
}

std::string sectionText(const SectionModel &Section, const TaskModel &Task) {
  std::string Result = Task.Parameters[Section.Parameter].Name;
  for (const AxisModel &Axis : Section.Axes) {
    Result += "[" + Axis.Lower + " : " + Axis.Length;
    if (!Axis.ExtentLength.empty())
      Result += " of " + Axis.ExtentLength;
    Result += "]";
  }
  return Result;
}

} // namespace

std::string explainTask(const TaskModel &Task) {
  std::string Text =
      Task.Pragma.File + ":" + std::to_string(Task.Pragma.Line) + ": " + (Task.IsCall ? "call of " : "task ") + Task.Name + "\n";
  auto line = [&](const std::string &Key, const std::string &Value) {
    Text += "  " + Key + std::string(Key.size() < 11 ? 11 - Key.size() : 1, ' ') + Value + "\n";
  };
  line("resources", resourceText(Task));
  for (const SectionModel &Section : Task.Sections) {
    line(accessWord(Section.Access), sectionText(Section, Task) + (Section.FromType ? "   (from its type)" : "") +
                                         (Section.Assumed ? "   (assumed to be written whole)" : ""));
    if (!Section.Remark.empty())
      line("", "asked for as out, but travels both ways: " + Section.Remark);
  }
  if (!Task.SplitVariable.empty() && !Task.IsCall)
    for (const SplitLoopModel &Loop : Task.Loops)
      line("split", "line " + std::to_string(Loop.Line) + ": " + Task.SplitVariable + " = " + Loop.Lower + "; " +
                        Task.SplitVariable + " " + relationText(Loop.Relation) + " " + Loop.Upper + "; step " + Loop.Step);
  for (size_t I = 0; I < Task.Reads.size(); ++I)
    line("reads", Task.Reads[I].Text + "   (by the call, once it is home)");
  const std::pair<const char *, const std::string &> Values[] = {
      {"priority", Task.Priority}, {"cores", Task.Cores}, {"memory", Task.Memory}, {"share", Task.Share}, {"cost", Task.Cost}};
  for (const auto &[Key, Value] : Values)
    if (!Value.empty())
      line(Key, Value);
  if (!Task.Requirements.empty())
    line("require", std::to_string(Task.Requirements.size()) + " conditions on the device");
  if (Task.Once)
    line("once", "never run twice");
  if (Task.Implements)
    line("implements", Task.Implements->Symbol);
  for (const std::string &Remark : Task.Remarks)
    line("note", Remark);
  return Text;
}

} // namespace streamap
