//===- Regions.cpp - The lists of wait on and discard ---------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Regions.h"
#include "emit/EmitTask.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace streamap {

namespace {

class RegionWriter {
public:
  RegionWriter(const BoundStatement &Statement, const ASTContext &Context, Reporter &Report)
      : Pragma(*Statement.Pragma), Parsed(*Pragma.Parsed.Result), Context(Context), Report(Report) {
    // The parser was given `(void)(e);` for every expression, in this order.
    if (Statement.Regions)
      for (const Stmt *Child : Statement.Regions->body())
        if (const auto *Cast = dyn_cast<CStyleCastExpr>(Child))
          Expressions.push_back(Cast->getSubExpr()->IgnoreParenImpCasts());
  }

  std::string run() {
    std::vector<RegionModel> Regions;
    size_t Expected = 0;
    for (const SectionExpr &Section : Parsed.Sections) {
      ++Expected;
      for (const SectionAxis &Axis : Section.Axes)
        Expected += !Axis.Lower.empty() + !Axis.Length.empty();
    }
    if (Expressions.size() != Expected)
      return ""; // the parser has said what is wrong
    for (const SectionExpr &Section : Parsed.Sections)
      addRegion(Section, Regions);
    return emitRegions(Regions, Parsed.Kind == DirectiveKind::Discard);
  }

private:
  const Expr *next() { return Expressions[At++]; }

  std::string text(Fragment F) const {
    std::string Result;
    for (unsigned T = F.Begin; T < F.End; ++T) {
      if (T > F.Begin && Pragma.blankBefore(T))
        Result += ' ';
      Result += Pragma.Tokens[T].Text;
    }
    return Result;
  }

  std::string word() const { return directiveName(Parsed.Kind); }

  void addRegion(const SectionExpr &Section, std::vector<RegionModel> &Regions) {
    const Expr *Base = next();
    std::string Name = text(Section.Base);
    SourceLocation Loc = Pragma.location(Section.Base.Begin);
    QualType Type = Base->getType();
    // A parameter declared as an array has its length in its declared type.
    if (const auto *Reference = dyn_cast<DeclRefExpr>(Base->IgnoreParenImpCasts()))
      if (const auto *Parameter = dyn_cast<ParmVarDecl>(Reference->getDecl()))
        if (const auto *Decayed = dyn_cast<DecayedType>(Parameter->getType()))
          Type = Decayed->getOriginalType();
    std::optional<QualType> Data = dataOf(Type);
    if (Section.Axes.empty()) {
      if (Data)
        addContainer(Name, Regions);
      else
        addWhole(Base, Type, Name, Loc, Regions);
      return;
    }
    RegionModel Region;
    Region.Base = "(" + Name + ")";
    if (Data) {
      Region.Base += ".data()";
      Type = *Data;
    }
    std::string Element = Region.Base;
    for (const SectionAxis &Axis : Section.Axes) {
      QualType Inner = Context.getAsArrayType(Type) ? Context.getAsArrayType(Type)->getElementType()
                       : Type->isPointerType()      ? Type->getPointeeType()
                                                    : QualType();
      if (Inner.isNull() || Inner->isFunctionType() || (Type->isPointerType() && Element != Region.Base)) {
        Report.report(Diag::RegionNotMemory, Loc, {Name, word()});
        return;
      }
      const std::string Whole = Element;
      Element += "[0]";
      Region.Axes.push_back(axis(Axis, Type, Whole, Element, Name, Loc, Base->getType()->isPointerType()));
      Type = Inner;
    }
    Regions.push_back(std::move(Region));
  }

  AxisModel axis(const SectionAxis &Axis, QualType Type, const std::string &Whole, const std::string &Element,
                 const std::string &Name, SourceLocation Loc, bool Decayed) {
    AxisModel Result;
    bool First = Whole.find("[0]") == std::string::npos;
    Result.Pitch = "sizeof(" + Element + ")";
    Result.Lower = "0";
    auto integer = [&](Fragment F, const char *What) {
      const Expr *E = next();
      if (!E->getType()->isIntegerType())
        Report.report(Diag::NotInteger, Pragma.location(F.Begin), {What, E->getType().getAsString()});
      return text(F);
    };
    if (!Axis.Lower.empty())
      Result.Lower = integer(Axis.Lower, "the lower bound");
    if (!Axis.HasColon)
      Result.Length = "1";
    else if (!Axis.Length.empty())
      Result.Length = integer(Axis.Length, "the length");
    else if (Whole == "(" + Name + ").data()")
      Result.Length = "(" + Name + ").size() - (" + Result.Lower + ")";
    else if (Decayed && First)
      Result.Length = lengthOfDeclared(Type, Name, Loc) + " - (" + Result.Lower + ")";
    else if (Type->isConstantArrayType() || Type->isVariableArrayType())
      Result.Length = "sizeof(" + Whole + ") / sizeof(" + Element + ") - (" + Result.Lower + ")";
    else
      Report.report(Diag::RegionUnknown, Loc, {Name, word()});
    return Result;
  }

  /// The type of `x.data()`, where x is one of C++'s containers of neighbours
  /// (vector, array, span, string): such a name means its elements.
  static std::optional<QualType> dataOf(QualType Type) {
    const CXXRecordDecl *Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition())
      return std::nullopt;
    std::optional<QualType> Data;
    bool HasSize = false;
    auto look = [&](const CXXRecordDecl *Record) {
      for (const CXXMethodDecl *Method : Record->methods()) {
        if (!Method->getIdentifier() || Method->getNumParams() != 0)
          continue;
        HasSize |= Method->getName() == "size";
        if (Method->getName() == "data" && Method->getReturnType()->isPointerType())
          Data = Method->getReturnType();
      }
      return true;
    };
    look(Class);
    Class->forallBases(look);
    return HasSize ? Data : std::nullopt;
  }

  void addContainer(const std::string &Name, std::vector<RegionModel> &Regions) {
    RegionModel Region;
    Region.Base = "(" + Name + ").data()";
    AxisModel Axis;
    Axis.Lower = "0";
    Axis.Length = "(" + Name + ").size()";
    Axis.Pitch = "sizeof(*(" + Name + ").data())";
    Region.Axes.push_back(std::move(Axis));
    Regions.push_back(std::move(Region));
  }

  /// A name alone: the whole object.
  void addWhole(const Expr *Base, QualType Type, const std::string &Name, SourceLocation Loc, std::vector<RegionModel> &Regions) {
    if (!Base->isGLValue() || Type->isFunctionType()) {
      Report.report(Diag::RegionNotMemory, Loc, {Name, word()});
      return;
    }
    if (Type->isPointerType() || Type->isIncompleteArrayType()) {
      Report.report(Diag::RegionUnknown, Loc, {Name, word()});
      return;
    }
    RegionModel Region;
    AxisModel Axis;
    Axis.Lower = "0";
    Axis.Length = "1";
    // sizeof a parameter declared as an array is that of a pointer.
    bool Decayed = Base->getType()->isPointerType();
    Region.Base = Decayed ? "(" + Name + ")" : "&(" + Name + ")";
    Axis.Pitch = "sizeof(" + Name + ")";
    if (Decayed) {
      Axis.Pitch = "sizeof((" + Name + ")[0])";
      Axis.Length = lengthOfDeclared(Type, Name, Loc);
    }
    Region.Axes.push_back(std::move(Axis));
    Regions.push_back(std::move(Region));
  }

  std::string lengthOfDeclared(QualType Type, const std::string &Name, SourceLocation Loc) {
    if (const auto *Constant = Context.getAsConstantArrayType(Type))
      return std::to_string(Constant->getSize().getZExtValue());
    // The value that the length had at the call is nowhere to be read again: parameters may have changed since.
    Report.report(Diag::RegionUnknown, Loc, {Name, word()});
    return "0";
  }

  const RecordedPragma &Pragma;
  const Directive &Parsed;
  const ASTContext &Context;
  Reporter &Report;
  std::vector<const Expr *> Expressions;
  size_t At = 0;
};

} // namespace

std::string statementText(const BoundStatement &Statement, const ASTContext &Context, Reporter &Report) {
  if (Statement.Pragma->Parsed.Result->Kind == DirectiveKind::Wait || Statement.NoInstance)
    return emitWait();
  return RegionWriter(Statement, Context, Report).run();
}

} // namespace streamap
