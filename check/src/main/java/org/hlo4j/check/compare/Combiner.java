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
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Runner;
import org.hlo4j.check.part.Computed;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.Interpreter;

/**
 * A computation of scalars that a reduction, scatter or sort applies, and whether the order in
 * which it is applied matters. Other computations than one commutative op are tried on numbers.
 */
final class Combiner {
  /** Ops that only select. */
  private static final ImmutableSet<Kind> CHOICES =
      Sets.immutableEnumSet(Kind.MAXIMUM, Kind.MINIMUM, Kind.AND, Kind.OR);

  /** Those for which it matters how often the initial value is taken. */
  private static final ImmutableSet<Kind> COUNTING =
      Sets.immutableEnumSet(Kind.ADD, Kind.MULTIPLY, Kind.XOR);

  private static final int TRIALS = 12;

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

  /** What a computation does with the terms of each result. */
  enum Folding {
    /** It selects one. */
    CHOICE,
    /** It adds or subtracts each once. */
    SUM,
    /** It multiplies by each once. */
    PRODUCT,
    /** Anything else: its own instructions round. */
    OTHER
  }

  Folding folding() {
    if (isOf(CHOICES) || tried((a, b, c) -> isOneOf(of(a, b), a, b))) {
      return Folding.CHOICE;
    } else if (isLike(Kind.ADD) || isLike(Kind.SUBTRACT)) {
      return Folding.SUM;
    }
    return isLike(Kind.MULTIPLY) ? Folding.PRODUCT : Folding.OTHER;
  }

  private static boolean isOneOf(List<Literal> results, List<Literal> a, List<Literal> b) {
    return IntStream.range(0, results.size())
        .allMatch(i -> results.get(i).equals(a.get(i)) || results.get(i).equals(b.get(i)));
  }

  /** Returns whether each result is what an op makes of its two parameters, but for roundings. */
  private boolean isLike(Kind kind) {
    return isOf(Set.of(kind))
        || tried((a, b, c) ->
            areNear(
                of(a, b),
                IntStream.range(0, count)
                    .mapToObj(i ->
                        Computed.of(new Elementwise(kind), List.of(), List.of(a.get(i), b.get(i))))
                    .toList()));
  }

  /** Returns whether neither order nor grouping of the elements matters, but for roundings. */
  boolean isMonoid() {
    return isOf(Sets.union(CHOICES, COUNTING))
        || (tried((a, b, c) -> areNear(of(of(a, b), c), of(a, of(b, c))))
            && tried((a, b, c) -> areNear(of(a, b), of(b, a))));
  }

  /** Returns whether the order of the updates does not matter, but for roundings. */
  boolean commutesUpdates() {
    return isOf(Sets.union(CHOICES, COUNTING))
        || tried((a, b, c) -> areNear(of(of(a, b), c), of(of(a, c), b)));
  }

  /** Returns whether each result is one of some commutative ops on its two parameters. */
  private boolean isOf(Set<Kind> kinds) {
    ImmutableList<HloInstruction> parameters = computation.parameters();
    return results.size() == count
        && IntStream.range(0, count)
            .allMatch(i ->
                results.get(i).op() instanceof Elementwise op
                    && kinds.contains(op.kind())
                    && ImmutableSet.copyOf(results.get(i).operands())
                        .equals(ImmutableSet.of(parameters.get(i), parameters.get(i + count))));
  }

  /**
   * Returns what updates make of a value, each in turn, in all orders; nothing if these are too
   * many.
   *
   * @param left how often the computation may yet be applied, which is counted down
   */
  List<List<Literal>> inOrders(List<Literal> start, List<List<Literal>> updates, int[] left) {
    if (results.stream()
        .allMatch(each -> each.op() instanceof Parameter p && p.number() >= count)) {
      return updates;
    }
    left[0] = Math.max(-1, left[0] - updates.size() * IntMath.factorial(updates.size()));
    return left[0] < 0
        ? List.of()
        : Collections2.permutations(updates).stream()
            .map(order -> order.stream().reduce(start, this::of))
            .distinct()
            .toList();
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

  /**
   * Returns a row of results combined with initial values some times more, and once less; nothing
   * if nobody knows what it was without them.
   */
  List<List<Literal>> withInitial(List<Literal> row, List<Literal> initial, int times) {
    return initial.stream().anyMatch(Combiner::isUnknown)
        ? List.of()
        : IntStream.rangeClosed(-1, times)
            .mapToObj(k ->
                IntStream.range(0, row.size())
                    .mapToObj(i -> with(kind(i), row.get(i), initial.get(i), k))
                    .toList())
            .toList();
  }

  /** Returns whether it matters how often initial values are taken: they are no identities. */
  boolean counts(List<Literal> initial) {
    return isOf(Sets.union(CHOICES, COUNTING))
        && IntStream.range(0, results.size())
            .anyMatch(i -> COUNTING.contains(kind(i)) && !isIdentity(kind(i), initial.get(i)));
  }

  private Kind kind(int result) {
    return ((Elementwise) results.get(result).op()).kind();
  }

  /** Returns whether a value is an identity, or a zero of the other sign. */
  private static boolean isIdentity(Kind kind, Literal value) {
    boolean isFloat = value.elementType().isFloating();
    return kind.identity(value.elementType())
        .filter(each ->
            each.equals(value) || (isFloat && value.doubleAt(0) == 0 && each.doubleAt(0) == 0))
        .isPresent();
  }

  private static boolean isUnknown(Literal initial) {
    return initial.elementType().isComplex()
        || (initial.elementType().isFloating()
            ? !(Math.abs(initial.doubleAt(0)) > 0 && Double.isFinite(initial.doubleAt(0)))
            : initial.elementType() == ElementType.PRED || initial.longAt(0) == 0);
  }

  private static Literal with(Kind kind, Literal value, Literal initial, int times) {
    ElementType type = value.elementType();
    if (!COUNTING.contains(kind)) {
      return value;
    } else if (type.isFloating()) {
      double x = value.doubleAt(0);
      double by = initial.doubleAt(0);
      double combined = kind == Kind.ADD ? x + times * by : x * Math.pow(by, times);
      return Literal.ofBits(value.arrayShape(), i -> type.encode(combined));
    }
    long x = value.longAt(0);
    long by = initial.longAt(0);
    long combined =
        switch (kind) {
          case ADD -> x + times * by;
          case MULTIPLY -> times < 0 ? x / by : x * LongMath.pow(by, times);
          default -> times % 2 == 0 ? x : x ^ by;
        };
    return Literal.full(value.arrayShape(), type.wrap(combined));
  }

  /** A law for three operands. */
  @FunctionalInterface
  private interface Law {
    boolean holds(List<Literal> a, List<Literal> b, List<Literal> c);
  }

  /** Returns whether a law holds for some numbers; not if the computation refuses them. */
  private boolean tried(Law law) {
    SplittableRandom random = new SplittableRandom(count);
    return Runner.unlessRefused(() ->
            IntStream.range(0, TRIALS)
                .allMatch(i -> law.holds(drawn(random), drawn(random), drawn(random))))
        .orElse(false);
  }

  private List<Literal> drawn(SplittableRandom random) {
    return computation.parameters().subList(0, count).stream()
        .map(each -> Values.random((Shape.Array) each.shape(), random))
        .toList();
  }

  private List<Literal> of(List<Literal> left, List<Literal> right) {
    Literal[] arguments = Stream.concat(left.stream(), right.stream()).toArray(Literal[]::new);
    HloModule module = HloModule.create("combiner", computation);
    Literal result = Interpreter.reference().run(module, arguments);
    return result.shape() instanceof Shape.Tuple ? result.elements() : List.of(result);
  }

  private static boolean areNear(List<Literal> left, List<Literal> right) {
    return IntStream.range(0, left.size()).allMatch(i -> areNear(left.get(i), right.get(i)));
  }

  private static boolean areNear(Literal one, Literal other) {
    ElementType type = one.elementType().componentType();
    return IntStream.range(0, one.elementType().componentCount())
        .allMatch(i ->
            one.bitsAt(i) == other.bitsAt(i)
                || (type.isFloating()
                    && areNear(type, type.decode(one.bitsAt(i)), type.decode(other.bitsAt(i)))));
  }

  private static boolean areNear(ElementType type, double one, double other) {
    double allowed = Math.scalb(16.0, -type.mantissaBits());
    return one == other
        || Math.abs(one - other) <= allowed * (1 + Math.abs(one) + Math.abs(other))
        || (Double.isNaN(one) && Double.isNaN(other));
  }

  /** Returns whether a comparator asks for less or greater, possibly of several keys in turn. */
  boolean isOrder() {
    HloInstruction root = computation.root();
    boolean isOther =
        root.op() instanceof Compare op && !(isStrict(op.direction()) && comparesOneKey(root));
    return all().anyMatch(each -> each.op() instanceof Compare op && isStrict(op.direction()))
        && !(root.op() instanceof Parameter)
        && !isOther;
  }

  private static boolean isStrict(Direction direction) {
    return direction == Direction.LT || direction == Direction.GT;
  }

  private static boolean comparesOneKey(HloInstruction compare) {
    return !(compare.operands().get(0).op() instanceof Parameter left)
        || !(compare.operands().get(1).op() instanceof Parameter right)
        || (left.number() ^ right.number()) == 1;
  }

  /** Returns whether a comparator compares floats in a way in which NaN is unordered. */
  boolean comparesNaNs() {
    return all()
        .anyMatch(each ->
            each.op() instanceof Compare op
                && op.direction() != Direction.EQ
                && op.direction() != Direction.NE
                && op.type().filter(type -> type == Compare.Type.TOTALORDER).isEmpty()
                && each.operands().get(0).shape() instanceof Shape.Array array
                && array.elementType().isFloating());
  }

  private Stream<HloInstruction> all() {
    return HloModule.create(computation.name(), computation).instructions();
  }
}
