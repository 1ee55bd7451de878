package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Generates the class of a {@link DepthwiseKernel}: a loop over vectors of channels around a loop
 * over the rows of the filter. If the number of taps is constant, a row of the filter is in
 * registers, and each column of the image is loaded once for all taps and pixels that meet it.
 */
final class DepthwiseKernelCode {
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
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
  private final ClassDesc array;
  private final ClassDesc vector;
  private final int channel;
  private final int row;
  private final int tap;
  private final int left;
  private final int right;
  private final int image;
  private final int product;
  private final int filter;
  private final int sums;
  private final Label impossible;
  private final String species;
  private final VectorClass type;

  private DepthwiseKernelCode(DepthwiseShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.array = shape.accumulatorType().element().arrayType();
    this.vector = shape.accumulatorType().vector();
    this.channel = code.allocateLocal(TypeKind.INT);
    this.row = code.allocateLocal(TypeKind.INT);
    this.tap = code.allocateLocal(TypeKind.INT);
    this.left = code.allocateLocal(TypeKind.INT);
    this.right = code.allocateLocal(TypeKind.INT);
    this.image = code.allocateLocal(TypeKind.REFERENCE);
    this.product = code.allocateLocal(TypeKind.REFERENCE);
    this.filter = references(Math.max(1, shape.taps()));
    this.sums = references(shape.pixels());
    this.impossible = code.newLabel();
    this.species = VectorClass.species(shape.lanes() * shape.accumulatorType().bits());
    this.type = new VectorClass(code, vector, species, impossible);
  }

  private int references(int count) {
    int first = code.allocateLocal(TypeKind.REFERENCE);
    for (int i = 1; i < count; i++) {
      code.allocateLocal(TypeKind.REFERENCE);
    }
    return first;
  }

  /** {@return a kernel of a new class} */
  static DepthwiseKernel generate(DepthwiseShape shape) {
    String name = "Depthwise" + shape.accumulatorType() + shape.pixels() + "x" + shape.taps();
    return HiddenClasses.instance(
        DepthwiseKernel.class, name, code -> new DepthwiseKernelCode(shape, code).emit());
  }

  private void emit() {
    MicroKernelCode.emitWarmupPrologue(code, ROWS);
    type.lookUp();
    for (int operand : new int[] {A, B, C}) {
      code.aload(operand).checkcast(array).astore(operand);
    }
    for (int count : new int[] {ROWS, TAPS}) {
      code.iload(count).loadConstant(MicroKernelCode.MAX_STEPS);
      code.invokestatic(MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int)).istore(count);
    }
    code.iconst_0().istore(channel);
    CountedLoop.upTo(code, channel, CHANNELS, shape.lanes(), this::emitChannels);
    code.labelBinding(impossible).return_();
  }

  /** Writes the computation of one vector of channels. */
  private void emitChannels() {
    code.iload(A_START).iload(channel).iadd().istore(left);
    code.iload(B_START).iload(channel).iadd().istore(right);
    unlessMode(DepthwiseKernel.CONTINUE, () -> forPixels(this::zero), () -> forPixels(this::loadC));
    forPixels(p -> type.guard(sums + p));
    CountedLoop.fromZero(code, row, ROWS, this::emitRow);
    forPixels(p -> type.guard(sums + p));
    unlessMode(DepthwiseKernel.ADD, () -> {}, () -> forPixels(this::addC));
    forPixels(p -> type.guard(sums + p));
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
    species();
    code.invokestatic(vector, "zero", MethodTypeDesc.of(vector, SPECIES)).astore(sums + pixel);
  }

  private void loadC(int pixel) {
    load(C, () -> indexC(pixel), sums + pixel);
  }

  private void addC(int pixel) {
    load(C, () -> indexC(pixel), image);
    code.aload(sums + pixel).aload(image);
    code.invokevirtual(vector, "add", MethodTypeDesc.of(vector, VECTOR)).astore(sums + pixel);
  }

  private void store(int pixel) {
    code.aload(sums + pixel).aload(C);
    indexC(pixel);
    code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
  }

  private void emitRow() {
    if (shape.hasConstantTaps()) {
      emitColumns();
    } else {
      CountedLoop.fromZero(code, tap, TAPS, this::emitTap);
      forPixels(p -> type.guard(sums + p));
    }
    code.iload(left).iload(A_ROW).iadd().istore(left);
    code.iload(right).iload(B_ROW).iadd().istore(right);
  }

  /** Writes the products of a row, column by column, so that each pixel meets its taps in order. */
  private void emitColumns() {
    for (int t = 0; t < shape.taps(); t++) {
      int at = t;
      load(B, () -> code.iload(right).iload(B_TAP).loadConstant(at).imul().iadd(), filter + t);
    }
    for (int x = shape.before(); x < shape.columns() - shape.after(); x++) {
      boolean isLoaded = false;
      for (int p = 0; p < shape.pixels(); p++) {
        int distance = x - p * shape.stride();
        int t = distance / shape.dilation();
        if (distance >= 0 && distance % shape.dilation() == 0 && t < shape.taps()) {
          if (!isLoaded) {
            int at = x;
            load(A, () -> code.iload(left).iload(A_TAP).loadConstant(at).imul().iadd(), image);
          }
          isLoaded = true;
          multiplyAdd(filter + t, sums + p);
        }
      }
    }
  }

  /** Writes the products of a tap with its element of each pixel. */
  private void emitTap() {
    load(B, () -> code.iload(right).iload(B_TAP).iload(tap).imul().iadd(), filter);
    for (int p = 0; p < shape.pixels(); p++) {
      int pixel = p;
      load(A, () -> indexA(pixel), image);
      multiplyAdd(filter, sums + p);
    }
  }

  private void multiplyAdd(int tap, int sum) {
    MicroKernelCode.emitMultiplyAdd(code, shape.accumulatorType(), type, image, tap, sum, product);
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

  private void load(int from, Runnable position, int to) {
    species();
    code.aload(from);
    position.run();
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    code.astore(to);
    type.guard(to);
  }

  private void species() {
    code.getstatic(vector, species, SPECIES);
  }
}
