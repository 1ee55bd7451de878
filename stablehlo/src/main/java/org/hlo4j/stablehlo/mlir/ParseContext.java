package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.SourceText;

/** The state that all parsers of one text share. */
final class ParseContext {

  final String text;
  final SourceText source;
  final Dialects dialects;
  final Errors errors = new Errors();
  final AliasTable aliases;
  final Resources resources;
  private int nesting;
  private int deepest;

  /** Creates the context of a part of a text. */
  ParseContext(String text, SourceText source, Dialects dialects, int start, int end) {
    this.text = text;
    this.source = source;
    this.dialects = dialects;
    this.aliases = new AliasTable(this, start, end);
    this.resources = new Resources(this, start, end);
  }

  /** Enters a nesting level. */
  void enter(int position) {
    nesting++;
    if (nesting > Nesting.MAX_DEPTH) {
      throw new ParseException(
          position, "got more than " + Nesting.MAX_DEPTH + " levels of nesting, want fewer");
    }
    deepest = Math.max(deepest, nesting);
  }

  void leave() {
    nesting--;
  }

  /** Checks that an alias, which stands for {@code height} levels, is allowed at this point. */
  void checkAlias(int height, int position) {
    if (nesting + height > Nesting.MAX_HEIGHT) {
      throw new ParseException(
          position,
          "got aliases of more than " + Nesting.MAX_HEIGHT + " levels of nesting, want fewer");
    }
    deepest = Math.max(deepest, nesting + height);
  }

  int nesting() {
    return nesting;
  }

  /** Goes back to a nesting level after an error. */
  void restoreNesting(int level) {
    nesting = level;
  }

  /** Returns the greatest level so far, and restarts the measurement from a given level. */
  int measureDepth(int from) {
    int before = deepest;
    deepest = from;
    return before;
  }
}
