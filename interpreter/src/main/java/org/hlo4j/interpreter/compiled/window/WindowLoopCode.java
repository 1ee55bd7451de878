package org.hlo4j.interpreter.compiled.window;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;

/**
 * The code generator of a {@link WindowLoop}. It processes a few vectors of window positions at a
 * time, keeps their accumulators in registers, and reduces one line after the other into them.
 */
final class WindowLoopCode {
  private static final int INITS = 1;
  private static final int TO = 2;
  private static final int T = 3;
  private static final int ROW_STRIDE = 4;
  private static final int FROM = 5;
  private static final int LINES = 6;
  private static final int COUNT = 7;
  private static final int LENGTH = 8;
  private static final int ROWS = 9;
  private static final int VECTORS_PER_STEP = 4;

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final BodyCode body;
  private int[] to = {};
  private int[] from = {};
  private final List<Value> inits = new ArrayList<>();
  private final int row;
  private final int firstLine;
  private final int position;
  private final int line;
  private final int start;
  private final int index;

  WindowLoopCode(CodeEmitter emitter, BodyCode body) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.body = body;
    this.row = emitter.newLocal(TypeKind.INT);
    this.firstLine = emitter.newLocal(TypeKind.INT);
    this.position = emitter.newLocal(TypeKind.INT);
    this.line = emitter.newLocal(TypeKind.INT);
    this.start = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
  }

  /**
   * Writes the method. Vector code processes whole vectors only, and omits the remaining elements.
   */
  void write() {
    emitter.body(() -> {
      to = body.arrays(emitter, TO);
      from = body.arrays(emitter, FROM);
      for (int k = 0; k < to.length; k++) {
        inits.add(init(k));
      }
      code.iconst_0().istore(row).iconst_0().istore(firstLine);
      if (emitter.width() > 1) {
        CountedLoop.limit(code.iload(COUNT), WindowLoops.MAX_LINES).istore(COUNT);
      }
      CountedLoop.upTo(code, row, ROWS, 1, this::writeRow);
      code.return_();
    });
  }

  private Value init(int k) {
    return emitter.hoist(
        Lane.of(body.accumulatorType(k)),
        () -> {
          int array = emitter.array(INITS, k, body.type(k));
          code.iconst_0().istore(index);
          return body.toAccumulatorType(emitter, emitter.loadSplat(body.type(k), array, index));
        });
  }

  private void writeRow() {
    code.iconst_0().istore(position);
    if (emitter.width() > 1) {
      writePositions(VECTORS_PER_STEP);
    }
    writePositions(1);
    code.iload(T).iload(ROW_STRIDE).iadd().istore(T);
    code.iload(firstLine).iload(COUNT).iadd().istore(firstLine);
  }

  /**
   * Writes the loop over window positions, a number of vectors at a time, as long as whole steps
   * fit.
   */
  private void writePositions(int vectors) {
    int step = vectors * emitter.width();
    CountedLoop.wholeSteps(code, position, LENGTH, step, () -> writeStep(vectors));
  }

  private void writeStep(int vectors) {
    int mark = emitter.mark();
    List<List<Value>> accumulators = new ArrayList<>();
    for (int v = 0; v < vectors; v++) {
      List<Value> variables = new ArrayList<>();
      inits.forEach(init -> variables.add(emitter.variable(init)));
      accumulators.add(variables);
    }
    writeLines(accumulators);
    accumulators.forEach(emitter::markLoopCarried);
    for (int v = 0; v < vectors; v++) {
      for (int k = 0; k < to.length; k++) {
        Value value = body.fromAccumulatorType(emitter, k, accumulators.get(v).get(k));
        emitter.store(body.type(k), to[k], target(v), value);
      }
    }
    emitter.release(mark);
  }

  /** Writes the loop over lines, which reduces the elements at the current window positions. */
  private void writeLines(List<List<Value>> accumulators) {
    CountedLoop.fromZero(code, line, COUNT, () -> writeLine(accumulators));
  }

  private void writeLine(List<List<Value>> accumulators) {
    accumulators.forEach(emitter::markLoopCarried);
    code.aload(LINES)
        .iload(firstLine)
        .iload(line)
        .iadd()
        .iaload()
        .iload(position)
        .iadd()
        .istore(start);
    for (int v = 0; v < accumulators.size(); v++) {
      int mark = emitter.mark();
      List<Value> variables = accumulators.get(v);
      List<Value> elements = new ArrayList<>();
      for (int k = 0; k < from.length; k++) {
        elements.add(loadWidened(k, from[k], index(start, v)));
      }
      body.reduce(emitter, variables, elements);
      emitter.release(mark);
    }
  }

  private Value loadWidened(int k, int array, int at) {
    return body.toAccumulatorType(emitter, emitter.load(body.type(k), array, at));
  }

  private int target(int vector) {
    code.iload(T).iload(position).iadd().istore(index);
    return index(index, vector);
  }

  /** {@return a local variable that holds the index {@code vector} vectors after another} */
  private int index(int offset, int vector) {
    if (vector > 0) {
      code.iload(offset).loadConstant(vector * emitter.width()).iadd().istore(index);
      return index;
    }
    return offset;
  }
}
