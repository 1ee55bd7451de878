package org.hlo4j.check.compare;

import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.engine.LapackCall;

/**
 * The largest difference allowed between the compiled evaluator and the reference in the result of
 * one instruction with the same operands:
 *
 * <table>
 *   <caption>Tolerances</caption>
 *   <tr><th>op<th>tolerance<th>reason
 *   <tr><td>functions such as exp, tanh, power, of floats; abs of c64
 *       <td>1 ulp, in f64 3 ulps
 *       <td>the compiled evaluator is within 1 ulp of the exact value, in f64 2 ulps; the
 *       reference rounds the exact value to f32 except for rare ties, and to f64 within 1 ulp
 *   <tr><td>sums of floats: dot, convolution, reduce, windows, scatter and scans by addition
 *       <td>terms * 2^-24 (f64 2^-53) * sum of magnitudes, but at least half of the least number
 *       for each term, and 1 ulp; where the magnitudes overflow, anything; where they are 0, any 0
 *       <td>the reference sums in double and rounds once; the compiled evaluator sums in f32, in
 *       another order; each addition has an error of half a unit of the partial sum
 *   <tr><td>dot and convolution of complex numbers
 *       <td>the same for each component, where magnitudes are absolute values
 *       <td>as for floats
 *   <tr><td>products of floats, by reduce, windows, scatter and scans
 *       <td>terms + 1 ulps
 *       <td>each multiplication has an error of half an ulp, in another order; where the factors
 *       above 1 overflow together, or those below 1 underflow, anything
 *   <tr><td>Fourier transforms
 *       <td>4 * (2 + the bits of the lengths' product) * 2^-53 * the largest magnitude of the
 *       transform, and 1 ulp; where it has a NaN, or is near the end of f64, anything
 *       <td>both compute in double, in another order, and round once
 *   <tr><td>batch norms for training, and their gradients
 *       <td>(64 + the elements) * 2^-53 * the largest magnitude of the result, and 1 ulp; variances
 *       also the square of the error of the mean
 *       <td>both compute in double, in another order, and round once
 *   <tr><td>LAPACK's gesdd, gesvd and syevd
 *       <td>values: 30 * the elements * 2^-24 (f64 2^-53) * the largest value; vectors: anything
 *       <td>another algorithm; vectors of values that are close, or that complete a basis, are not
 *       determined
 *   <tr><td>all else: integers, pred, movement, comparison, the four operations, sqrt, conversion,
 *       rounding, other complex numbers
 *       <td>none
 *       <td>one rounding each, the same in both
 * </table>
 */
sealed interface Tolerance {
  /** Equality of bits, where any two NaNs count as equal. */
  record None() implements Tolerance {}

  /** A distance in representable values. */
  record Ulps(long count) implements Tolerance {}

  /**
   * An error of one rounding for each term, relative to the sum of the magnitudes.
   *
   * @param terms the number of terms
   * @param inOwnType whether the roundings are those of the type, or else those of f32, in f64
   *     those of f64
   */
  record Sum(long terms, boolean inOwnType) implements Tolerance {}

  /**
   * A number of roundings, relative to the largest magnitude of the result.
   *
   * @param roundings their number
   * @param inOwnType whether the roundings are those of the type, or else those of f64
   * @param together how many elements after one another are one result
   */
  record Spread(long roundings, boolean inOwnType, int together) implements Tolerance {
    Spread(long roundings, boolean inOwnType) {
      this(roundings, inOwnType, Integer.MAX_VALUE);
    }
  }

  /**
   * A distance in representable values for a product, whose factors overflow or underflow in some
   * orders.
   *
   * @param ulps the distance
   */
  record Product(long ulps) implements Tolerance {}

  /**
   * A distance in representable values for arithmetic of two numbers. Where these are finite and
   * the result is not, any value, since another order, or a product that is not rounded before it
   * is added, may not overflow. Where a product or quotient underflows to 0, the least numbers; a
   * sum of two zeros is either zero.
   *
   * @param ulps the distance
   * @param kind the op
   */
  record Arithmetic(long ulps, Elementwise.Kind kind) implements Tolerance {}

  /**
   * An error of three roundings, relative to the sum of the magnitudes of three terms: a sum of
   * which two terms are constants, which a compiler adds first.
   */
  record Constants() implements Tolerance {
    Sum sum() {
      return new Sum(3, true);
    }
  }

  /**
   * Any order of the elements along a dimension, the same for all operands: equal keys in a sort
   * that is not stable.
   */
  record Order(int dimension) implements Tolerance {}

  /** Any value: one that is not determined, such as the sign of an eigenvector. */
  record Any() implements Tolerance {}

  /**
   * A decomposition of a matrix: vectors have any value, since their signs are free.
   *
   * @param values the tolerance of the eigenvalues or singular values
   */
  record Decomposition(Tolerance values) implements Tolerance {
    /** Returns the tolerance of an element of the result; values have a lower rank than vectors. */
    Tolerance of(Literal result, int element) {
      int least =
          result.elements().stream()
              .filter(each -> !each.elementType().isIntegral())
              .mapToInt(each -> each.arrayShape().rank())
              .min()
              .orElse(0);
      return result.element(element).arrayShape().rank() == least ? values : new Any();
    }
  }

  /**
   * The result of a batch norm for training: a spread of each part, but the variance has at least
   * the square of the error of the mean.
   *
   * @param roundings the number of roundings, those of f64
   */
  record Normalization(long roundings) implements Tolerance {
    Spread spread() {
      return new Spread(roundings, false);
    }
  }

  /** A distance in units of a complex number's magnitude. */
  record Modulus(long ulps) implements Tolerance {}

  /** Returns the tolerance of an instruction in hlo4j's compiled evaluator. */
  static Tolerance of(HloInstruction instruction) {
    if (instruction.op() instanceof Reduce && combinesComplex(instruction, Elementwise.Kind.ADD)) {
      return new Sum(terms(instruction), false);
    }
    if (isDecomposition(instruction)) {
      return new Decomposition(new Spread(30 * largest(instruction), true));
    }
    if (!isFloat(instruction.shape()) && !isComplexProduct(instruction)) {
      return new None();
    }
    return switch (instruction.op()) {
      case Elementwise op when op.kind().isTranscendental() || isModulus(instruction) ->
          new Ulps(elementType(instruction) == ElementType.F64 ? 3 : 1);
      case Dot dot ->
          new Sum(
              parts(instruction) * product(instruction, 0, dot.lhsContractingDims().toArray()),
              false);
      case RaggedDot dot ->
          new Sum(product(instruction, 0, dot.lhsContractingDims().toArray()), false);
      case Convolution op ->
          new Sum(
              parts(instruction)
                  * op.window().sizes().product()
                  * product(instruction, 1, op.dimLabels().kernelInputFeatureDimension()),
              false);
      case Reduce _, ReduceWindow _, Scan _, Scatter _, SelectAndScatter _ ->
          reduced(instruction, terms(instruction));
      case Fft fft ->
          new Spread(
              4L * (2 + Long.SIZE - Long.numberOfLeadingZeros(fft.fftLength().product())),
              false,
              transformed(fft, (Shape.Array) instruction.shape()));
      case BatchNormTraining _ ->
          new Normalization(64 + elementCount(instruction.operands().get(0)));
      case BatchNormGrad _ -> new Spread(64 + elementCount(instruction.operands().get(0)), false);
      case Op exact -> new None();
    };
  }

  /**
   * Returns whether an instruction calls a LAPACK routine that the compiled evaluator computes by
   * another algorithm.
   */
  private static boolean isDecomposition(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call
        && LapackCall.routine(call.customCallTarget())
            .filter(Set.of("gesdd", "gesvd", "syevd")::contains)
            .isPresent();
  }

  private static boolean isFloat(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array.elementType().isFloating();
      case Shape.Tuple tuple ->
          tuple.elements().stream().anyMatch(Tolerance::isFloat)
              && tuple.elements().stream().allMatch(part -> part instanceof Shape.Array);
      case Shape.Buffer buffer -> isFloat(buffer.array());
      case Shape.Token token -> false;
      case Shape.Opaque opaque -> false;
    };
  }

  /** Returns whether an op multiplies and adds complex numbers in an unspecified order. */
  private static boolean isComplexProduct(HloInstruction instruction) {
    return (instruction.op() instanceof Dot
            || instruction.op() instanceof Convolution
            || instruction.op() instanceof Fft)
        && elementType(instruction).isComplex();
  }

  /** Returns whether complex numbers are combined by a function, in an unspecified order. */
  static boolean combinesComplex(HloInstruction instruction, Elementwise.Kind kind) {
    return instruction.shape() instanceof Shape.Array array
        && array.elementType().isComplex()
        && combines(instruction.op())
        && instruction.called().get(0).root().op().equals(new Elementwise(kind));
  }

  private static boolean combines(Op op) {
    return op instanceof Reduce || op instanceof ReduceWindow || op instanceof Scatter;
  }

  /** Returns the largest number of terms of an element of a reduction, scan or scatter. */
  static long terms(HloInstruction instruction) {
    return 1
        + switch (instruction.op()) {
          case Reduce op -> product(instruction, 0, op.dimensions().toArray());
          case ReduceWindow op -> op.window().sizes().product();
          case Scan op -> product(instruction, 0, op.dimensions().toArray());
          default -> largest(instruction);
        };
  }

  /** Returns how many products of floats one product of elements consists of. */
  private static long parts(HloInstruction instruction) {
    return elementType(instruction).isComplex() ? 2 : 1;
  }

  /** Returns how many elements of the result of a Fourier transform are one transform. */
  private static int transformed(Fft fft, Shape.Array shape) {
    int first = shape.rank() - fft.fftLength().count();
    return (int) Math.max(1, shape.sizes().subList(first, shape.rank()).product());
  }

  private static long elementCount(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementCount();
  }

  private static ElementType elementType(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }

  /**
   * Returns whether this is abs of c64: a square root in f64, rounded once more than the exact
   * value.
   */
  private static boolean isModulus(HloInstruction instruction) {
    return instruction.op().equals(new Elementwise(Elementwise.Kind.ABS))
        && elementType(instruction.operands().get(0)) == ElementType.C64;
  }

  /**
   * Returns the tolerance of a reduction whose body adds, multiplies, or only selects among floats.
   */
  private static Tolerance reduced(HloInstruction instruction, long terms) {
    HloComputation body = instruction.called().get(instruction.called().size() - 1);
    if (computes(body, Elementwise.Kind.ADD) || computes(body, Elementwise.Kind.SUBTRACT)) {
      return new Sum(terms, false);
    }
    boolean chooses =
        all(body).allMatch(part -> isExactChoice(part.op()) || !isFloat(part.shape()));
    if (chooses) {
      return new None();
    }
    return computes(body, Elementwise.Kind.MULTIPLY) ? new Product(terms + 1) : new Ulps(terms + 1);
  }

  private static boolean isExactChoice(Op op) {
    return switch (op) {
      case Elementwise chosen ->
          chosen.kind() == Elementwise.Kind.MAXIMUM || chosen.kind() == Elementwise.Kind.MINIMUM;
      case Compare compare -> true;
      case Op other -> !(other instanceof Dot);
    };
  }

  /** Returns the instructions of a computation and of those that it calls. */
  private static Stream<HloInstruction> all(HloComputation body) {
    return body.instructions().stream()
        .flatMap(
            each -> Stream.concat(Stream.of(each), each.called().stream().flatMap(Tolerance::all)));
  }

  private static boolean computes(HloComputation body, Elementwise.Kind kind) {
    return all(body)
        .anyMatch(part -> part.op().equals(new Elementwise(kind)) && isFloat(part.shape()));
  }

  private static long product(HloInstruction instruction, int operand, long... dimensions) {
    Shape.Array shape = (Shape.Array) instruction.operands().get(operand).shape();
    long product = 1;
    for (long dimension : dimensions) {
      product *= shape.size((int) dimension);
    }
    return product;
  }

  /**
   * Returns the element count of the largest operand, a bound on the terms of one result element.
   */
  private static long largest(HloInstruction instruction) {
    return instruction.operands().stream()
        .mapToLong(operand -> operand.shape() instanceof Shape.Array a ? a.elementCount() : 0)
        .max()
        .orElse(0);
  }
}
