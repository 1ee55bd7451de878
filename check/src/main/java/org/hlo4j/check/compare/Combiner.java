package org.hlo4j.check.compare;

import static org.hlo4j.interpreter.reference.linalg.ComplexArray.complexAt;

import com.google.common.collect.Collections2;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.math.IntMath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
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
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.math.Complex;

/**
 * A computation of scalars that a reduction, scatter or sort applies, and whether the order in
 * which it is applied matters. Other computations than one commutative op are tried on numbers.
 */
record Combiner(HloComputation computation) {
  /** Ops that only select. */
  private static final ImmutableSet<Kind> CHOICES =
      Sets.immutableEnumSet(Kind.MAXIMUM, Kind.MINIMUM, Kind.AND, Kind.OR);

  /** Those for which it matters how often the initial value is taken. */
  private static final ImmutableSet<Kind> COUNTING =
      Sets.immutableEnumSet(Kind.ADD, Kind.MULTIPLY, Kind.XOR);

  private static final int TRIALS = 12;

  private List<HloInstruction> results() {
    HloInstruction root = computation.root();
    return root.op() instanceof Tuple ? root.operands() : List.of(root);
  }

  /** Returns how many arrays are combined, of each of which there are two elements. */
  private int count() {
    return computation.parameters().size() / 2;
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
                IntStream.range(0, count())
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
    return results().size() == count()
        && IntStream.range(0, count())
            .allMatch(i ->
                results().get(i).op() instanceof Elementwise op
                    && kinds.contains(op.kind())
                    && ImmutableSet.copyOf(results().get(i).operands())
                        .equals(ImmutableSet.of(parameters.get(i), parameters.get(i + count()))));
  }

  /**
   * Returns what updates make of a value, each in turn, in all orders; nothing if these are too
   * many.
   *
   * @param left how often the computation may yet be applied, which is counted down
   */
  List<List<Literal>> inOrders(List<Literal> start, List<List<Literal>> updates, int[] left) {
    if (results().stream()
        .allMatch(each -> each.op() instanceof Parameter p && p.number() >= count())) {
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
    Function<IntUnaryOperator, List<Literal>> taken =
        from ->
            arrays.stream()
                .map(each -> each.taken(Shape.of(each.elementType(), elements), from))
                .toList();
    return before(taken.apply(i -> i), taken.apply(next));
  }

  /** Returns where a comparator finds elements of vectors before those of others. */
  private BitSet before(List<Literal> left, List<Literal> right) {
    List<Literal> pairs =
        IntStream.range(0, 2 * count())
            .mapToObj(i -> (i % 2 == 0 ? left : right).get(i / 2))
            .toList();
    Literal before = Computed.of(new Map(Dims.of(0)), ImmutableList.of(computation), pairs);
    return IntStream.range(0, before.elementCount())
        .filter(before::booleanAt)
        .collect(BitSet::new, BitSet::set, BitSet::or);
  }

  /**
   * Returns whether a comparator finds for some numbers what a strict weak order would: what is
   * before another is before, or after, any third.
   *
   * @param ofNaNs whether each third is a NaN, which total orders have
   */
  boolean isOrder(boolean ofNaNs) {
    SplittableRandom random = new SplittableRandom(count());
    List<Literal> a = drawn(random, TRIALS);
    List<Literal> c = drawn(random, TRIALS);
    List<Literal> b =
        drawn(random, TRIALS).stream().map(each -> ofNaNs ? nans(each) : each).toList();
    return Runner.unlessRefused(
            () -> {
              BitSet isBefore = before(a, b);
              BitSet isAfter = before(b, a);
              BitSet isOther = before(a, c);
              isOther.andNot(isBefore);
              isOther.andNot(before(b, c));
              return isOther.isEmpty()
                  && before(a, a).isEmpty()
                  && !isBefore.intersects(isAfter)
                  && !(isBefore.isEmpty() && isAfter.isEmpty());
            })
        .orElse(false);
  }

  private static Literal nans(Literal like) {
    ElementType type = like.elementType().componentType();
    return type.isFloating()
        ? Literal.ofBits(like.arrayShape(), i -> type.encode(Double.NaN))
        : like;
  }

  /**
   * Returns what takes the place of initial values if none is taken: identities, or those that may
   * be taken any number of times; empty if these are all.
   */
  Optional<List<Literal>> withoutInitial(List<Literal> initial) {
    if (!isOf(Sets.union(CHOICES, COUNTING))) {
      return Optional.empty();
    }
    List<Literal> without = new ArrayList<>();
    for (int i = 0; i < initial.size(); i++) {
      Kind kind = ((Elementwise) results().get(i).op()).kind();
      Optional<Literal> identity = kind.identity(initial.get(i).elementType());
      without.add(identity.filter(each -> COUNTING.contains(kind)).orElse(initial.get(i)));
    }
    return Optional.of(without).filter(each -> !areNear(each, initial, 0));
  }

  /** Returns results with initial values taken once more. */
  List<Literal> withInitial(List<Literal> arrays, List<Literal> initial) {
    return IntStream.range(0, arrays.size())
        .mapToObj(i -> {
          Literal more = initial.get(i).repeated(arrays.get(i).arrayShape().sizes());
          return Computed.of(results().get(i).op(), List.of(), List.of(arrays.get(i), more));
        })
        .toList();
  }

  /** A law for three operands. */
  @FunctionalInterface
  private interface Law {
    boolean holds(List<Literal> a, List<Literal> b, List<Literal> c);
  }

  /** Returns whether a law holds for some numbers; not if the computation refuses them. */
  private boolean tried(Law law) {
    SplittableRandom random = new SplittableRandom(count());
    return Runner.unlessRefused(() ->
            IntStream.range(0, TRIALS)
                .allMatch(i -> law.holds(drawn(random), drawn(random), drawn(random))))
        .orElse(false);
  }

  /** Returns numbers for each array, of which a comparator takes two elements in turn. */
  private List<Literal> drawn(SplittableRandom random, long... sizes) {
    int step = results().size() < count() ? 2 : 1;
    return IntStream.range(0, count())
        .mapToObj(i -> ((Shape.Array) computation.parameters().get(step * i).shape()))
        .map(shape -> Values.random(shape.withSizes(Dims.of(sizes)), random))
        .toList();
  }

  private List<Literal> of(List<Literal> left, List<Literal> right) {
    List<Literal> both = Stream.concat(left.stream(), right.stream()).toList();
    return Computed.of(new Call(), List.of(computation), both).arrays();
  }

  private static boolean areNear(List<Literal> left, List<Literal> right) {
    return areNear(left, right, 32);
  }

  /** Returns whether scalars are the same, or floats so many roundings apart. */
  private static boolean areNear(List<Literal> left, List<Literal> right, int roundings) {
    return IntStream.range(0, left.size())
        .allMatch(i -> {
          ElementType type = left.get(i).elementType().componentType();
          if (!type.isFloating()) {
            return left.get(i).equals(right.get(i));
          }
          Complex x = complexAt(left.get(i), 0);
          Complex y = complexAt(right.get(i), 0);
          return x.equals(y)
              || x.minus(y).abs() <= roundings * Bounds.unit(type) * (1 + x.abs() + y.abs());
        });
  }
}
