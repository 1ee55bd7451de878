package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

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
  private final VectorCode vectors;
  private final int channel;
  private final int row;
  private final int left;
  private final int right;
  private final int image;
  private final int filter;
  private final int sums;
  private final Label impossible;

  private DepthwiseKernelCode(DepthwiseShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.impossible = code.newLabel();
    this.vectors = new VectorCode(code, shape.accumulatorType(), shape.lanes(), impossible);
    this.channel = code.allocateLocal(TypeKind.INT);
    this.row = code.allocateLocal(TypeKind.INT);
    this.left = code.allocateLocal(TypeKind.INT);
    this.right = code.allocateLocal(TypeKind.INT);
    this.image = code.allocateLocal(TypeKind.REFERENCE);
    this.filter = VectorCode.locals(code, TypeKind.REFERENCE, shape.taps());
    this.sums = VectorCode.locals(code, TypeKind.REFERENCE, shape.pixels());
  }

  /** {@return a kernel of a new class} */
  static DepthwiseKernel generate(DepthwiseShape shape) {
    String name = "Depthwise" + shape.accumulatorType() + shape.pixels() + "x" + shape.taps();
    return HiddenClasses.instance(
        DepthwiseKernel.class, name, code -> new DepthwiseKernelCode(shape, code).emit());
  }

  private void emit() {
    vectors.prologue(ROWS, A, B, C);
    vectors.limit(ROWS);
    code.iconst_0().istore(channel);
    CountedLoop.upTo(code, channel, CHANNELS, shape.lanes(), this::emitChannels);
    code.labelBinding(impossible).return_();
  }

  /** Writes the computation of one vector of channels. */
  private void emitChannels() {
    forPixels(p -> vectors.zero(sums + p));
    forPixels(p -> vectors.guard(sums + p));
    CountedLoop.fromZero(code, row, ROWS, this::emitRow);
    forPixels(p -> vectors.guard(sums + p));
    Label store = code.newLabel();
    code.iload(ADD).ifeq(store);
    forPixels(this::addC);
    code.labelBinding(store);
    forPixels(p -> vectors.guard(sums + p));
    forPixels(p -> vectors.store(sums + p, C, () -> index(C_START, channel, C_PIXEL, p)));
  }

  private void forPixels(IntConsumer action) {
    IntStream.range(0, shape.pixels()).forEach(action);
  }

  private void addC(int pixel) {
    vectors.loadGuarded(C, () -> index(C_START, channel, C_PIXEL, pixel), image);
    vectors.add(sums + pixel, image, sums + pixel);
  }

  /** Writes the products of a row, column by column, so that each pixel meets its taps in order. */
  private void emitRow() {
    emitStart(A_START, 0, left);
    emitStart(B_START, 1, right);
    for (int t = 0; t < shape.taps(); t++) {
      int tap = t;
      vectors.loadGuarded(B, () -> index(right, channel, B_TAP, tap), filter + t);
    }
    for (int x = shape.before(); x < shape.end(); x++) {
      emitColumn(x);
    }
  }

  /** Writes {@code to = start + steps[first + 2 * row + number]}. */
  private void emitStart(int start, int number, int to) {
    code.aload(STEPS).iload(FIRST).iload(row).iconst_2().imul().iadd();
    code.loadConstant(number).iadd().iaload().iload(start).iadd().istore(to);
  }

  private void emitColumn(int column) {
    boolean isLoaded = false;
    for (int p = 0; p < shape.pixels(); p++) {
      int distance = column - p * shape.stride();
      int tap = distance / shape.dilation();
      if (distance >= 0 && distance % shape.dilation() == 0 && tap < shape.taps()) {
        if (!isLoaded) {
          vectors.loadGuarded(A, () -> index(left, channel, A_COLUMN, column), image);
        }
        isLoaded = true;
        vectors.multiplyAdd(image, filter + tap, sums + p);
      }
    }
  }

  /** Pushes {@code start + offset + stride * count}. */
  private void index(int start, int offset, int stride, int count) {
    code.iload(start).iload(offset).iadd().iload(stride).loadConstant(count).imul().iadd();
  }
}
