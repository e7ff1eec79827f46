//===- Probe.cpp - Clause expressions through the parser ------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Probe.h"
#include "frontend/DirectiveExpressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <cassert>

using namespace clang;

namespace streamap {

static constexpr const char NamePrefix[] = "streamap_probe_";

void Probe::add(Fragment Wanted, bool InSplit) {
  if (!Wanted.empty())
    Pieces.push_back({Wanted, InSplit && !SplitVariable.empty(), {}});
}

ProbedExpr Probe::find(Fragment Wanted) const {
  for (const Piece &P : Pieces)
    if (P.Wanted.Begin == Wanted.Begin && P.Wanted.End == Wanted.End)
      return P.Result;
  return {};
}

Probe::Probe(const RecordedPragma &Pragma, const FunctionDecl &Function, const CompoundStmt *Block)
    : Pragma(&Pragma), SplitVariable(splitVariableOf(*Pragma.Parsed.Result)), InBuffer(false), Function(&Function) {
  addFragments(*Pragma.Parsed.Result, *this);
  if (Block)
    read(*Block);
}

/// What became of the pieces, in their order.
void Probe::read(const CompoundStmt &Body) {
  size_t At = 0;
  for (const Stmt *Child : Body.body()) {
    const auto *Block = dyn_cast<CompoundStmt>(Child);
    if (!Block || At == Pieces.size())
      break; // the parser lost its way, and has said so
    ProbedExpr &Result = Pieces[At++].Result;
    for (const Stmt *Statement : Block->body()) {
      if (const auto *Declaration = dyn_cast<DeclStmt>(Statement))
        Result.Split = dyn_cast<VarDecl>(Declaration->getSingleDecl());
      else if (const auto *Cast = dyn_cast<CStyleCastExpr>(Statement))
        Result.Expression = Cast->getSubExpr()->IgnoreParenImpCasts();
    }
  }
}

ProbeBuffer::ProbeBuffer(std::vector<Probe> &Probes) : Probes(Probes) {
  for (size_t I = 0; I < Probes.size(); ++I) {
    const Probe &P = Probes[I];
    if (!P.InBuffer)
      continue;
    for (const std::string &Name : P.Namespaces)
      Text += "namespace " + Name + "{\n";
    Text += std::string("static __attribute__((unused)) void ") + NamePrefix + std::to_string(I) + "(" +
            (P.Parameters.empty() ? "void" : P.Parameters) + ") {\n";
    for (const Probe::Piece &Piece : P.Pieces) {
      Text += Piece.InSplit ? "{ const long long " + P.SplitVariable + " = 0; (void)(\n" : "{ (void)(\n";
      for (unsigned T = Piece.Wanted.Begin; T < Piece.Wanted.End; ++T) {
        Text += P.Pragma->blankBefore(T) ? " " : "";
        Origins[Text.size()] = P.Pragma->Locations[T];
        Text += P.Pragma->Tokens[T].Text;
      }
      // What the parser misses at the end, it misses behind the last token.
      Text += "\n); }\n";
    }
    Text += "}\n";
    for (size_t Open = 0; Open < P.Namespaces.size(); ++Open)
      Text += "}\n";
    Origins.emplace(Text.size(), SourceLocation());
  }
}

SourceLocation ProbeBuffer::original(size_t Offset) const {
  auto After = Origins.upper_bound(Offset);
  if (After == Origins.begin())
    return After == Origins.end() ? SourceLocation() : After->second;
  return std::prev(After)->second;
}

void ProbeBuffer::collect(llvm::ArrayRef<Decl *> Declarations) {
  for (Decl *D : Declarations) {
    if (const auto *Space = dyn_cast<NamespaceDecl>(D)) {
      std::vector<Decl *> Inner(Space->decls_begin(), Space->decls_end());
      collect(Inner);
      continue;
    }
    auto *Function = dyn_cast<FunctionDecl>(D);
    llvm::StringRef Name = Function && Function->getIdentifier() ? Function->getName() : "";
    size_t Index = 0;
    if (!Name.consume_front(NamePrefix) || Name.getAsInteger(10, Index) || Index >= Probes.size() || !Function->hasBody())
      continue;
    Probes[Index].Function = Function;
    Probes[Index].read(*cast<CompoundStmt>(Function->getBody()));
  }
}

} // namespace streamap
