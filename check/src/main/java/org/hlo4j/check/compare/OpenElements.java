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

/**
 * A result, and which of its elements are open: the rows of a table, with the values that they may
 * have.
 *
 * @param instruction what it is of
 * @param operands its operands
 * @param results its arrays
 */
record OpenElements(HloInstruction instruction, List<Literal> operands, List<Literal> results) {
  /** How often a combiner is applied at most; what is beyond may have any value. */
  private static final int MAX_APPLICATIONS = 4000;

  /** How many values with other initial values are tried at most. */
  private static final int MAX_INITIAL = 100_000;

  /** How often an initial value is taken at most. */
  private static final int MAX_TIMES = 1000;

  private Literal result() {
    return results.get(0);
  }

  Literal operand(int i) {
    return operands.get(i);
  }

  /** Returns the elements of all arrays that may have any value. */
  List<OpenBlock> anything(IntPredicate isOpen) {
    return IntStream.range(0, results.size()).mapToObj(i -> anything(i, isOpen)).toList();
  }

  OpenBlock anything(int part, IntPredicate isOpen) {
    IntStream all = IntStream.range(0, results.get(part).elementCount());
    return new OpenBlock(part, all.filter(isOpen).boxed().toList(), List.of());
  }

  /** Returns the elements of the first array that may have one of several values. */
  List<OpenBlock> values(IntFunction<List<Literal>> valuesOf) {
    return IntStream.range(0, result().elementCount())
        .mapToObj(i -> OpenBlock.ofScalars(i, valuesOf.apply(i)))
        .filter(each -> each.rows().size() > 1)
        .toList();
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

  List<OpenBlock> all() {
    return anything(i -> true);
  }

  List<OpenBlock> quotients() {
    ElementType type = result().elementType();
    Literal divisor = operand(1);
    return anything(i ->
        divisor.longAt(i) == 0
            || (type.minLong() < 0
                && divisor.longAt(i) == -1
                && operand(0).longAt(i) == type.minLong()));
  }

  List<OpenBlock> outOfRange() {
    ElementType from = operand(0).elementType();
    ElementType type = result().elementType();
    if (from.isIntegral() || !type.isIntegral() || type == ElementType.PRED) {
      return List.of();
    }
    boolean isSigned = type.minLong() < 0;
    double end = Math.scalb(1.0, isSigned ? type.bits() - 1 : type.bits());
    double least = isSigned ? -end : 0;
    return anything(i -> {
      double value = complexAt(operand(0), i).re();
      return !(value < end && (value >= least || value > least - 1));
    });
  }

  /** {@code 1 / (1 + exp(-x))} is 0 if exp(-x) overflows in the type. */
  List<OpenBlock> overflowingLogistic() {
    Literal zero = Literal.zeros(Shape.of(result().elementType()));
    double greatest = result().elementType().maxFinite();
    return values(i ->
        Math.exp(-operand(0).doubleAt(i)) > greatest && result().doubleAt(i) > 0
            ? List.of(scalar(i), zero)
            : List.of());
  }

  /** Complex numbers that are not finite, divisors of zero, and branch cuts of functions. */
  List<OpenBlock> complexLimits() {
    Elementwise.Kind kind = ((Elementwise) instruction.op()).kind();
    Literal first = operand(0);
    Literal last = operands.getLast();
    boolean isPower = kind == Elementwise.Kind.POWER;
    boolean divides = isPower || kind == Elementwise.Kind.DIVIDE;
    boolean isLog = kind == Elementwise.Kind.LOG_PLUS_ONE;
    if (isLog || kind == Elementwise.Kind.SIGN) { // their formulas leave hypot and a quotient open
      return anything(i -> isInfinite(first, i) && complexAt(first, i).isNaN() == isLog);
    }
    List<OpenBlock> blocks =
        anything(i -> {
          Complex base = complexAt(first, i);
          return operands.stream().anyMatch(operand -> !isFinite(operand, i))
              || !isFinite(result(), i)
              || (divides && complexAt(last, i).isZero())
              || (isPower
                  && (base.isZero() || isNegativeZero(base.re()) || isNegativeZero(base.im())));
        });
    boolean isFunction = kind == Elementwise.Kind.SQRT || kind.isTranscendental();
    List<OpenBlock> cuts = isFunction && operands.size() == 1 ? branchCuts() : List.of();
    return Stream.concat(blocks.stream(), cuts.stream()).toList();
  }

  /**
   * A function may be on either side of a branch cut where a part of z is a negative zero: {@code
   * f(conj(z)) = conj(f(z))}, and if there is a cut on the imaginary axis, f is odd.
   */
  private List<OpenBlock> branchCuts() {
    Literal z = operand(0);
    return values(i -> {
      List<Literal> sides = new ArrayList<>();
      if (isFinite(z, i) && isFinite(result(), i)) {
        sides.add(scalar(i));
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
  List<OpenBlock> nans() {
    ElementType type = result().elementType().componentType();
    long sign = 1L << (type.bits() - 1);
    return values(i ->
        type.isFloating() && !scalar(i).isFinite()
            ? LongStream.of(0, sign, sign | 1, 1)
                .mapToObj(flipped -> otherNaN(scalar(i), flipped))
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
    static Lines of(OpenElements made) {
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
  List<OpenBlock> sortOrder() {
    Lines lines = Lines.of(this);
    BitSet open = new BitSet();
    operands.forEach(each -> nansIn(each).forEach(i -> open.set(lines.line(i))));
    boolean isOrder = combiner().isOrder(false);
    return anything(i -> !isOrder || open.get(lines.line(i)));
  }

  private static IntStream nansIn(Literal array) {
    return IntStream.range(0, array.elementType().isFloating() ? array.elementCount() : 0)
        .filter(i -> Double.isNaN(array.doubleAt(i)));
  }

  /** All elements, if NaNs are among those that are selected. */
  List<OpenBlock> selectedNaNs() {
    boolean isOpen = nansIn(operand(0)).findAny().isPresent();
    return anything(i -> isOpen);
  }

  /** Equal keys, which a sort may leave in any order. */
  List<OpenBlock> ties() {
    Lines lines = Lines.of(this);
    int count = result().elementCount();
    BitSet isBefore =
        combiner().compared(results, i -> lines.isLast(i) ? i : i + lines.stride(), count);
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
                -1, equal, equal.stream().map(at -> OpenBlock.row(results, at)).toList()));
      }
    }
    return blocks;
  }

  /** The elements with what they are if an initial value is taken more often, or never. */
  List<OpenBlock> initialValues() {
    int count = operands.size() - results.size();
    List<Literal> initial = operands.subList(count, operands.size());
    Optional<List<Literal>> without = combiner().withoutInitial(initial);
    int elements = without.isPresent() ? result().elementCount() : 0;
    if (elements == 0) {
      return List.of();
    }
    List<Literal> given = new ArrayList<>(operands.subList(0, count));
    without.ifPresent(given::addAll);
    HloInstruction at = instruction;
    List<List<Literal>> forms = new ArrayList<>();
    forms.add(Computed.of(at.op(), at.called(), given).arrays());
    int times =
        Math.clamp(MAX_INITIAL / elements, 1, Math.clamp(operand(0).elementCount(), 1, MAX_TIMES));
    Stream.iterate(results, each -> combiner().withInitial(each, initial))
        .limit(times + 1L)
        .forEach(forms::add);
    return IntStream.range(0, elements)
        .mapToObj(
            i -> new OpenBlock(i, forms.stream().map(each -> OpenBlock.row(each, i)).toList()))
        .toList();
  }

  /** Elements of which a scatter updates each more than once, in any order. */
  List<OpenBlock> updates() {
    int count = results.size();
    List<Literal> updates = operands.subList(count + 1, 2 * count + 1);
    List<OpenBlock> blocks = new ArrayList<>();
    int[] applications = {MAX_APPLICATIONS};
    ScatterTargets.of(this)
        .updates()
        .asMap()
        .forEach((target, of) -> {
          if (of.size() > 1) {
            List<Literal> start = OpenBlock.row(operands.subList(0, count), target);
            List<List<Literal>> rows = of.stream().map(i -> OpenBlock.row(updates, i)).toList();
            blocks.add(new OpenBlock(target, combiner().inOrders(start, rows, applications)));
          }
        });
    return blocks;
  }

  /** The windows of a scatter that are partly outside. */
  List<OpenBlock> partlyOutside() {
    return anything(ScatterTargets.of(this).partlyOutside()::get);
  }

  /** Elements updated twice, or all if the indices are not sorted, against what was promised. */
  List<OpenBlock> brokenPromise() {
    int rank = operand(0).arrayShape().rank();
    Literal indices = operand(operands.size() / 2);
    if (instruction.op() instanceof Scatter op) {
      boolean isUnsorted = op.indicesAreSorted() && !IndexVectors.of(op, indices, rank).areSorted();
      ListMultimap<Integer, Integer> updates = ScatterTargets.of(this).updates();
      return anything(i -> isUnsorted || (op.uniqueIndices() && updates.get(i).size() > 1));
    }
    boolean isOpen = !IndexVectors.of((Gather) instruction.op(), indices, rank).areSorted();
    return anything(i -> isOpen);
  }

  /** All elements, if a weight is not finite: zeros of the padding times it may count or not. */
  List<OpenBlock> infiniteWeights() {
    Literal weights = operand(1);
    Window window = ((Convolution) instruction.op()).window();
    boolean isPadded =
        LongStream.concat(window.paddingLow().stream(), window.paddingHigh().stream())
                .anyMatch(padding -> padding > 0)
            || window.baseDilation().stream().anyMatch(dilation -> dilation > 1);
    boolean isOpen = isPadded && !weights.elementType().isIntegral() && !weights.isFinite();
    return anything(i -> isOpen);
  }

  List<OpenBlock> otherTriangle() {
    boolean isLower =
        instruction.op() instanceof Cholesky op ? op.lower() : LapackCall.isLower(instruction);
    int size = size();
    return List.of(
        anything(0, i -> isLower ? i % size > i / size % size : i % size < i / size % size));
  }

  /** The matrices of which the factor does not exist. */
  List<OpenBlock> indefinite() {
    int each = size() * size();
    BitSet failed = new BitSet();
    IntStream.range(0, result().elementCount())
        .filter(i -> !isFinite(result(), i))
        .forEach(i -> failed.set(i / each));
    return anything(i -> failed.get(i / each));
  }

  /** What belongs to a matrix whose info, the last array of the result, is not 0. */
  List<OpenBlock> failed() {
    Literal info = results.getLast();
    return IntStream.range(0, results.size())
        .mapToObj(part -> {
          int each = results.get(part).elementCount() / Math.max(1, info.elementCount());
          return anything(part, i -> info.longAt(i / Math.max(1, each)) != 0);
        })
        .toList();
  }
}
