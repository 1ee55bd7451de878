package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.jspecify.annotations.Nullable;

/**
 * Generates the class of a {@link DepthwiseKernel}: a loop over vectors of channels around a loop
 * over the rows of the filter. A row of the filter is in registers, and each column of the image is
 * loaded once for all taps and pixels that meet it.
 */
final class DepthwiseKernelCode {
  private static final int A = 2;
  private static final int A_START = 3;
  private static final int A_COLUMN = 4;
  private static final int B = 5;
  private static final int B_START = 6;
  private static final int B_TAP = 7;
  private static final int STEPS = 8;
  private static final int FIRST = 9;
  private static final int ROWS = 10;
  private static final int C = 11;
  private static final int C_START = 12;
  private static final int C_PIXEL = 13;
  private static final int CHANNELS = 14;
  private static final int ADD = 15;

  private final DepthwiseShape shape;
  private final CodeBuilder code;
  private final CodeEmitter emitter;
  private final ElementType type;
  private final int channel;
  private final int row;
  private final int left;
  private final int right;
  private final int index;

  private DepthwiseKernelCode(DepthwiseShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.emitter = CodeEmitter.vector(code, shape.lanes());
    this.type = shape.accumulatorType().type();
    this.channel = emitter.newLocal(TypeKind.INT);
    this.row = emitter.newLocal(TypeKind.INT);
    this.left = emitter.newLocal(TypeKind.INT);
    this.right = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
  }

  /** {@return a kernel of a new class} */
  static DepthwiseKernel generate(DepthwiseShape shape) {
    String name = "Depthwise" + shape.accumulatorType() + shape.pixels() + "x" + shape.taps();
    return HiddenClasses.instance(
        DepthwiseKernel.class, name, code -> new DepthwiseKernelCode(shape, code).emit());
  }

  private void emit() {
    // No rows are work, too: zeros are stored. Fewer are the warm-up.
    code.iconst_m1().istore(row);
    Tiered.writeWarmupPrologue(code, row, ROWS);
    emitter.body(() -> {
      IntStream.of(A, B, C).forEach(array -> emitter.castArray(type, array));
      CountedLoop.limit(code.iload(ROWS), CountedLoop.MAX_SHORT).istore(ROWS);
      code.iconst_0().istore(channel);
      CountedLoop.upTo(code, channel, CHANNELS, shape.lanes(), this::emitChannels);
      code.return_();
    });
  }

  /** Writes the computation of one vector of channels. */
  private void emitChannels() {
    List<Value> sums = emitter.zeros(type, shape.pixels());
    CountedLoop.fromZero(code, row, ROWS, () -> emitRow(sums));
    emitter.markLoopCarried(sums);
    Label store = code.newLabel();
    code.iload(C_START).iload(channel).iadd().istore(left);
    code.iload(ADD).ifeq(store);
    for (int p = 0; p < shape.pixels(); p++) {
      Value before = load(C, left, C_PIXEL, p);
      emitter.assign(sums.get(p), emitter.add(sums.get(p), before));
    }
    code.labelBinding(store);
    emitter.markLoopCarried(sums);
    for (int p = 0; p < shape.pixels(); p++) {
      storeIndex(left, C_PIXEL, p);
      emitter.store(type, C, index, sums.get(p));
    }
  }

  /** Writes the products of a row, column by column, so that each pixel meets its taps in order. */
  private void emitRow(List<Value> sums) {
    int mark = emitter.mark();
    emitStart(A_START, 0, left);
    emitStart(B_START, 1, right);
    List<Value> filter =
        IntStream.range(0, shape.taps()).mapToObj(t -> load(B, right, B_TAP, t)).toList();
    for (int x = shape.before(); x < shape.end(); x++) {
      emitColumn(x, filter, sums);
    }
    emitter.release(mark);
  }

  /** Writes {@code to = start + channel + steps[first + 2 * row + number]}. */
  private void emitStart(int start, int number, int to) {
    code.aload(STEPS).iload(FIRST).iload(row).iconst_2().imul().iadd();
    code.loadConstant(number).iadd().iaload().iload(start).iadd();
    code.iload(channel).iadd().istore(to);
  }

  private void emitColumn(int column, List<Value> filter, List<Value> sums) {
    int mark = emitter.mark();
    @Nullable Value image = null;
    for (int p = 0; p < shape.pixels(); p++) {
      int distance = column - p * shape.stride();
      int tap = distance / shape.dilation();
      if (distance >= 0 && distance % shape.dilation() == 0 && tap < shape.taps()) {
        image = image == null ? load(A, left, A_COLUMN, column) : image;
        emitter.addProduct(sums.get(p), image, filter.get(tap));
        emitter.release(mark, List.of(image));
      }
    }
    emitter.release(mark);
  }

  private Value load(int array, int start, int stride, int count) {
    storeIndex(start, stride, count);
    return emitter.load(type, array, index);
  }

  /** Stores {@code start + stride * count}. */
  private void storeIndex(int start, int stride, int count) {
    code.iload(start).iload(stride).loadConstant(count).imul().iadd().istore(index);
  }
}
