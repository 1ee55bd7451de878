package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.SourceText;

/** What all readers of one text share. */
final class ParseContext {
  /** Regions, attributes, types, locations and aliases within each other. */
  private static final int MAX_NESTING = 250;

  final String text;
  final SourceText source;
  final Dialects dialects;
  final Errors errors = new Errors();
  final AliasTable aliases;
  final Resources resources;
  private int nesting;
  private int deepest;

  /** The context of the part of a text from a position to another. */
  ParseContext(String text, SourceText source, Dialects dialects, int start, int end) {
    this.text = text;
    this.source = source;
    this.dialects = dialects;
    this.aliases = new AliasTable(this, start, end);
    this.resources = new Resources(this, start, end);
  }

  /** Begins something that may contain more of its kind. */
  void enter(int position) {
    nesting++;
    reach(0, position);
  }

  void leave() {
    nesting--;
  }

  /** Something that is as high stands here. */
  void reach(int height, int position) {
    if (nesting + height > MAX_NESTING) {
      throw new ParseException(
          position, "got more than " + MAX_NESTING + " levels of nesting, want fewer");
    }
    deepest = Math.max(deepest, nesting + height);
  }

  int nesting() {
    return nesting;
  }

  /** Goes back to a level after a mistake. */
  void backTo(int level) {
    nesting = level;
  }

  /** The greatest level so far; it is measured from here on anew. */
  int measureDepth(int from) {
    int before = deepest;
    deepest = from;
    return before;
  }
}
