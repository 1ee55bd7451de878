package org.hlo4j.interpreter.compiled.indexing;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
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

  /**
   * The number of vectors of a row that an iteration combines, for each of the loops that are
   * written.
   */
  private static final int[] VECTORS_PER_ITERATION = {4, 2, 1};

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final BodyCode body;
  private final int[] to;
  private final int[] from;
  private final int row;
  private final int target;
  private final int source;

  RowScatterCode(CodeEmitter emitter, BodyCode body) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.body = body;
    this.to = new int[body.accumulatorCount()];
    this.from = new int[body.accumulatorCount()];
    this.row = emitter.newLocal(TypeKind.INT);
    this.target = emitter.newLocal(TypeKind.INT);
    this.source = emitter.newLocal(TypeKind.INT);
  }

  /** Writes the method. Columns that do not fill a vector are left out. */
  void write() {
    emitter.body(() -> {
      for (int k = 0; k < to.length; k++) {
        to[k] = emitter.array(TO, k, body.type(k));
        from[k] = emitter.array(FROM, k, body.type(k));
      }
      for (int vectors : VECTORS_PER_ITERATION) {
        columns(vectors);
      }
      code.return_();
    });
  }

  /** Writes the loop that runs as long as there are columns for {@code vectors} vectors. */
  private void columns(int vectors) {
    int step = vectors * emitter.width();
    CountedLoop.wholeSteps(code, COLUMN, STOP, step, () -> rows(vectors));
  }

  private void rows(int vectors) {
    code.iload(FIRST).istore(row);
    CountedLoop.upTo(code, row, END, 1, () -> combineRows(vectors));
  }

  private void combineRows(int vectors) {
    code.aload(AT).iload(row).iaload().iload(COLUMN).iadd().istore(target);
    code.aload(SOURCE).iload(row).iaload().iload(COLUMN).iadd().istore(source);
    for (int v = 0; v < vectors; v++) {
      if (v > 0) {
        code.iinc(target, emitter.width()).iinc(source, emitter.width());
      }
      combine();
    }
  }

  private void combine() {
    int mark = emitter.mark();
    List<Value> current = new ArrayList<>();
    List<Value> updates = new ArrayList<>();
    for (int k = 0; k < to.length; k++) {
      current.add(emitter.load(body.type(k), to[k], target));
      updates.add(emitter.load(body.type(k), from[k], source));
    }
    List<Value> results = body.write(emitter, current, updates);
    for (int k = 0; k < to.length; k++) {
      emitter.store(body.type(k), to[k], target, results.get(k));
    }
    emitter.release(mark);
  }
}
