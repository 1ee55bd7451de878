package org.hlo4j.check.compare;

import static org.hlo4j.interpreter.reference.linalg.ComplexArray.complexAt;

import com.google.common.collect.ListMultimap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.check.part.Computed;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.IndexVectors;

/** Which elements of a result are open, and the values that they may have: the rows of a table. */
final class OpenElements {
  /** How often a combiner is applied at most; what is beyond may have any value. */
  private static final int MAX_APPLICATIONS = 4000;

  /** How many values with other initial values are tried at most. */
  private static final int MAX_INITIAL = 100_000;

  /** How often an initial value is taken at most. */
  private static final int MAX_TIMES = 1000;

  private OpenElements() {}

  /**
   * A result.
   *
   * @param instruction what it is of
   * @param operands its operands
   * @param results its arrays
   */
  record Made(HloInstruction instruction, List<Literal> operands, List<Literal> results) {
    Literal result() {
      return results.get(0);
    }

    Literal operand(int i) {
      return operands.get(i);
    }

    /** Returns the elements of all arrays that may have any value. */
    List<OpenBlock> anything(IntPredicate isOpen) {
      List<OpenBlock> blocks = new ArrayList<>();
      for (int part = 0; part < results.size(); part++) {
        blocks.add(anything(part, isOpen));
      }
      return blocks;
    }

    OpenBlock anything(int part, IntPredicate isOpen) {
      IntStream all = IntStream.range(0, results.get(part).elementCount());
      return new OpenBlock(part, all.filter(isOpen).boxed().toList(), List.of());
    }

    /** Returns the elements of the first array that may have one of several values. */
    List<OpenBlock> values(IntFunction<List<Literal>> valuesOf) {
      List<OpenBlock> blocks = new ArrayList<>();
      for (int i = 0; i < result().elementCount(); i++) {
        List<Literal> values = valuesOf.apply(i);
        if (values.size() > 1) {
          blocks.add(OpenBlock.ofScalars(i, values));
        }
      }
      return blocks;
    }

    Literal scalar(int i) {
      return OpenBlock.scalar(result(), i);
    }

    Combiner combiner() {
      return new Combiner(instruction.called().getLast());
    }

    /** Returns how many rows and columns the square matrices of the result have. */
    int size() {
      return Math.max(1, new Bounds(result()).columns());
    }
  }

  static List<OpenBlock> all(Made made) {
    return made.anything(i -> true);
  }

  static List<OpenBlock> quotients(Made made) {
    ElementType type = made.result().elementType();
    Literal divisor = made.operand(1);
    return made.anything(i ->
        divisor.longAt(i) == 0
            || (type.minLong() < 0
                && divisor.longAt(i) == -1
                && made.operand(0).longAt(i) == type.minLong()));
  }

  static List<OpenBlock> outOfRange(Made made) {
    ElementType from = made.operand(0).elementType();
    ElementType type = made.result().elementType();
    if (from.isIntegral() || !type.isIntegral() || type == ElementType.PRED) {
      return List.of();
    }
    boolean isSigned = type.minLong() < 0;
    double end = Math.scalb(1.0, isSigned ? type.bits() - 1 : type.bits());
    double least = isSigned ? -end : 0;
    return made.anything(i -> {
      double value = complexAt(made.operand(0), i).re();
      return !(value < end && (value >= least || value > least - 1));
    });
  }

  /** {@code 1 / (1 + exp(-x))} is 0 if exp(-x) overflows in the type. */
  static List<OpenBlock> overflowingLogistic(Made made) {
    Literal zero = Literal.zeros(Shape.of(made.result().elementType()));
    double greatest = made.result().elementType().maxFinite();
    return made.values(i ->
        Math.exp(-made.operand(0).doubleAt(i)) > greatest && made.result().doubleAt(i) > 0
            ? List.of(made.scalar(i), zero)
            : List.of());
  }

  /** Complex numbers that are not finite, divisors of zero, and branch cuts of functions. */
  static List<OpenBlock> complexLimits(Made made) {
    Elementwise.Kind kind = ((Elementwise) made.instruction().op()).kind();
    Literal first = made.operand(0);
    Literal last = made.operands().getLast();
    boolean isPower = kind == Elementwise.Kind.POWER;
    boolean divides = isPower || kind == Elementwise.Kind.DIVIDE;
    boolean isLog = kind == Elementwise.Kind.LOG_PLUS_ONE;
    if (isLog || kind == Elementwise.Kind.SIGN) { // their formulas leave hypot and a quotient open
      return made.anything(i -> isInfinite(first, i) && complexAt(first, i).isNaN() == isLog);
    }
    List<OpenBlock> blocks =
        made.anything(i -> {
          Complex base = complexAt(first, i);
          return made.operands().stream().anyMatch(operand -> !isFinite(operand, i))
              || !isFinite(made.result(), i)
              || (divides && complexAt(last, i).isZero())
              || (isPower
                  && (base.isZero() || isNegativeZero(base.re()) || isNegativeZero(base.im())));
        });
    boolean isFunction = kind == Elementwise.Kind.SQRT || kind.isTranscendental();
    if (isFunction && made.operands().size() == 1) {
      blocks.addAll(branchCuts(made));
    }
    return blocks;
  }

  /**
   * A function may be on either side of a branch cut where a part of z is a negative zero: {@code
   * f(conj(z)) = conj(f(z))}, and if there is a cut on the imaginary axis, f is odd.
   */
  private static List<OpenBlock> branchCuts(Made made) {
    Literal z = made.operand(0);
    return made.values(i -> {
      List<Literal> sides = new ArrayList<>();
      if (isFinite(z, i) && isFinite(made.result(), i)) {
        sides.add(made.scalar(i));
        if (isNegativeZero(complexAt(z, i).im())) {
          sides.add(negated(sides.get(0), 1));
        }
        if (isNegativeZero(complexAt(z, i).re())) {
          List.copyOf(sides).forEach(each -> sides.add(negated(each, 0)));
        }
      }
      return sides;
    });
  }

  private static Literal negated(Literal scalar, int part) {
    long sign = 1L << (scalar.elementType().componentType().bits() - 1);
    return Literal.ofBits(
        scalar.arrayShape(), i -> i == part ? scalar.bitsAt(i) ^ sign : scalar.bitsAt(i));
  }

  private static boolean isFinite(Literal value, int i) {
    return Double.isFinite(complexAt(value, i).re()) && Double.isFinite(complexAt(value, i).im());
  }

  private static boolean isNegativeZero(double number) {
    return number == 0 && 1 / number < 0;
  }

  private static boolean isInfinite(Literal value, int i) {
    Complex z = complexAt(value, i);
    return Double.isInfinite(z.re()) || Double.isInfinite(z.im());
  }

  /** NaNs, with another sign and payload, if the type has them. */
  static List<OpenBlock> nans(Made made) {
    ElementType type = made.result().elementType().componentType();
    long sign = 1L << (type.bits() - 1);
    return made.values(i ->
        type.isFloating() && !made.scalar(i).isFinite()
            ? LongStream.of(0, sign, sign | 1, 1)
                .mapToObj(flipped -> otherNaN(made.scalar(i), flipped))
                .toList()
            : List.of());
  }

  /** Returns a number whose NaNs have other bits, if it is one then, too. */
  private static Literal otherNaN(Literal scalar, long flipped) {
    ElementType type = scalar.elementType().componentType();
    return Literal.ofBits(
        scalar.arrayShape(),
        i -> {
          long bits = scalar.bitsAt(i);
          boolean areNaN =
              LongStream.of(bits, bits ^ flipped).mapToDouble(type::decode).allMatch(Double::isNaN);
          return areNaN ? bits ^ flipped : bits;
        });
  }

  /**
   * The lines along the sorted dimension.
   *
   * @param size how many elements each has
   * @param stride how far its elements are apart
   */
  private record Lines(int size, int stride) {
    static Lines of(Made made) {
      int dimension = ((Sort) made.instruction().op()).dimensions().getInt(0);
      Dims sizes = made.result().arrayShape().sizes();
      return new Lines((int) sizes.get(dimension), (int) sizes.rowMajorStrides().get(dimension));
    }

    int line(int i) {
      return i / (size * stride) * stride + i % stride;
    }

    boolean isLast(int i) {
      return i / stride % size + 1 == size;
    }
  }

  /** Sorts by no order, and lines that have NaNs which the comparator does not order. */
  static List<OpenBlock> sortOrder(Made made) {
    Lines lines = Lines.of(made);
    BitSet open = new BitSet();
    made.operands().forEach(each -> nansIn(each).forEach(i -> open.set(lines.line(i))));
    boolean isOrder = made.combiner().isOrder(false);
    return made.anything(i -> !isOrder || open.get(lines.line(i)));
  }

  private static IntStream nansIn(Literal array) {
    return IntStream.range(0, array.elementType().isFloating() ? array.elementCount() : 0)
        .filter(i -> Double.isNaN(array.doubleAt(i)));
  }

  /** All elements, if NaNs are among those that are selected. */
  static List<OpenBlock> selectedNaNs(Made made) {
    boolean isOpen = nansIn(made.operand(0)).findAny().isPresent();
    return made.anything(i -> isOpen);
  }

  /** Equal keys, which a sort may leave in any order. */
  static List<OpenBlock> ties(Made made) {
    Lines lines = Lines.of(made);
    int count = made.result().elementCount();
    BitSet isBefore =
        made.combiner()
            .compared(made.results(), i -> lines.isLast(i) ? i : i + lines.stride(), count);
    List<OpenBlock> blocks = new ArrayList<>();
    BitSet seen = new BitSet();
    for (int i = 0; i < count; i++) {
      List<Integer> equal = new ArrayList<>(List.of(i));
      for (int at = i; !lines.isLast(at) && !isBefore.get(at); at += lines.stride()) {
        equal.add(at + lines.stride());
      }
      if (equal.size() > 1 && !seen.get(i)) {
        equal.forEach(seen::set);
        blocks.add(
            new OpenBlock(
                -1, equal, equal.stream().map(at -> OpenBlock.row(made.results(), at)).toList()));
      }
    }
    return blocks;
  }

  /** The elements with what they are if an initial value is taken more often, or never. */
  static List<OpenBlock> initialValues(Made made) {
    int count = made.operands().size() - made.results().size();
    List<Literal> initial = made.operands().subList(count, made.operands().size());
    Optional<List<Literal>> without = made.combiner().withoutInitial(initial);
    int elements = without.isPresent() ? made.result().elementCount() : 0;
    if (elements == 0) {
      return List.of();
    }
    List<Literal> given = new ArrayList<>(made.operands().subList(0, count));
    without.ifPresent(given::addAll);
    HloInstruction at = made.instruction();
    List<List<Literal>> forms = new ArrayList<>();
    forms.add(Computed.of(at.op(), at.called(), given).arrays());
    int times =
        Math.clamp(
            MAX_INITIAL / elements, 1, Math.clamp(made.operand(0).elementCount(), 1, MAX_TIMES));
    Stream.iterate(made.results(), each -> made.combiner().withInitial(each, initial))
        .limit(times + 1L)
        .forEach(forms::add);
    return IntStream.range(0, elements)
        .mapToObj(
            i -> new OpenBlock(i, forms.stream().map(each -> OpenBlock.row(each, i)).toList()))
        .toList();
  }

  /** Elements of which a scatter updates each more than once, in any order. */
  static List<OpenBlock> updates(Made made) {
    int count = made.results().size();
    List<Literal> updates = made.operands().subList(count + 1, 2 * count + 1);
    List<OpenBlock> blocks = new ArrayList<>();
    int[] applications = {MAX_APPLICATIONS};
    ScatterTargets.of(made)
        .updates()
        .asMap()
        .forEach((target, of) -> {
          if (of.size() > 1) {
            List<Literal> start = OpenBlock.row(made.operands().subList(0, count), target);
            List<List<Literal>> rows = of.stream().map(i -> OpenBlock.row(updates, i)).toList();
            blocks.add(new OpenBlock(target, made.combiner().inOrders(start, rows, applications)));
          }
        });
    return blocks;
  }

  /** The windows of a scatter that are partly outside. */
  static List<OpenBlock> partlyOutside(Made made) {
    return made.anything(ScatterTargets.of(made).partlyOutside()::get);
  }

  /** Elements updated twice, or all if the indices are not sorted, against what was promised. */
  static List<OpenBlock> brokenPromise(Made made) {
    int rank = made.operand(0).arrayShape().rank();
    Literal indices = made.operand(made.operands().size() / 2);
    if (made.instruction().op() instanceof Scatter op) {
      boolean isUnsorted = op.indicesAreSorted() && !IndexVectors.of(op, indices, rank).areSorted();
      ListMultimap<Integer, Integer> updates = ScatterTargets.of(made).updates();
      return made.anything(i -> isUnsorted || (op.uniqueIndices() && updates.get(i).size() > 1));
    }
    boolean isOpen = !IndexVectors.of((Gather) made.instruction().op(), indices, rank).areSorted();
    return made.anything(i -> isOpen);
  }

  /** All elements, if a weight is not finite: zeros of the padding times it may count or not. */
  static List<OpenBlock> infiniteWeights(Made made) {
    Literal weights = made.operand(1);
    Window window = ((Convolution) made.instruction().op()).window();
    boolean isPadded =
        LongStream.concat(window.paddingLow().stream(), window.paddingHigh().stream())
                .anyMatch(padding -> padding > 0)
            || window.baseDilation().stream().anyMatch(dilation -> dilation > 1);
    boolean isOpen = isPadded && !weights.elementType().isIntegral() && !weights.isFinite();
    return made.anything(i -> isOpen);
  }

  static List<OpenBlock> otherTriangle(Made made) {
    boolean isLower =
        made.instruction().op() instanceof Cholesky op
            ? op.lower()
            : LapackCall.isLower(made.instruction());
    int size = made.size();
    return List.of(
        made.anything(0, i -> isLower ? i % size > i / size % size : i % size < i / size % size));
  }

  /** The matrices of which the factor does not exist. */
  static List<OpenBlock> indefinite(Made made) {
    int each = made.size() * made.size();
    BitSet failed = new BitSet();
    IntStream.range(0, made.result().elementCount())
        .filter(i -> !isFinite(made.result(), i))
        .forEach(i -> failed.set(i / each));
    return made.anything(i -> failed.get(i / each));
  }

  /** What belongs to a matrix whose info, the last array of the result, is not 0. */
  static List<OpenBlock> failed(Made made) {
    Literal info = made.results().getLast();
    List<OpenBlock> blocks = new ArrayList<>();
    for (int part = 0; part < made.results().size(); part++) {
      int each = made.results().get(part).elementCount() / Math.max(1, info.elementCount());
      blocks.add(made.anything(part, i -> info.longAt(i / Math.max(1, each)) != 0));
    }
    return blocks;
  }
}
