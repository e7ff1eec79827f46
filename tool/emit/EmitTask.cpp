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
#include "emit/PackText.h"
#include "kernel/EmitTwins.h"

#include <cassert>

namespace streamap {

namespace {

/// The address of the descriptor at \p Place, which has been declared.
std::string addressOf(const DescriptorPlace &Place) {
  if (!Place.Function.empty())
    return "(const streamap_task *)&streamap_described<" + Place.Signature + ", " + Place.Function + ">::streamap_task_of";
  return "&" + Place.Scope + "streamap_task_" + Place.Symbol;
}

/// Declares it, where it has to be.
std::vector<std::string> declarationOf(const DescriptorPlace &Place, bool IsCXX, const std::string &Attributes = "") {
  if (!Place.Function.empty())
    return {};
  std::string Text = Attributes + "const streamap_task streamap_task_" + Place.Symbol + ";";
  if (!IsCXX)
    return {(Place.IsLocal ? "static " : "extern ") + Text};
  if (!Place.IsLocal)
    return {"extern \"C\" { extern " + Text + " }"};
  // One of this file has been declared where it belongs.
  return Place.Scope.empty() ? std::vector<std::string>{"namespace { extern " + Text + " }"} : std::vector<std::string>();
}

std::string number(int64_t Value) {
  // The most negative value has no literal of its own.
  if (Value == INT64_MIN)
    return "(-9223372036854775807L - 1)";
  return std::to_string(Value);
}

std::string integer(const std::string &Text) {
  return "(streamap_int)(" + Text + ")";
}

/// The rows of a table of streamap_item.
std::string itemRows(const std::vector<ItemModel> &Items) {
  std::string Rows;
  for (const ItemModel &Item : Items) {
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
    Rows += "{" + std::to_string(Kind) + ", " + std::to_string(Form) + ", " +
            (Form == STREAMAP_ITEM_COUNT && !Item.Count.empty() ? integer(Item.Count) : number(Item.First)) + ", " +
            number(Item.Last) + "}, ";
  }
  return Rows;
}

/// Writes everything that belongs to one task or annotated call.
class TaskWriter {
public:
  explicit TaskWriter(const TaskModel &Task) : Task(Task), Pack(Task, pack(), name("type")) {}

  /// In front of a definition.
  std::vector<GeneratedLine> before() {
    openNamespaces();
    if (Task.Implements)
      declare(*Task.Implements);
    if (Task.Shape == TaskShape::CXX)
      for (const std::string &Text : declarationOf(ownPlace(), true, attributes()))
        line(Text);
    line("static int " + name("enter") + "(" + parameters({"streamap_entry *streamap_entry_"}) + ");");
    closeNamespaces();
    return std::move(Lines);
  }

  /// Behind it.
  std::vector<GeneratedLine> after() {
    openNamespaces();
    writePack();
    writeDirect(Task.Linkage == TaskLinkage::Inline || Task.Linkage == TaskLinkage::Weak);
    writeBody();
    writeThunks();
    writeGVersion();
    writeDescriptor(descriptorLinkage() + "streamap_task " + descriptorName(Task));
    writeEnter("&" + descriptorName(Task));
    if (Task.Shape == TaskShape::CXX && ownPlace().IsLocal)
      line("static const bool " + name("found") + " = (streamap_described<" + name("type") + ", " + Task.Self +
           ">::streamap_task_of = &" + descriptorName(Task) + ", true);");
    closeNamespaces();
    return std::move(Lines);
  }

  /// Behind the opening brace, all of it.
  std::vector<GeneratedLine> within() {
    line("static __thread int " + name("direct") + ";");
    line("struct streamap_here {");
    writePack();
    writeBody();
    writeThunks();
    writeDescribed("of_body");
    writeUnit();
    writeEnter("streamap_task_of_body()", "streamap_keep(&streamap_registered<streamap_here>::streamap_once);");
    line("};");
    return std::move(Lines);
  }

  std::vector<GeneratedLine> call() {
    if (isCXX())
      return callCXX();
    declare(Task.Base);
    writePack();
    writeThunks();
    writeDescriptor("static const streamap_task " + descriptorName(Task));
    writeCallStub("&" + descriptorName(Task));
    return std::move(Lines);
  }

private:
  /// An expression: an object that makes the call, of a class of the statement's own.
  std::vector<GeneratedLine> callCXX() {
    line("__extension__ ({");
    if (Task.Scope != "::" && !Task.Scope.empty())
      line("using namespace " + Task.Scope.substr(0, Task.Scope.size() - 2) + ";");
    line("struct streamap_here {");
    for (const std::string &Alias : Task.Aliases)
      line(Alias);
    writePack();
    writeThunks();
    writeDescribed("of_call");
    writeUnit();
    writeCallStub("streamap_task_of_call()");
    line("};");
    // An object and not a pointer to a function: gcc would convert arguments that are arrays to pointers.
    line("streamap_keep(&streamap_registered<streamap_here>::streamap_once); streamap_here(); })");
    return std::move(Lines);
  }

  /// The descriptor in a function of the class.
  void writeDescribed(const std::string &Name) {
    line("static const streamap_task *streamap_task_" + Name + "()");
    line("{");
    writeDescriptor("static const streamap_task streamap_own_task");
    line("  return &streamap_own_task;");
    line("}");
  }

  void line(std::string Text) { Lines.push_back({std::move(Text), Task.Line}); }

  std::string name(const char *What) const { return std::string("streamap_") + What + "_" + Task.Id; }
  std::string pack() const { return "struct " + name("pack"); }
  bool isCXX() const { return Task.Shape != TaskShape::C; }

  void openNamespaces() {
    for (const std::string &Name : Task.Namespaces)
      line("namespace " + Name + (Name.empty() ? "{" : " {"));
  }

  void closeNamespaces() {
    for (size_t I = 0; I < Task.Namespaces.size(); ++I)
      line("}");
  }

  /// The user's parameters, then what the generated code adds.
  std::string parameters(std::vector<std::string> Extra) const {
    if (!Task.ParameterList.empty())
      Extra.insert(Extra.begin(), Task.ParameterList);
    return joined(Extra);
  }

  void writePack() {
    if (isCXX())
      line("typedef void " + name("type") + "(" + Task.ParameterList + ");");
    line(pack() + " { " + Pack.fields() + "};");
  }

  //===--- Descriptors by name --------------------------------------------===//

  DescriptorPlace ownPlace() const {
    DescriptorPlace Place;
    Place.Symbol = Task.Symbol;
    Place.IsLocal = Task.Linkage == TaskLinkage::Internal || Task.Linkage == TaskLinkage::Inline;
    return Place;
  }

  void declare(const DescriptorPlace &Place) {
    if (isCXX() || (Place.Symbol == Task.Symbol && !Task.IsCall))
      return; // in C++ they are declared in front of the file
    for (const std::string &Text : declarationOf(Place, false))
      line(Text);
  }

  //===--- Running the body -----------------------------------------------===//

  void writeDirect(bool Shared) {
    // The function that is called may be another file's copy: the flag must be the same one.
    line(std::string(Shared ? "__attribute__((weak))" : "static") + " __thread int " + name("direct") + ";");
  }

  /// The function, by a name that means it alone.
  std::string function() const { return isCXX() ? "static_cast<" + name("type") + " *>(" + Task.Self + ")" : Task.Name; }

  void writeBody() {
    line("static void " + name("body") + "(const void *streamap_raw)");
    line("{ " + Pack.open() + name("direct") + " = 1; (" + function() + ")(" + Pack.unpacked(true) + "); }");
  }

  /// A thunk is two functions: one unpacks, the other has the user's own
  /// parameter list and so the right types for the user's own expressions.
  void writeThunk(const char *What, const std::string &Result, const std::vector<std::string> &Extra,
                  const std::vector<std::string> &ExtraNames, const std::vector<std::string> &Statements) {
    std::vector<std::string> Inner = Pack.extraParameters();
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
    line("{ " + Pack.open() + (Result == "void" ? "" : "return ") + name(What) + "_of(" + Pack.unpacked(false, ExtraNames) +
         "); }");
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
                           std::to_string(Section.Access) + ", " + Pack.address(Section.Parameter) + ", " +
                           std::to_string(Section.Axes.size()) + ", streamap_axes);");
    }
    writeThunk("sections", "void", {"streamap_sink *streamap_sink_"}, {"streamap_sink_"}, Statements);
  }

  void writeItems() {
    if (std::string Rows = itemRows(Task.Items); !Rows.empty())
      line("static const streamap_item " + name("items") + "[] = { " + Rows + "};");
  }

  void writeParameterTable() {
    if (Pack.rowCount() != 0)
      line("static const streamap_param " + name("params") + "[] = { " + Pack.rows() + "};");
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
    unsigned Flags = 0;
    if (Task.Once)
      Flags |= STREAMAP_FLAG_ONCE;
    if (!Task.SplitVariable.empty())
      Flags |= STREAMAP_FLAG_SPLIT;
    if (Task.InHeader)
      Flags |= STREAMAP_FLAG_INLINE;
    if (Task.IsCall)
      Flags |= STREAMAP_FLAG_CALL;
    if (Task.Implements)
      Flags |= STREAMAP_FLAG_IMPLEMENTS;
    if (baseIsLate())
      Flags |= STREAMAP_FLAG_LATE_BASE;
    return Flags;
  }

  std::string descriptorLinkage() const {
    bool IsLocal = Task.Linkage == TaskLinkage::Internal || Task.Linkage == TaskLinkage::Inline;
    if (isCXX()) // its declaration has the attributes
      return IsLocal ? "namespace { const " : "extern \"C\" { const ";
    return IsLocal ? "static const " : attributes() + "const ";
  }

  /// Of the descriptor's declaration.
  std::string attributes() const {
    if (Task.Linkage == TaskLinkage::Internal || Task.Linkage == TaskLinkage::Inline)
      return "";
    return std::string("__attribute__((visibility(\"") + (Task.Hidden ? "hidden" : "default") + "\")" +
           (Task.Linkage == TaskLinkage::Weak ? ", weak" : "") + ")) ";
  }

  /// The descriptor of the task that a call or another version belongs to; null if it belongs to none.
  const DescriptorPlace *base() const { return Task.IsCall ? &Task.Base : Task.Implements ? &*Task.Implements : nullptr; }
  bool baseIsLate() const { return base() && !base()->Function.empty(); }

  /// \p Declaration begins with the block that it stands in, if it stands in one.
  void writeDescriptor(const std::string &Declaration) {
    writeItems();
    writeParameterTable();
    writeRequirements();
    auto table = [&](bool Present, const char *What) { return Present ? name(What) : std::string("0"); };
    size_t Params = Pack.rowCount();
    std::string Base = base() ? addressOf(*base()) : "0";
    line(Declaration + " =");
    line("{ STREAMAP_ABI_VERSION, sizeof(streamap_task), " + quoted(Task.Name) + ", " + quoted(Task.Pragma.File) + ", " +
         std::to_string(Task.Pragma.Line) + ", " + std::to_string(flags()) + ",");
    line("  " + std::to_string(Task.Items.size()) + ", " + std::to_string(Params) + ", " +
         std::to_string(Task.Requirements.size()) + ", sizeof(" + pack() + "), " + table(!Task.Items.empty(), "items") + ", " +
         table(Params != 0, "params") + ", " + table(!Task.Requirements.empty(), "requirements") + ", " + Base + ",");
    line("  " + table(!Task.IsCall, "body") + ", " + table(hasCounts(), "counts") + ", " + table(hasGrids(), "grids") + ", " +
         table(!Task.Sections.empty(), "sections") + ", " + table(!Task.Priority.empty(), "priority") + ", " +
         table(!Task.Cores.empty(), "cores") + ", " + table(!Task.Memory.empty(), "memory") + ", " +
         table(!Task.Share.empty(), "share") + ", " + table(!Task.Cost.empty(), "cost") + ", " +
         (Task.G.exists() ? "&" + name("images") : std::string("0")) + " };" +
         (Declaration.find('{') == std::string::npos ? "" : " }"));
  }

  /// What registers a descriptor that lies within its function.
  void writeUnit() {
    line("static const streamap_unit *streamap_unit_of_task()");
    line("{");
    std::string Own = Task.IsCall ? "streamap_task_of_call()" : "streamap_task_of_body()";
    line("  static const streamap_task *const streamap_tasks[] = { " + Own + " };");
    line("  static const streamap_unit streamap_own_unit = { STREAMAP_ABI_VERSION, 1, " + quoted(Task.Pragma.File) +
         ", \"streamap-cc\", streamap_tasks, 0, 0 };");
    if (!Task.IsCall && Task.HasLinkage)
      line("  streamap_described<" + name("type") + ", " + Task.Self + ">::streamap_task_of = " + Own + ";");
    line("  return &streamap_own_unit;");
    line("}");
  }

  void fillPack() {
    for (const std::string &Statement : Pack.fill())
      line("  " + Statement);
  }

  /// \p Descriptor: its address. \p First: a statement in front, where none may be.
  void writeEnter(const std::string &Descriptor, const std::string &First = "") {
    line("static int " + name("enter") + "(" + parameters({"streamap_entry *streamap_entry_"}) + ")");
    line("{");
    line("  " + pack() + " streamap_pack_;");
    if (!First.empty())
      line("  " + First);
    line("  if (" + name("direct") + ") { " + name("direct") + " = 0; return 0; }");
    fillPack();
    line("  if (!streamap_launch(" + Descriptor + ", &streamap_pack_)) return 1;");
    line("  streamap_enter_inline(streamap_entry_);");
    line("  return 0;");
    line("}");
  }

  void writeCallStub(const std::string &Descriptor) {
    std::vector<std::string> Leading;
    for (std::string &Captured : Pack.extraParameters())
      if (Leading.size() < Task.Captured.size())
        Leading.push_back(std::move(Captured));
    if (!Task.ParameterList.empty())
      Leading.push_back(Task.ParameterList);
    line((isCXX() ? std::string("void operator()") : "static void " + name("call")) + "(" +
         (Leading.empty() ? "void" : joined(Leading)) + ")" + (isCXX() ? " const" : ""));
    line("{");
    line("  " + pack() + " streamap_pack_;");
    fillPack();
    std::vector<std::string> Names;
    for (const ValueModel &Value : Task.Parameters)
      Names.push_back(Value.Name);
    // Where no launch is possible the function's own entry finds that out again and runs the body.
    line("  if (streamap_launch(" + Descriptor + ", &streamap_pack_)) (" + function() + ")(" + joined(Names) + ");");
    line("}");
  }

  const TaskModel &Task;
  PackText Pack;
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

std::vector<GeneratedLine> emitWithin(const TaskModel &Task) {
  std::vector<GeneratedLine> Lines = TaskWriter(Task).within();
  Lines.push_back({emitEntry(Task)}); // where a breakpoint on the function stops
  return Lines;
}

std::vector<GeneratedLine> emitCall(const TaskModel &Call) {
  return TaskWriter(Call).call();
}

std::string emitEntry(const TaskModel &Task) {
  std::vector<std::string> Arguments;
  for (const ValueModel &Value : Task.Parameters)
    Arguments.push_back(Value.Name);
  Arguments.push_back("&streamap_entered");
  return std::string(Task.SplitVariable.empty() ? "STREAMAP_ENTER" : "STREAMAP_ENTER_SPLIT") + "(" +
         (Task.Shape == TaskShape::Within ? "streamap_here::" : "") + "streamap_enter_" + Task.Id + "(" + joined(Arguments) +
         "));";
}

std::vector<std::string> emitDeclaration(const DescriptorPlace &Place) {
  return declarationOf(Place, true);
}

std::string emitCallee(const TaskModel &Call) {
  std::string Result = Call.Shape == TaskShape::C ? "streamap_call_" + Call.Id + "(" : "(";
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

std::vector<GeneratedLine> emitUnused(const std::string &Id, const std::vector<UnusedParameter> &Parameters) {
  std::vector<GeneratedLine> Lines;
  if (Parameters.empty())
    return Lines;
  Lines.push_back({"static __attribute__((unused)) void streamap_unused_" + Id + "("});
  for (const UnusedParameter &Parameter : Parameters) {
    Lines.push_back({&Parameter == &Parameters.front() ? "int" : ", int", Parameter.Line});
    Lines.push_back({Parameter.Name, Parameter.Line, Parameter.Column});
  }
  Lines.push_back({") {}"});
  return Lines;
}

/// What the directive in front of main registers.
static void emitProgram(const ProgramModel &Program, std::vector<GeneratedLine> &Lines) {
  auto line = [&](std::string Text) { Lines.push_back({std::move(Text), 0}); };
  const std::string Rows = itemRows(Program.Items);
  if (!Rows.empty())
    line("static const streamap_item streamap_program_items[] = { " + Rows + "};");
  line("static const streamap_program streamap_this_program = { STREAMAP_ABI_VERSION, " + std::to_string(Program.Items.size()) +
       ", " + (Rows.empty() ? "0" : "streamap_program_items") + ", " + quoted(Program.Pragma.File) + ", " +
       std::to_string(Program.Pragma.Line) + ", " + std::to_string(Program.Share) + " };");
  line("__attribute__((constructor(101))) static void streamap_register_this_program(void)");
  line("{ streamap_register_program(&streamap_this_program); }");
}

std::vector<GeneratedLine> emitUnit(const UnitModel &Unit, const std::string &ToolVersion) {
  std::vector<GeneratedLine> Lines;
  auto line = [&](std::string Text) { Lines.push_back({std::move(Text), 0}); };
  for (const std::string &Symbol : Unit.Used)
    for (std::string &Text : declarationOf({Symbol}, Unit.IsCXX))
      line(std::move(Text));
  // A member's descriptor has no symbol. One that says that it is there does.
  for (const std::string &Symbol : Unit.Members)
    line("extern \"C\" { extern const char streamap_task_" + Symbol + "; const char streamap_task_" + Symbol + " = 1; }");
  for (const std::string &Symbol : Unit.UsedMembers)
    line("extern \"C\" { extern const char streamap_task_" + Symbol + "; }");
  std::string Uses;
  for (const std::vector<std::string> *Symbols : {&Unit.Used, &Unit.UsedMembers})
    for (const std::string &Symbol : *Symbols)
      Uses += "&streamap_task_" + Symbol + ", ";
  if (!Uses.empty())
    line("static const void *const streamap_used[] = { " + Uses + "};");
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
  if (Unit.Program)
    emitProgram(*Unit.Program, Lines);
  return Lines;
}

} // namespace streamap
