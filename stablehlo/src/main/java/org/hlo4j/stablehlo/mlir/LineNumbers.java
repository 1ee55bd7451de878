package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.SourcePosition;

/** Lines and columns of positions that are asked for in order. */
final class LineNumbers {
  private final String text;
  private int line = 1;
  private int lineStart;
  private int nextNewline;

  LineNumbers(String text) {
    this.text = text;
    this.nextNewline = text.indexOf('\n');
  }

  SourcePosition place(int position) {
    if (position < lineStart) {
      return TextError.place(text, position);
    }
    while (nextNewline >= 0 && nextNewline < position) {
      line++;
      lineStart = nextNewline + 1;
      nextNewline = text.indexOf('\n', lineStart);
    }
    return new SourcePosition(line, position - lineStart + 1);
  }
}
