#!/usr/bin/env python3
# Every relative link in a Markdown page leads to a file of this tree, and every anchor to a heading.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
ROOT = Path(__file__).resolve().parents[2]


def prose(page):
    """The page's lines without its code blocks."""
    code = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            code = not code
        elif not code:
            yield number, line


def anchors(page):
    """The names that GitHub gives to headings."""
    headings = (line.lstrip("#").strip() for _, line in prose(page) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    for number, line in prose(page):
        for target in LINK.findall(line):
            path, _, anchor = target.partition("#")
            if "://" in path or path.startswith("mailto:"):
                continue
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                yield f"{page.relative_to(ROOT)}:{number}: {target}: there is no such file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{page.relative_to(ROOT)}:{number}: {target}: there is no such heading"


def main():
    pages = [page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/**/*.md")]]
    broken = [text for page in pages for text in broken_links(page)]
    print(*broken, sep="\n")
    print(f"{len(pages)} pages, {len(broken)} broken links")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
