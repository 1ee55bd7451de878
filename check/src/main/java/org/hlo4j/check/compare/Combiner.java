package org.hlo4j.check.compare;

import com.google.common.collect.Collections2;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.math.IntMath;
import com.google.common.math.LongMath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.Interpreter;

/**
 * A computation of scalars that a reduction, scatter or sort applies, and whether the order in
 * which it is applied matters. Other computations than one commutative op are tried on numbers.
 */
final class Combiner {
  private static final ImmutableSet<Elementwise.Kind> MONOIDS =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.MAXIMUM,
          Elementwise.Kind.MINIMUM,
          Elementwise.Kind.AND,
          Elementwise.Kind.OR,
          Elementwise.Kind.XOR);

  /** Those for which it matters how often the initial value is taken. */
  private static final ImmutableSet<Elementwise.Kind> COUNTING =
      Sets.immutableEnumSet(Elementwise.Kind.ADD, Elementwise.Kind.MULTIPLY, Elementwise.Kind.XOR);

  private static final int TRIALS = 12;

  /** How many values with other initial values are tried at most. */
  private static final int MAX_INITIAL = 100_000;

  private final HloComputation computation;
  private final ImmutableList<HloInstruction> results;
  private final int count;

  Combiner(HloComputation computation) {
    this.computation = computation;
    HloInstruction root = computation.root();
    this.results =
        root.op() instanceof Tuple ? ImmutableList.copyOf(root.operands()) : ImmutableList.of(root);
    this.count = computation.parameters().size() / 2;
  }

  /** Returns whether neither order nor grouping of the elements matters, but for roundings. */
  boolean isMonoid() {
    return isOf(MONOIDS)
        || (tried((a, b, c) -> areNear(of(of(a, b), c), of(a, of(b, c))))
            && tried((a, b, c) -> areNear(of(a, b), of(b, a))));
  }

  /** Returns whether the order of the updates does not matter, but for roundings. */
  boolean commutesUpdates() {
    return isOf(MONOIDS) || tried((a, b, c) -> areNear(of(of(a, b), c), of(of(a, c), b)));
  }

  /** Returns whether each result is one of some commutative ops on its two parameters. */
  private boolean isOf(ImmutableSet<Elementwise.Kind> kinds) {
    ImmutableList<HloInstruction> parameters = computation.parameters();
    for (int i = 0; i < results.size(); i++) {
      HloInstruction result = results.get(i);
      if (i >= count
          || !(result.op() instanceof Elementwise op)
          || !kinds.contains(op.kind())
          || !ImmutableSet.copyOf(result.operands())
              .equals(ImmutableSet.of(parameters.get(i), parameters.get(i + count)))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns what updates make of a value, each in turn, in all orders; nothing if these are too
   * many.
   *
   * @param left how often the computation may yet be applied, which is counted down
   */
  ImmutableList<List<Literal>> inOrders(
      List<Literal> start, List<List<Literal>> updates, int[] left) {
    if (results.stream()
        .allMatch(each -> each.op() instanceof Parameter p && p.number() >= count)) {
      return ImmutableList.copyOf(updates);
    }
    left[0] -= updates.size() * IntMath.factorial(updates.size());
    if (left[0] < 0) {
      left[0] = 0;
      return ImmutableList.of();
    }
    return Collections2.permutations(updates).stream()
        .map(order -> order.stream().reduce(start, this::of))
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }

  /** Returns the elements that a comparator finds before their next ones. */
  BitSet compared(List<Literal> arrays, IntUnaryOperator next, int elements) {
    List<Literal> pairs = new ArrayList<>();
    for (Literal array : arrays) {
      Shape.Array shape = Shape.of(array.elementType(), elements);
      pairs.add(array.taken(shape, i -> i));
      pairs.add(array.taken(shape, next));
    }
    Literal before = Computed.of(new Map(Dims.of(0)), ImmutableList.of(computation), pairs);
    return IntStream.range(0, elements)
        .filter(before::booleanAt)
        .collect(BitSet::new, BitSet::set, BitSet::or);
  }

  /** Returns the elements with what they are if an initial value is taken more often, or never. */
  List<OpenBlocks.Block> initialValues(OpenElements.Made made) {
    int count = results.size();
    int elements = made.result().elementCount();
    List<Literal> operands = made.operands();
    List<Literal> initial = operands.subList(operands.size() - count, operands.size());
    boolean isOther =
        isOf(MONOIDS) && IntStream.range(0, count).anyMatch(i -> isCounted(i, initial.get(i)));
    if (!isOther) {
      return List.of();
    }
    int terms = Math.max(1, made.operand(0).elementCount());
    int times = Math.clamp(MAX_INITIAL / Math.max(1, elements), 1, terms);
    return IntStream.range(0, elements)
        .mapToObj(i -> {
          List<Literal> row = OpenBlocks.row(made.results(), i);
          return new OpenBlocks.Block(
              ImmutableList.of(i),
              initial.stream().anyMatch(Combiner::isUnknown)
                  ? ImmutableList.of()
                  : IntStream.rangeClosed(-1, times)
                      .mapToObj(k ->
                          IntStream.range(0, count)
                              .mapToObj(j -> with(j, row.get(j), initial.get(j), k))
                              .toList())
                      .collect(ImmutableList.toImmutableList()));
        })
        .toList();
  }

  private Elementwise.Kind kind(int result) {
    return ((Elementwise) results.get(result).op()).kind();
  }

  private boolean isCounted(int result, Literal initial) {
    return COUNTING.contains(kind(result))
        && kind(result)
            .identity(initial.elementType())
            .filter(identity -> isZeroOr(identity, initial))
            .isEmpty();
  }

  /** Returns whether nobody knows what a result was without an initial value. */
  private static boolean isUnknown(Literal initial) {
    return initial.elementType().isComplex()
        || (initial.elementType().isFloating()
            ? !(Math.abs(initial.doubleAt(0)) > 0 && Double.isFinite(initial.doubleAt(0)))
            : initial.elementType() == ElementType.PRED || initial.longAt(0) == 0);
  }

  /** Returns a value combined with an initial one some times more, or once less. */
  private Literal with(int result, Literal value, Literal initial, int times) {
    ElementType type = value.elementType();
    LiteralBuilder with = new LiteralBuilder(value.arrayShape());
    if (type.isFloating()) {
      double x = value.doubleAt(0);
      double by = initial.doubleAt(0);
      switch (kind(result)) {
        case ADD -> with.setDouble(0, x + times * by);
        case MULTIPLY -> with.setDouble(0, x * Math.pow(by, times));
        default -> with.copy(0, value, 0);
      }
      return with.build();
    }
    long x = value.longAt(0);
    long by = initial.longAt(0);
    switch (kind(result)) {
      case ADD -> with.setLong(0, type.wrap(x + times * by));
      case MULTIPLY -> with.setLong(0, type.wrap(times < 0 ? x / by : x * LongMath.pow(by, times)));
      case XOR -> with.setLong(0, type.wrap(times % 2 == 0 ? x : x ^ by));
      default -> with.copy(0, value, 0);
    }
    return with.build();
  }

  /** Returns whether a value is an identity, or a zero of the other sign. */
  private static boolean isZeroOr(Literal identity, Literal value) {
    return identity.equals(value)
        || (value.elementType().isFloating()
            && value.doubleAt(0) == 0
            && identity.doubleAt(0) == 0);
  }

  /** A law for three operands. */
  @FunctionalInterface
  private interface Law {
    boolean holds(List<Literal> a, List<Literal> b, List<Literal> c);
  }

  /** Returns whether a law holds for some numbers; not if the computation refuses them. */
  private boolean tried(Law law) {
    SplittableRandom random = new SplittableRandom(count);
    try {
      for (int i = 0; i < TRIALS; i++) {
        if (!law.holds(drawn(random), drawn(random), drawn(random))) {
          return false;
        }
      }
      return true;
    } catch (HloException refused) {
      return false;
    }
  }

  private List<Literal> drawn(SplittableRandom random) {
    return computation.parameters().subList(0, count).stream()
        .map(parameter -> drawn((Shape.Array) parameter.shape(), random))
        .toList();
  }

  private static Literal drawn(Shape.Array shape, SplittableRandom random) {
    ElementType type = shape.elementType();
    if (type == ElementType.PRED) {
      return Literal.of(random.nextBoolean());
    }
    return type.isComplex()
        ? Literal.complex(type, random.nextGaussian(), random.nextGaussian())
        : Literal.full(
            shape, type.isFloating() ? type.round(random.nextGaussian()) : random.nextInt(4));
  }

  private List<Literal> of(List<Literal> left, List<Literal> right) {
    List<Literal> arguments = new ArrayList<>(left);
    arguments.addAll(right);
    Literal result =
        Interpreter.reference()
            .run(HloModule.create("combiner", computation), arguments.toArray(Literal[]::new));
    return result.shape() instanceof Shape.Tuple ? result.elements() : List.of(result);
  }

  private static boolean areNear(List<Literal> left, List<Literal> right) {
    for (int part = 0; part < left.size(); part++) {
      Literal one = left.get(part);
      Literal other = right.get(part);
      ElementType type = one.elementType().componentType();
      for (int i = 0; i < one.elementType().componentCount(); i++) {
        if (one.bitsAt(i) != other.bitsAt(i)
            && !(type.isFloating()
                && areNear(type, type.decode(one.bitsAt(i)), type.decode(other.bitsAt(i))))) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean areNear(ElementType type, double one, double other) {
    double allowed = Math.scalb(16.0, -type.mantissaBits());
    return (Double.isNaN(one) && Double.isNaN(other))
        || one == other
        || Math.abs(one - other) <= allowed * (1 + Math.abs(one) + Math.abs(other));
  }

  /** Returns whether a comparator asks for less or greater, possibly of several keys in turn. */
  boolean isOrder() {
    return comparisons()
            .anyMatch(op -> op.direction() == Direction.LT || op.direction() == Direction.GT)
        && !(computation.root().op() instanceof Parameter)
        && !(computation.root().op() instanceof Compare op
            && ((op.direction() != Direction.LT && op.direction() != Direction.GT)
                || !comparesOneKey()));
  }

  private boolean comparesOneKey() {
    List<HloInstruction> operands = computation.root().operands();
    return !(operands.get(0).op() instanceof Parameter left)
        || !(operands.get(1).op() instanceof Parameter right)
        || (left.number() ^ right.number()) == 1;
  }

  /** Returns whether a comparator compares floats in a way in which NaN is unordered. */
  boolean comparesNaNs() {
    return all(computation)
        .anyMatch(each ->
            each.op() instanceof Compare op
                && op.direction() != Direction.EQ
                && op.direction() != Direction.NE
                && op.type().filter(type -> type == Compare.Type.TOTALORDER).isEmpty()
                && each.operands().get(0).shape() instanceof Shape.Array array
                && array.elementType().isFloating());
  }

  private Stream<Compare> comparisons() {
    return all(computation)
        .map(HloInstruction::op)
        .flatMap(op -> op instanceof Compare compare ? Stream.of(compare) : Stream.empty());
  }

  private static Stream<HloInstruction> all(HloComputation body) {
    return HloModule.create(body.name(), body).instructions();
  }
}
