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
 * over the rows of the filter. If the number of taps is constant, a row of the filter is in
 * registers, and each column of the image is loaded once for all taps and pixels that meet it.
 */
final class DepthwiseKernelCode {
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_ROW = 3;
  private static final int A_PIXEL = 4;
  private static final int A_TAP = 5;
  private static final int B = 6;
  private static final int B_START = 7;
  private static final int B_ROW = 8;
  private static final int B_TAP = 9;
  private static final int C = 10;
  private static final int C_START = 11;
  private static final int C_PIXEL = 12;
  private static final int ROWS = 13;
  private static final int TAPS = 14;
  private static final int CHANNELS = 15;
  private static final int MODE = 16;

  private final DepthwiseShape shape;
  private final CodeBuilder code;
  private final VectorCode vectors;
  private final int channel;
  private final int row;
  private final int tap;
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
    this.tap = code.allocateLocal(TypeKind.INT);
    this.left = code.allocateLocal(TypeKind.INT);
    this.right = code.allocateLocal(TypeKind.INT);
    this.image = code.allocateLocal(TypeKind.REFERENCE);
    this.filter = VectorCode.locals(code, TypeKind.REFERENCE, Math.max(1, shape.taps()));
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
    vectors.limit(TAPS);
    code.iconst_0().istore(channel);
    CountedLoop.upTo(code, channel, CHANNELS, shape.lanes(), this::emitChannels);
    code.labelBinding(impossible).return_();
  }

  /** Writes the computation of one vector of channels. */
  private void emitChannels() {
    code.iload(A_START).iload(channel).iadd().istore(left);
    code.iload(B_START).iload(channel).iadd().istore(right);
    unlessMode(DepthwiseKernel.CONTINUE, () -> forPixels(this::zero), () -> forPixels(this::loadC));
    forPixels(p -> vectors.guard(sums + p));
    CountedLoop.fromZero(code, row, ROWS, this::emitRow);
    forPixels(p -> vectors.guard(sums + p));
    unlessMode(DepthwiseKernel.ADD, () -> {}, () -> forPixels(this::addC));
    forPixels(p -> vectors.guard(sums + p));
    forPixels(this::store);
  }

  private void forPixels(IntConsumer action) {
    IntStream.range(0, shape.pixels()).forEach(action);
  }

  private void unlessMode(int mode, Runnable otherwise, Runnable action) {
    Label is = code.newLabel();
    Label done = code.newLabel();
    code.iload(MODE).loadConstant(mode).if_icmpeq(is);
    otherwise.run();
    code.goto_(done).labelBinding(is);
    action.run();
    code.labelBinding(done);
  }

  private void zero(int pixel) {
    vectors.zero(sums + pixel);
  }

  private void loadC(int pixel) {
    vectors.loadGuarded(C, () -> indexC(pixel), sums + pixel);
  }

  private void addC(int pixel) {
    vectors.loadGuarded(C, () -> indexC(pixel), image);
    vectors.add(sums + pixel, image, sums + pixel);
  }

  private void store(int pixel) {
    vectors.store(sums + pixel, C, () -> indexC(pixel));
  }

  private void emitRow() {
    if (shape.hasConstantTaps()) {
      emitColumns();
    } else {
      CountedLoop.fromZero(code, tap, TAPS, this::emitTap);
      forPixels(p -> vectors.guard(sums + p));
    }
    code.iload(left).iload(A_ROW).iadd().istore(left);
    code.iload(right).iload(B_ROW).iadd().istore(right);
  }

  /** Writes the products of a row, column by column, so that each pixel meets its taps in order. */
  private void emitColumns() {
    for (int t = 0; t < shape.taps(); t++) {
      int at = t;
      vectors.loadGuarded(
          B, () -> code.iload(right).iload(B_TAP).loadConstant(at).imul().iadd(), filter + t);
    }
    for (int x = shape.before(); x < shape.columns() - shape.after(); x++) {
      boolean isLoaded = false;
      for (int p = 0; p < shape.pixels(); p++) {
        int distance = x - p * shape.stride();
        int t = distance / shape.dilation();
        if (distance >= 0 && distance % shape.dilation() == 0 && t < shape.taps()) {
          if (!isLoaded) {
            int at = x;
            vectors.loadGuarded(
                A, () -> code.iload(left).iload(A_TAP).loadConstant(at).imul().iadd(), image);
          }
          isLoaded = true;
          vectors.multiplyAdd(image, filter + t, sums + p);
        }
      }
    }
  }

  /** Writes the products of a tap with its element of each pixel. */
  private void emitTap() {
    vectors.loadGuarded(B, () -> code.iload(right).iload(B_TAP).iload(tap).imul().iadd(), filter);
    for (int p = 0; p < shape.pixels(); p++) {
      int pixel = p;
      vectors.loadGuarded(A, () -> indexA(pixel), image);
      vectors.multiplyAdd(image, filter, sums + p);
    }
  }

  /** Pushes the position in a of the current tap of a pixel. */
  private void indexA(int pixel) {
    code.iload(left).iload(A_TAP).iload(tap).imul().iadd();
    code.iload(A_PIXEL).loadConstant(pixel).imul().iadd();
  }

  /** Pushes the position in c of a pixel. */
  private void indexC(int pixel) {
    code.iload(C_START).iload(channel).iadd();
    code.iload(C_PIXEL).loadConstant(pixel).imul().iadd();
  }
}
