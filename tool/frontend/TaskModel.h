//===- TaskModel.h - What the front end found, without Clang ----*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data between the front end, which fills it from a checked source, and
// emit/, which writes C from it. Expressions are text: the tokens of the source
// after macro expansion, with reads of memory replaced by the names of the
// values that the call stores in the argument pack.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_TASKMODEL_H
#define STREAMAP_FRONTEND_TASKMODEL_H

#include "directive/Directive.h"
#include "kernel/KernelModel.h"
#include "streamap/abi.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace streamap {

/// A presumed position, as `#line` and compilers speak of it.
struct SourcePoint {
  std::string File;
  unsigned Line = 0;
};

/// How a parameter leads to the elements of its sections.
enum class Passing : uint8_t {
  Value,     ///< it does not: its bytes are copied at the call; so is what a reference to const refers to
  Pointer,   ///< by its value
  Reference, ///< it is the only element
  Span       ///< std::span: an address and a length
};

/// A value in the argument pack: a parameter of the task, or a variable of the
/// caller that a call's own clauses mention.
struct ValueModel {
  std::string Name;
  std::string Declared;   ///< `T Name`, of a type without qualifiers
  std::string Field;      ///< the same with the name streamap_<Name>, as a member of the pack
  std::string Shown;      ///< its declared type, for people
  bool IsPointer = false; ///< to the elements of sections
  Passing Passed = Passing::Value;
  std::string Element;   ///< C++: names an element, for its type; else empty
  bool IsRecord = false; ///< copied by memcpy: it may have const members
  unsigned Access = 0;   ///< union of enum streamap_access
  unsigned Operator = 0; ///< enum streamap_operator
  unsigned Scalar = 0;   ///< enum streamap_scalar
  std::string WaitOn;    ///< captured value: variable of the caller that a task may be writing; else empty
};

/// A read of memory in a clause: done by the call, once the bytes are home.
struct MemoryRead {
  std::string Type;                 ///< of the value
  std::string Text;                 ///< the whole lvalue that is read
  std::vector<std::string> Sources; ///< lvalues to wait for, in this order; the last is Text
};

/// One dimension of a section. Text of integer expressions; Lower and Length
/// may mention the split variable.
struct AxisModel {
  std::string Lower, Length;
  bool UsesSplit = false;
  std::string ExtentLower, ExtentLength; ///< ExtentLength empty: not known
  std::string Pitch;                     ///< bytes
};

/// What one clause says of one parameter.
struct SectionModel {
  unsigned Parameter = 0; ///< index into TaskModel::Parameters
  unsigned Access = 0;    ///< enum streamap_access
  std::vector<AxisModel> Axes;
  bool FromType = false; ///< no clause named the parameter: its array type speaks
  bool Assumed = false;  ///< out(assume: ...)
  std::string Remark;    ///< why an `out` travels as inout
  std::string Shown;     ///< as the user wrote it
};

/// A split loop's own expressions.
struct SplitLoopModel {
  std::string Lower, Upper, Step;             ///< for thunks
  std::string BodyLower, BodyUpper, BodyStep; ///< for the body, where memory is read as the user wrote it
  std::string Type;                           ///< of the index
  streamap_loop_relation Relation = STREAMAP_LOOP_LT;
  unsigned Line = 0;
};

struct ItemModel {
  ResourceKind Kind = ResourceKind::C;
  ResourceItem::Form Form = ResourceItem::Form::Constant;
  int64_t First = 0, Last = 0; ///< Constant: First is the count
  std::string Count;           ///< Expression
};

/// Which text of which language a task becomes.
enum class TaskShape : uint8_t {
  C,      ///< around the definition
  CXX,    ///< around the definition, which is an ordinary function
  Within, ///< C++: in the body, in a class of its own; for inline functions, members and templates
};

/// Where a descriptor that is not this file's own to define is found.
struct DescriptorPlace {
  std::string Symbol;    ///< streamap_task_<Symbol>
  bool IsLocal = false;  ///< static in this file
  std::string Scope;     ///< C++: qualifies the name of a local one, "::a::"
  std::string Signature; ///< C++: of a task that holds its descriptor itself: its function's type, and
  std::string Function;  ///< what names it
};

enum class TaskLinkage : uint8_t {
  External, ///< one definition in the program; others refer to its descriptor
  Weak,
  Internal,
  Inline ///< C99 inline: each file has a descriptor of its own
};

/// A task function that is defined in this translation unit, or the variant
/// of one that a call statement asks for.
struct TaskModel {
  std::string Name;   ///< as the user says it
  std::string Id;     ///< unique in the translation unit; part of generated names
  std::string Symbol; ///< for streamap_task_<Symbol>
  TaskLinkage Linkage = TaskLinkage::External;
  TaskShape Shape = TaskShape::C;
  std::string Self;                    ///< C++: names the function, whatever its parameters hide
  std::string Scope;                   ///< C++: qualifies its namespace's members, "::a::"
  std::vector<std::string> Namespaces; ///< C++: to open around text beside the definition; "" has no name
  bool Hidden = false;                 ///< visibility
  bool HasLinkage = true;              ///< a member of a local class has none
  bool InHeader = false;
  SourcePoint Pragma;
  unsigned Line = 0; ///< that generated code counts as, in the file of the definition or call

  std::string ParameterList; ///< tokens between the parentheses; empty for (void)
  std::vector<ValueModel> Parameters;
  std::vector<ValueModel> Captured; ///< a call's, behind the parameters
  std::vector<MemoryRead> Reads;    ///< value k is streamap_read_<k>

  std::vector<ItemModel> Items;
  std::string SplitVariable; ///< empty: no split
  std::vector<SplitLoopModel> Loops;
  std::vector<SectionModel> Sections;
  std::vector<RequireExpr> Requirements;
  std::string Priority, Cores, Memory, Share, Cost; ///< empty: no clause
  bool Once = false;
  std::optional<DescriptorPlace> Implements;
  DescriptorPlace Base;             ///< of a call: its task's
  std::vector<std::string> Remarks; ///< for --streamap-explain

  std::vector<std::string> Aliases; ///< C++, of a call: what its task's clauses call a template's arguments
  GVersion G;                       ///< does not exist unless the list may run on G
  bool IsCall = false;              ///< made for a call statement of the task named by Symbol
};

/// The directive in front of main: the program's processes are the tasks.
struct ProgramModel {
  SourcePoint Pragma;
  std::vector<ItemModel> Items;
  int Share = 100; ///< percent of a GPU that a G task takes
};

/// Everything that one source registers.
struct UnitModel {
  std::string File; ///< as the user gave it
  bool IsCXX = false;
  std::vector<std::string> Tasks;                ///< descriptor names, in order
  std::vector<std::string> Used;                 ///< symbols of tasks defined elsewhere that this unit uses
  std::vector<std::string> Members, UsedMembers; ///< C++: symbols of member functions, defined here and elsewhere
  std::optional<ProgramModel> Program;
};

} // namespace streamap

#endif
