//===- EmitTask.cpp - C text of a task ------------------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated code uses no name without the prefix streamap_ but the user's own
// parameters, and initialises tables by position: any other word could be a
// macro of the program.
//
//===----------------------------------------------------------------------===//

#include "emit/EmitTask.h"
#include "kernel/EmitTwins.h"

#include <cassert>

namespace streamap {

namespace {

std::string number(int64_t Value) {
  // The most negative value has no literal of its own.
  if (Value == INT64_MIN)
    return "(-9223372036854775807L - 1)";
  return std::to_string(Value);
}

std::string integer(const std::string &Text) {
  return "(streamap_int)(" + Text + ")";
}

std::string joined(const std::vector<std::string> &Parts, const char *Separator = ", ") {
  std::string Result;
  for (const std::string &Part : Parts) {
    if (!Result.empty())
      Result += Separator;
    Result += Part;
  }
  return Result;
}

std::string readName(size_t Index) {
  return "streamap_read_" + std::to_string(Index);
}

/// Writes everything that belongs to one task or annotated call.
class TaskWriter {
public:
  explicit TaskWriter(const TaskModel &Task) : Task(Task) {}

  std::vector<GeneratedLine> before() {
    if (!Task.Implements.empty() && Task.Implements != Task.Symbol)
      line("extern const streamap_task streamap_task_" + Task.Implements + ";");
    line("static int " + name("enter") + "(" + parameters({"streamap_entry *streamap_entry_"}) + ");");
    return std::move(Lines);
  }

  std::vector<GeneratedLine> after() {
    writePack();
    writeBody();
    writeThunks();
    writeGVersion();
    writeDescriptor();
    writeEnter();
    return std::move(Lines);
  }

  std::vector<GeneratedLine> call() {
    writeBaseDeclaration();
    writePack();
    writeThunks();
    writeDescriptor();
    writeCallStub();
    return std::move(Lines);
  }

private:
  void line(std::string Text) { Lines.push_back({std::move(Text), Task.Line}); }

  std::string name(const char *What) const { return std::string("streamap_") + What + "_" + Task.Id; }
  std::string pack() const { return "struct " + name("pack"); }

  /// The user's parameters, then what the generated code adds.
  std::string parameters(std::vector<std::string> Extra) const {
    if (!Task.ParameterList.empty())
      Extra.insert(Extra.begin(), Task.ParameterList);
    return joined(Extra);
  }

  /// Values that thunks get beside the parameters: captured ones under their
  /// own names, memory reads under ours.
  std::vector<std::string> extraParameters() const {
    std::vector<std::string> Result;
    for (const ValueModel &Value : Task.Captured)
      Result.push_back(Value.Declared);
    for (size_t I = 0; I < Task.Reads.size(); ++I)
      Result.push_back(Task.Reads[I].Type + " " + readName(I));
    return Result;
  }

  std::vector<std::string> allNames() const {
    std::vector<std::string> Names;
    for (const ValueModel &Value : Task.Parameters)
      Names.push_back(Value.Name);
    for (const ValueModel &Value : Task.Captured)
      Names.push_back(Value.Name);
    for (size_t I = 0; I < Task.Reads.size(); ++I)
      Names.push_back(readName(I));
    return Names;
  }

  static std::string field(const ValueModel &Value) { return "streamap_" + Value.Name; }

  void writePack() {
    std::string Fields;
    for (const ValueModel &Value : Task.Parameters)
      Fields += Value.Field + "; ";
    for (const ValueModel &Value : Task.Captured)
      Fields += Value.Field + "; ";
    for (size_t I = 0; I < Task.Reads.size(); ++I)
      Fields += Task.Reads[I].Type + " " + readName(I) + "; ";
    if (Fields.empty())
      Fields = "char streamap_nothing; ";
    line(pack() + " { " + Fields + "};");
  }

  /// The arguments of a call that takes everything in the pack.
  std::string unpacked(bool ParametersOnly, std::vector<std::string> Extra = {}) const {
    std::vector<std::string> Arguments;
    for (const ValueModel &Value : Task.Parameters)
      Arguments.push_back("streamap_pack_->" + field(Value));
    if (!ParametersOnly) {
      for (const ValueModel &Value : Task.Captured)
        Arguments.push_back("streamap_pack_->" + field(Value));
      for (size_t I = 0; I < Task.Reads.size(); ++I)
        Arguments.push_back("streamap_pack_->" + readName(I));
    }
    Arguments.insert(Arguments.end(), Extra.begin(), Extra.end());
    return joined(Arguments);
  }

  bool emptyPack() const { return Task.Parameters.empty() && Task.Captured.empty() && Task.Reads.empty(); }

  std::string openPack() const {
    if (emptyPack())
      return "(void)streamap_raw; ";
    return "const " + pack() + " *streamap_pack_ = (const " + pack() + " *)streamap_raw; ";
  }

  void writeBody() {
    if (Task.Linkage == TaskLinkage::Inline || Task.Linkage == TaskLinkage::Weak)
      // The function that is called may be another file's copy: the flag must be the same one.
      line("__attribute__((weak)) __thread int " + name("direct") + ";");
    else
      line("static __thread int " + name("direct") + ";");
    line("static void " + name("body") + "(const void *streamap_raw)");
    line("{ " + openPack() + name("direct") + " = 1; (" + Task.Name + ")(" + unpacked(true) + "); }");
  }

  /// A thunk is two functions: one unpacks, the other has the user's own
  /// parameter list and so the right types for the user's own expressions.
  void writeThunk(const char *What, const std::string &Result, const std::vector<std::string> &Extra,
                  const std::vector<std::string> &ExtraNames, const std::vector<std::string> &Statements) {
    std::vector<std::string> Inner = extraParameters();
    Inner.insert(Inner.end(), Extra.begin(), Extra.end());
    std::string List = parameters(Inner);
    line("static " + Result + " " + name(What) + "_of(" + (List.empty() ? "void" : List) + ")");
    line("{");
    for (const std::string &Statement : Statements)
      line("  " + Statement);
    line("}");
    std::vector<std::string> Outer = Extra;
    Outer.insert(Outer.begin(), "const void *streamap_raw");
    line("static " + Result + " " + name(What) + "(" + joined(Outer) + ")");
    line("{ " + openPack() + (Result == "void" ? "" : "return ") + name(What) + "_of(" + unpacked(false, ExtraNames) + "); }");
  }

  void writeValueThunk(const char *What, const std::string &Result, const std::string &Text) {
    if (!Text.empty())
      writeThunk(What, Result, {}, {}, {"return (" + Result + ")(" + Text + ");"});
  }

  bool hasCounts() const {
    for (const ItemModel &Item : Task.Items)
      if (Item.Form == ResourceItem::Form::Expression)
        return true;
    return false;
  }

  void writeThunks() {
    if (hasCounts()) {
      std::vector<std::string> Statements;
      for (size_t I = 0; I < Task.Items.size(); ++I)
        if (Task.Items[I].Form == ResourceItem::Form::Expression)
          Statements.push_back("streamap_out[" + std::to_string(I) + "] = " + integer(Task.Items[I].Count) + ";");
      writeThunk("counts", "void", {"streamap_int *streamap_out"}, {"streamap_out"}, Statements);
    }
    if (hasGrids()) {
      std::vector<std::string> Statements;
      for (size_t I = 0; I < Task.Loops.size(); ++I) {
        std::string Index = std::to_string(I);
        Statements.push_back("if (streamap_room > " + Index + ") streamap_out[" + Index + "] = streamap_loop_grid(" +
                             loopArguments(Task.Loops[I]) + ");");
      }
      Statements.push_back("return " + std::to_string(Task.Loops.size()) + ";");
      writeThunk("grids", "unsigned", {"streamap_grid *streamap_out", "unsigned streamap_room"},
                 {"streamap_out", "streamap_room"}, Statements);
    }
    if (!Task.Sections.empty())
      writeSections();
    writeValueThunk("priority", "streamap_int", Task.Priority);
    writeValueThunk("cores", "streamap_int", Task.Cores);
    writeValueThunk("memory", "streamap_int", Task.Memory);
    writeValueThunk("share", "streamap_int", Task.Share);
    writeValueThunk("cost", "double", Task.Cost);
  }

  /// The twins, the thunk that launches, and the table of both.
  void writeGVersion() {
    if (!Task.G.exists())
      return;
    for (std::string &Text : emitTwins(Task.G, Task.Id))
      line(std::move(Text));
    writeThunk("run", "void", {"streamap_device *streamap_to"}, {"streamap_to"}, linesOf(Task.G.RunText));
    for (std::string &Text : emitImages(Task.G, Task.Id))
      line(std::move(Text));
  }

  bool hasGrids() const { return !Task.SplitVariable.empty() && !Task.IsCall; }

  static std::string loopArguments(const SplitLoopModel &Loop) {
    return integer(Loop.Lower) + ", " + integer(Loop.Upper) + ", " + integer(Loop.Step) + ", " + std::to_string(Loop.Relation);
  }

  void writeAxis(std::vector<std::string> &Statements, const AxisModel &Axis, size_t Index) {
    std::string Slot = "streamap_axes[" + std::to_string(Index) + "]";
    std::string Tail = (Axis.ExtentLength.empty() ? std::string("0, STREAMAP_UNKNOWN_EXTENT")
                                                  : integer(Axis.ExtentLower) + ", " + integer(Axis.ExtentLength)) +
                       ", " + integer(Axis.Pitch) + ");";
    if (!Axis.UsesSplit) {
      Statements.push_back("streamap_v[0] = " + integer(Axis.Lower) + "; streamap_v[1] = " + integer(Axis.Length) + ";");
      Statements.push_back("streamap_axis_set(&" + Slot + ", streamap_v[0], streamap_v[1], streamap_v[0], streamap_v[1], " +
                           Tail);
      return;
    }
    // Affine in the index, as checked: two points say all.
    for (int At = 0; At < 2; ++At)
      Statements.push_back("{ const streamap_int " + Task.SplitVariable + " = " + std::to_string(At) + "; streamap_v[" +
                           std::to_string(2 * At) + "] = " + integer(Axis.Lower) + "; streamap_v[" + std::to_string(2 * At + 1) +
                           "] = " + integer(Axis.Length) + "; (void)" + Task.SplitVariable + "; }");
    Statements.push_back("streamap_axis_set(&" + Slot + ", streamap_v[0], streamap_v[1], streamap_v[2], streamap_v[3], " + Tail);
  }

  void writeSections() {
    size_t Most = 1;
    for (const SectionModel &Section : Task.Sections)
      Most = std::max(Most, Section.Axes.size());
    std::vector<std::string> Statements = {"streamap_axis streamap_axes[" + std::to_string(Most) +
                                           "]; streamap_int streamap_v[4];"};
    for (const SectionModel &Section : Task.Sections) {
      for (size_t I = 0; I < Section.Axes.size(); ++I)
        writeAxis(Statements, Section.Axes[I], I);
      Statements.push_back("streamap_emit(streamap_sink_, " + std::to_string(Section.Parameter) + ", " +
                           std::to_string(Section.Access) + ", (const void *)" + Task.Parameters[Section.Parameter].Name + ", " +
                           std::to_string(Section.Axes.size()) + ", streamap_axes);");
    }
    writeThunk("sections", "void", {"streamap_sink *streamap_sink_"}, {"streamap_sink_"}, Statements);
  }

  void writeItems() {
    std::string Rows;
    for (const ItemModel &Item : Task.Items) {
      int Kind = Item.Kind == ResourceKind::G   ? STREAMAP_KIND_G
                 : Item.Kind == ResourceKind::C ? STREAMAP_KIND_C
                                                : STREAMAP_KIND_ANY;
      int Form = 0;
      switch (Item.Form) {
      case ResourceItem::Form::Constant:
        Form = STREAMAP_ITEM_COUNT;
        break;
      case ResourceItem::Form::Expression:
        Form = STREAMAP_ITEM_EXPRESSION;
        break;
      case ResourceItem::Form::All:
        Form = STREAMAP_ITEM_ALL;
        break;
      case ResourceItem::Form::Numbered:
        Form = STREAMAP_ITEM_NUMBERED;
        break;
      }
      Rows +=
          "{" + std::to_string(Kind) + ", " + std::to_string(Form) + ", " + number(Item.First) + ", " + number(Item.Last) + "}, ";
    }
    if (!Rows.empty())
      line("static const streamap_item " + name("items") + "[] = { " + Rows + "};");
  }

  void writeParameterTable() {
    auto row = [&](const std::string &Name, const std::string &Field, const ValueModel &Value) {
      return "{" + quoted(Name) + ", (unsigned)__builtin_offsetof(" + pack() + ", " + Field + "), (unsigned)sizeof(((" + pack() +
             " *)0)->" + Field + "), " + (Value.IsPointer ? "1, " : "0, ") + std::to_string(Value.Access) + ", " +
             std::to_string(Value.Operator) + ", " + std::to_string(Value.Scalar) + "}, ";
    };
    std::string Rows;
    for (const ValueModel &Value : Task.Parameters)
      Rows += row(Value.Name, field(Value), Value);
    for (const ValueModel &Value : Task.Captured)
      Rows += row(Value.Name, field(Value), Value);
    for (size_t I = 0; I < Task.Reads.size(); ++I)
      Rows += row(Task.Reads[I].Text, readName(I), ValueModel());
    if (!Rows.empty())
      line("static const streamap_param " + name("params") + "[] = { " + Rows + "};");
  }

  void writeRequirements() {
    std::string Rows;
    for (const RequireExpr &Requirement : Task.Requirements) {
      // Both enumerations list the same things; the table below keeps their order out of it.
      static const int Keys[] = {STREAMAP_REQUIRE_CC,     STREAMAP_REQUIRE_TENSORCORE, STREAMAP_REQUIRE_MEMORY,
                                 STREAMAP_REQUIRE_VENDOR, STREAMAP_REQUIRE_NAME,       STREAMAP_REQUIRE_UUID,
                                 STREAMAP_REQUIRE_LABEL};
      static const int Relations[] = {STREAMAP_EQ, STREAMAP_GE, STREAMAP_GT, STREAMAP_LE, STREAMAP_LT};
      Rows += "{" + std::to_string(Keys[static_cast<int>(Requirement.RequireKey)]) + ", " +
              std::to_string(Relations[static_cast<int>(Requirement.Rel)]) + ", " + number(Requirement.Number) + ", " +
              (Requirement.Text.empty() ? "0" : quoted(Requirement.Text)) + "}, ";
    }
    if (!Rows.empty())
      line("static const streamap_requirement " + name("requirements") + "[] = { " + Rows + "};");
  }

  unsigned flags() const {
    return (Task.Once ? STREAMAP_FLAG_ONCE : 0u) | (Task.SplitVariable.empty() ? 0u : STREAMAP_FLAG_SPLIT) |
           (Task.InHeader ? STREAMAP_FLAG_INLINE : 0u) | (Task.IsCall ? STREAMAP_FLAG_CALL : 0u) |
           (Task.Implements.empty() ? 0u : STREAMAP_FLAG_IMPLEMENTS);
  }

  std::string descriptorLinkage() const {
    if (Task.IsCall || Task.Linkage == TaskLinkage::Internal || Task.Linkage == TaskLinkage::Inline)
      return "static const ";
    std::string Visibility = std::string("visibility(\"") + (Task.Hidden ? "hidden" : "default") + "\")";
    return "__attribute__((" + Visibility + (Task.Linkage == TaskLinkage::Weak ? ", weak" : "") + ")) const ";
  }

  void writeDescriptor() {
    writeItems();
    writeParameterTable();
    writeRequirements();
    auto table = [&](bool Present, const char *What) { return Present ? name(What) : std::string("0"); };
    size_t Params = Task.Parameters.size() + Task.Captured.size() + Task.Reads.size();
    std::string Base = Task.IsCall               ? "&streamap_task_" + Task.Symbol
                       : Task.Implements.empty() ? "0"
                                                 : "&streamap_task_" + Task.Implements;
    line(descriptorLinkage() + "streamap_task " + descriptorName(Task) + " =");
    line("{ STREAMAP_ABI_VERSION, sizeof(streamap_task), " + quoted(Task.Name) + ", " + quoted(Task.Pragma.File) + ", " +
         std::to_string(Task.Pragma.Line) + ", " + std::to_string(flags()) + ",");
    line("  " + std::to_string(Task.Items.size()) + ", " + std::to_string(Params) + ", " +
         std::to_string(Task.Requirements.size()) + ", sizeof(" + pack() + "), " + table(!Task.Items.empty(), "items") + ", " +
         table(Params != 0, "params") + ", " + table(!Task.Requirements.empty(), "requirements") + ", " + Base + ",");
    line("  " + table(!Task.IsCall, "body") + ", " + table(hasCounts(), "counts") + ", " + table(hasGrids(), "grids") + ", " +
         table(!Task.Sections.empty(), "sections") + ", " + table(!Task.Priority.empty(), "priority") + ", " +
         table(!Task.Cores.empty(), "cores") + ", " + table(!Task.Memory.empty(), "memory") + ", " +
         table(!Task.Share.empty(), "share") + ", " + table(!Task.Cost.empty(), "cost") + ", " +
         (Task.G.exists() ? "&" + name("images") : std::string("0")) + " };");
  }

  /// Statements that fill `streamap_pack_` from the parameters in scope.
  void fillPack() {
    line("  __builtin_memset(&streamap_pack_, 0, sizeof streamap_pack_);");
    auto fill = [&](const ValueModel &Value) {
      std::string Field = "streamap_pack_." + field(Value);
      if (Value.IsRecord)
        line("  __builtin_memcpy(&" + Field + ", &" + Value.Name + ", sizeof " + Value.Name + ");");
      else
        line("  " + Field + " = " + (Value.IsPointer ? "(void *)" : "") + Value.Name + ";");
    };
    for (const ValueModel &Value : Task.Parameters)
      fill(Value);
    for (const ValueModel &Value : Task.Captured)
      fill(Value);
    for (size_t I = 0; I < Task.Reads.size(); ++I) {
      for (const std::string &Source : Task.Reads[I].Sources)
        line("  streamap_wait_on_bytes((const void *)&(" + Source + "), sizeof(" + Source + "));");
      line("  streamap_pack_." + readName(I) + " = (" + Task.Reads[I].Text + ");");
    }
  }

  void writeEnter() {
    line("static int " + name("enter") + "(" + parameters({"streamap_entry *streamap_entry_"}) + ")");
    line("{");
    line("  " + pack() + " streamap_pack_;");
    line("  if (" + name("direct") + ") { " + name("direct") + " = 0; return 0; }");
    fillPack();
    line("  if (!streamap_launch(&" + descriptorName(Task) + ", &streamap_pack_)) return 1;");
    line("  streamap_enter_inline(streamap_entry_);");
    line("  return 0;");
    line("}");
  }

  void writeBaseDeclaration() {
    if (Task.Linkage == TaskLinkage::Internal || Task.Linkage == TaskLinkage::Inline)
      line("static const streamap_task streamap_task_" + Task.Symbol + ";");
    else
      line("extern const streamap_task streamap_task_" + Task.Symbol + ";");
  }

  void writeCallStub() {
    std::vector<std::string> Leading;
    for (const ValueModel &Value : Task.Captured)
      Leading.push_back(Value.Declared);
    if (!Task.ParameterList.empty())
      Leading.push_back(Task.ParameterList);
    line("static void " + name("call") + "(" + (Leading.empty() ? "void" : joined(Leading)) + ")");
    line("{");
    line("  " + pack() + " streamap_pack_;");
    fillPack();
    std::vector<std::string> Names;
    for (const ValueModel &Value : Task.Parameters)
      Names.push_back(Value.Name);
    // Where no launch is possible the function's own entry finds that out again and runs the body.
    line("  if (streamap_launch(&" + descriptorName(Task) + ", &streamap_pack_)) (" + Task.Name + ")(" + joined(Names) + ");");
    line("}");
  }

  const TaskModel &Task;
  std::vector<GeneratedLine> Lines;
};

} // namespace

std::string descriptorName(const TaskModel &Task) {
  return "streamap_task_" + (Task.IsCall ? Task.Id : Task.Symbol);
}

std::vector<GeneratedLine> emitBeforeTask(const TaskModel &Task) {
  return TaskWriter(Task).before();
}

std::vector<GeneratedLine> emitAfterTask(const TaskModel &Task) {
  return TaskWriter(Task).after();
}

std::vector<GeneratedLine> emitCall(const TaskModel &Call) {
  return TaskWriter(Call).call();
}

std::string emitEntry(const TaskModel &Task) {
  std::vector<std::string> Arguments;
  for (const ValueModel &Value : Task.Parameters)
    Arguments.push_back(Value.Name);
  Arguments.push_back("&streamap_entered");
  return std::string(Task.SplitVariable.empty() ? "STREAMAP_ENTER" : "STREAMAP_ENTER_SPLIT") + "(streamap_enter_" + Task.Id +
         "(" + joined(Arguments) + "));";
}

std::string emitCallee(const TaskModel &Call) {
  std::string Result = "streamap_call_" + Call.Id + "(";
  for (size_t I = 0; I < Call.Captured.size(); ++I) {
    const ValueModel &Value = Call.Captured[I];
    if (I != 0)
      Result += ", ";
    if (Value.WaitOn.empty())
      Result += Value.Name;
    else
      Result += "(streamap_wait_on_bytes(&" + Value.WaitOn + ", sizeof " + Value.WaitOn + "), " + Value.Name + ")";
  }
  if (!Call.Captured.empty() && !Call.Parameters.empty())
    Result += ", ";
  return Result;
}

static std::string loopCall(const char *Function, const SplitLoopModel &Loop, const std::string &Type) {
  return "(" + Type + ")" + Function + "(" + integer(Loop.BodyLower) + ", " + integer(Loop.BodyUpper) + ", " +
         integer(Loop.BodyStep) + ", " + std::to_string(Loop.Relation) + ", streamap_part)";
}

std::string emitLoopFirst(const SplitLoopModel &Loop, const std::string &Type) {
  return loopCall("streamap_loop_first", Loop, Type);
}

std::string emitLoopBound(const SplitLoopModel &Loop, const std::string &Type) {
  return loopCall("streamap_loop_bound", Loop, Type);
}

std::string emitWait() {
  return "streamap_wait();";
}

std::string emitRegions(const std::vector<RegionModel> &Regions, bool Discard) {
  size_t Axes = 0;
  for (const RegionModel &Region : Regions)
    Axes += Region.Axes.size();
  std::string Count = std::to_string(Regions.size());
  std::string Result =
      "{ streamap_axis streamap_axes[" + std::to_string(Axes) + "]; streamap_region streamap_regions[" + Count + "]; ";
  size_t At = 0;
  for (size_t I = 0; I < Regions.size(); ++I) {
    const RegionModel &Region = Regions[I];
    Result += "streamap_region_set(&streamap_regions[" + std::to_string(I) + "], (const volatile void *)" + Region.Base + ", " +
              std::to_string(Region.Axes.size()) + ", &streamap_axes[" + std::to_string(At) + "]); ";
    for (const AxisModel &Axis : Region.Axes) {
      std::string Lower = integer(Axis.Lower), Length = integer(Axis.Length);
      std::string Extent = Axis.ExtentLength.empty() ? "0, STREAMAP_UNKNOWN_EXTENT"
                                                     : integer(Axis.ExtentLower) + ", " + integer(Axis.ExtentLength);
      Result += "streamap_axis_set(&streamap_axes[" + std::to_string(At++) + "], " + Lower + ", " + Length + ", " + Lower + ", " +
                Length + ", " + Extent + ", " + integer(Axis.Pitch) + "); ";
    }
  }
  return Result + (Discard ? "streamap_discard" : "streamap_wait_on") + "(streamap_regions, " + Count + "); }";
}

std::vector<GeneratedLine> emitUnit(const UnitModel &Unit, const std::string &ToolVersion) {
  std::vector<GeneratedLine> Lines;
  auto line = [&](std::string Text) { Lines.push_back({std::move(Text), 0}); };
  for (const std::string &Symbol : Unit.Used)
    line("extern const streamap_task streamap_task_" + Symbol + ";");
  std::string Uses;
  for (const std::string &Symbol : Unit.Used)
    Uses += "&streamap_task_" + Symbol + ", ";
  if (!Uses.empty())
    line("static const streamap_task *const streamap_used[] = { " + Uses + "};");
  std::string Tasks;
  for (const std::string &Name : Unit.Tasks)
    Tasks += "&" + Name + ", ";
  if (!Tasks.empty())
    line("static const streamap_task *const streamap_tasks[] = { " + Tasks + "};");
  line("extern const char *const __start_streamap_plain[] __attribute__((weak, visibility(\"hidden\")));");
  line("extern const char *const __stop_streamap_plain[] __attribute__((weak, visibility(\"hidden\")));");
  line("static const streamap_unit streamap_this_unit =");
  line("{ STREAMAP_ABI_VERSION, " + std::to_string(Unit.Tasks.size()) + ", " + quoted(Unit.File) + ", " +
       quoted("streamap-cc " + ToolVersion) + ", " + (Tasks.empty() ? "0" : "streamap_tasks") +
       ", __start_streamap_plain, __stop_streamap_plain };");
  line("__attribute__((constructor(101))) static void streamap_register_this_unit(void)");
  // The linker must not drop the references to descriptors of other files: they are what makes a definition by another compiler
  // fail.
  line(std::string("{ ") + (Uses.empty() ? "" : "__asm__ volatile(\"\" : : \"r\"(streamap_used)); ") +
       "streamap_register(&streamap_this_unit); }");
  return Lines;
}

} // namespace streamap
