package org.hlo4j.interpreter.compiled.indexing;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;

/**
 * Writes the class of a {@link RowScatterLoop}. The outer loop is over groups of columns, the inner
 * one over all rows. Rows may be short, so that a loop over the columns of one row would have more
 * overhead than iterations.
 */
final class RowScatterCode {
  private static final int TO = 1;
  private static final int AT = 2;
  private static final int FROM = 3;
  private static final int SOURCE = 4;
  private static final int FIRST = 5;
  private static final int END = 6;
  private static final int COLUMN = 7;
  private static final int STOP = 8;

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final BodyCode body;
  private final boolean isSwapped;
  private final boolean isInOrder;
  private final int most;
  private final int row;
  private final int target;
  private final int source;

  /**
   * Creates the writer of a class.
   *
   * @param most the number of vectors of a row that an iteration of the first loop combines, a
   *     power of two; each of the next loops combines half as many
   */
  RowScatterCode(
      CodeEmitter emitter, BodyCode body, boolean isSwapped, boolean isInOrder, int most) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.body = body;
    this.isSwapped = isSwapped;
    this.isInOrder = isInOrder;
    this.most = most;
    this.row = emitter.newLocal(TypeKind.INT);
    this.target = emitter.newLocal(TypeKind.INT);
    this.source = emitter.newLocal(TypeKind.INT);
  }

  /** Writes the method. Columns that do not fill a vector are left out. */
  void write() {
    emitter.body(() -> {
      int[] to = body.arrays(emitter, TO);
      int[] from = body.arrays(emitter, FROM);
      for (int vectors = most; vectors > 0; vectors /= 2) {
        columns(vectors, to, from);
      }
      code.return_();
    });
  }

  /** Writes the loop that runs as long as there are columns for {@code vectors} vectors. */
  private void columns(int vectors, int[] to, int[] from) {
    Runnable rows =
        () -> {
          code.iload(FIRST).istore(row);
          CountedLoop.upTo(code, row, END, 1, () -> combineRows(vectors, to, from));
        };
    CountedLoop.wholeSteps(code, COLUMN, STOP, vectors * emitter.width(), rows);
  }

  private void combineRows(int vectors, int[] to, int[] from) {
    Label next = code.newLabel();
    code.aload(AT).iload(row).iaload().istore(target).iload(target).iflt(next);
    code.iload(target).iload(COLUMN).iadd().istore(target);
    code.aload(SOURCE);
    if (isInOrder) {
      code.iconst_0().iaload().iload(row).iadd();
    } else {
      code.iload(row).iaload();
    }
    code.iload(COLUMN).iadd().istore(source);
    for (int v = 0; v < vectors; v++) {
      if (v > 0) {
        code.iinc(target, emitter.width()).iinc(source, emitter.width());
      }
      int mark = emitter.mark();
      List<Value> current = body.load(emitter, to, target);
      List<Value> updates = body.load(emitter, from, source);
      List<Value> results =
          isSwapped ? body.write(emitter, updates, current) : body.write(emitter, current, updates);
      body.store(emitter, to, target, results);
      emitter.release(mark);
    }
    code.labelBinding(next);
  }
}
