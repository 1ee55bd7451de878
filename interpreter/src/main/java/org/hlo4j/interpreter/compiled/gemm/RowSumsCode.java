package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/**
 * Generates the code of {@link RowSums}. The partial sums of a few rows at a time are in registers.
 * The horizontal sums of as many rows as a vector has lanes are computed together, also in
 * registers, by a tree. A node of the tree takes two vectors with the partial sums of some rows
 * each and yields one vector with those of all: it interleaves their lower halves, interleaves
 * their upper halves, and adds the two. After as many levels as a vector can be halved, each lane
 * is a horizontal sum.
 */
final class RowSumsCode {
  private static final int ARRAYS = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int B_START = 4;
  private static final int STEPS = 5;
  private static final int TO_START = 6;
  private static final int ROW = 7;
  private static final int ROWS = 8;

  private final RowSumsShape shape;
  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final ElementType type;
  private final int lanes;
  private final int vectors;
  private final int a;
  private final int b;
  private final int to;
  private final int step;
  private final int index;
  private final int[] starts;

  RowSumsCode(RowSumsShape shape, CodeBuilder code) {
    this.shape = shape;
    this.emitter = CodeEmitter.vector(code, shape.lanes());
    this.code = code;
    this.type = shape.accumulatorType().type();
    this.lanes = shape.lanes();
    this.vectors = Gemv.LANES / lanes;
    this.a = emitter.newLocal(TypeKind.REFERENCE);
    this.b = emitter.newLocal(TypeKind.REFERENCE);
    this.to = emitter.newLocal(TypeKind.REFERENCE);
    this.step = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
    this.starts =
        IntStream.range(0, shape.rows()).map(i -> emitter.newLocal(TypeKind.INT)).toArray();
  }

  /** Writes the method. */
  void emit() {
    Tiered.writeWarmupPrologue(code, ROW, ROWS);
    emitter.body(() -> {
      emitter.loadArray(ARRAYS, 0, type, a);
      emitter.loadArray(ARRAYS, 1, type, b);
      emitter.loadArray(ARRAYS, 2, type, to);
      CountedLoop.limit(code.iload(STEPS), CountedLoop.MAX_SHORT * Gemv.LANES).istore(STEPS);
      CountedLoop.upTo(code, ROW, ROWS, lanes, this::emitGroup);
      code.return_();
    });
  }

  private void emitGroup() {
    List<Value> sums = new ArrayList<>();
    for (int i = 0; i < shape.group(); i += shape.rows()) {
      sums.addAll(emitRows(i));
    }
    Value sum = emitHorizontalSums(sums, 0, 1);
    code.iload(TO_START).iload(ROW).iadd().istore(index);
    emitter.store(type, to, index, emitter.add(emitter.load(type, to, index), sum));
  }

  /**
   * Writes the computation of a few rows, and returns a vector for each of them. Rows behind the
   * last one repeat it: a branch around them would make all others slower.
   */
  private List<Value> emitRows(int first) {
    List<Value> sums = emitter.zeros(type, shape.rows() * vectors);
    for (int i = 0; i < shape.rows(); i++) {
      code.iload(ROW).loadConstant(first + i).iadd().iload(ROWS).iconst_1().isub();
      CountedLoop.min(code).iload(A_STRIDE).imul().iload(A_START).iadd().istore(starts[i]);
    }
    code.iconst_0().istore(step);
    CountedLoop.upTo(code, step, STEPS, Gemv.LANES, () -> emitProducts(sums));
    emitter.markLoopCarried(sums);
    return IntStream.range(0, shape.rows()).mapToObj(i -> emitSum(sums, i * vectors, 1)).toList();
  }

  private void emitProducts(List<Value> sums) {
    emitter.markLoopCarried(sums);
    int mark = emitter.mark();
    for (int v = 0; v < vectors; v++) {
      Value right = load(b, B_START, v);
      for (int i = 0; i < shape.rows(); i++) {
        emitter.addProduct(sums.get(i * vectors + v), load(a, starts[i], v), right);
      }
    }
    emitter.release(mark);
  }

  private Value load(int array, int start, int v) {
    code.iload(start).iload(step).iadd().loadConstant(v * lanes).iadd().istore(index);
    return emitter.load(type, array, index);
  }

  /**
   * Writes the addition of the vectors {@code at}, {@code at + distance} and so on of a row, by
   * halving.
   */
  private Value emitSum(List<Value> sums, int at, int distance) {
    return distance == vectors
        ? sums.get(at)
        : emitter.add(emitSum(sums, at, 2 * distance), emitSum(sums, at + distance, 2 * distance));
  }

  /** Writes the horizontal sums of the rows {@code i}, {@code i + distance} and so on. */
  private Value emitHorizontalSums(List<Value> sums, int i, int distance) {
    if (distance == lanes) {
      return sums.get(Math.min(i, sums.size() - 1));
    }
    Value one = emitHorizontalSums(sums, i, 2 * distance);
    Value other = emitHorizontalSums(sums, i + distance, 2 * distance);
    return emitter.add(
        emitter.shuffle(LaneShuffle.LOWER, one, other),
        emitter.shuffle(LaneShuffle.UPPER, one, other));
  }
}
