package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * The correspondence of dimensions in a reshape: as many runs of dimensions as there can be, each
 * of as many elements as a run of the result's dimensions. A run may be empty.
 *
 * <pre>
 *   [2,3,4] to [6,2,2]:         dimensions 0 and 1 become 0, dimension 2 becomes 1 and 2
 *   [1,&lt;=1,&lt;=6] to [&lt;=1,&lt;=6]:   dimension 0 becomes none, 1 becomes 0, 2 becomes 1
 * </pre>
 */
final class ReshapeGroups {
  /** How many ends of groups there may be before all dimensions are taken as one. */
  private static final int MAX_ENDS = 200;

  /** A run of dimensions of the operand, and the corresponding dimensions of the result. */
  private record Group(Dims from, Dims to) {
    boolean isEmpty() {
      return from.isEmpty() && to.isEmpty();
    }
  }

  private ReshapeGroups() {}

  /** Returns the groups between two shapes: those in which dynamic dimensions remain dynamic. */
  private static List<Group> of(Shape.Array from, Shape.Array to) {
    Predicate<Group> corresponds =
        group -> hasDynamic(from, group.from) == hasDynamic(to, group.to);
    return of(from.sizes(), to.sizes(), corresponds)
        .or(() -> of(from.sizes(), to.sizes(), group -> true))
        .orElseThrow();
  }

  private static boolean hasDynamic(Shape.Array shape, Dims dimensions) {
    return dimensions.stream().anyMatch(i -> shape.isDynamic((int) i));
  }

  /** Returns the longest list of groups that all suit; empty if there is none. */
  private static Optional<List<Group>> of(Dims from, Dims to, Predicate<Group> suits) {
    List<Dims> ends = ends(from, to);
    Predicate<Group> isReshape = // behind a size of 0, ends do not say that
        group -> elements(from.at(group.from)) == elements(to.at(group.to));
    Map<Dims, List<Group>> longest = new HashMap<>(); // the list of groups before each end
    longest.put(ends.get(0), List.of());
    for (Dims end : ends) {
      for (Dims start : ends) {
        List<Group> before = longest.get(start);
        Group last = group(start, end);
        boolean isBehind = start.get(1) <= end.get(1) && !last.isEmpty();
        if (before != null && isBehind && isReshape.and(suits).test(last)) {
          List<Group> all = ImmutableList.<Group>builder().addAll(before).add(last).build();
          longest.merge(end, all, (known, other) -> other.size() < known.size() ? known : other);
        }
      }
    }
    return Optional.ofNullable(longest.get(ends.get(ends.size() - 1)));
  }

  private static Group group(Dims start, Dims end) {
    return new Group(Dims.range(start.get(0), end.get(0)), Dims.range(start.get(1), end.get(1)));
  }

  /**
   * Returns how many dimensions of both have as many elements, each number with each, in order: the
   * places where a group may end.
   */
  private static List<Dims> ends(Dims from, Dims to) {
    List<Dims> ends = new ArrayList<>();
    for (int i = 0; i <= from.count(); i++) {
      for (int j = 0; j <= to.count(); j++) {
        if (elements(from.subList(0, i)) == elements(to.subList(0, j))) {
          ends.add(Dims.of(i, j));
        }
      }
    }
    Dims all = Dims.of(from.count(), to.count());
    return ends.size() > MAX_ENDS ? List.of(Dims.of(0, 0), all) : ends;
  }

  private static long elements(Dims sizes) {
    return sizes.stream().reduce(1, LongMath::saturatedMultiply);
  }

  /** Returns the new sizes, dynamic where the operand's are; elements counts being equal. */
  static Shape.Array inferred(Shape.Array operand, Dims sizes, Optional<Integer> preferred) {
    List<Integer> dynamic = new ArrayList<>();
    Predicate<Group> remains = group -> !hasDynamic(operand, group.from) || !group.to.isEmpty();
    for (Group group : of(operand.sizes(), sizes, remains).orElse(List.of())) {
      if (hasDynamic(operand, group.from)) {
        dynamic.add(dynamicDimension(group, operand, sizes, preferred));
      }
    }
    return operand.withSizes(sizes).withDynamic(dynamic);
  }

  private static int dynamicDimension(
      Group group, Shape.Array operand, Dims sizes, Optional<Integer> preferred) {
    List<Integer> candidates = new ArrayList<>();
    for (long dimension : group.to.toArray()) {
      if (preferred.isPresent() && preferred.get() == dimension) {
        return preferred.get();
      }
      if (group.to.count() == 1 || sizes.get((int) dimension) != 1) {
        candidates.add((int) dimension);
      }
    }
    require(
        candidates.size() == 1,
        "",
        "reshape: dimensions %s of %s become %s of %s, want to know which of them is dynamic:"
            + " by reshapeWithInferredDimension, or with the shape of the result",
        group.from,
        operand,
        group.to,
        sizes);
    return candidates.get(0);
  }

  /** Returns the sizes of the result once those of the operand are known. */
  static Dims actualSizes(Shape.Array declared, Shape.Array result, Dims actual) {
    Dims sizes = result.sizes();
    for (Group group : of(declared, result)) {
      if (!actual.at(group.from).equals(declared.sizes().at(group.from))) {
        sizes = withActual(sizes, group, result, actual);
      }
    }
    return sizes;
  }

  private static Dims withActual(Dims sizes, Group group, Shape.Array result, Dims actual) {
    Dims dynamic = Dims.of(group.to.stream().filter(i -> result.isDynamic((int) i)).toArray());
    long elements = actual.at(group.from).product();
    Dims fixed = sizes.at(group.to.without(positions(group.to, dynamic)));
    long others = elements(fixed);
    if (others == 0) {
      return sizes; // there are no elements, whatever the dynamic ones are
    }
    require(
        dynamic.count() == 1 && elements % others == 0,
        "reshape C2",
        "dimensions %s of the operand got sizes %s at run time, want a multiple of %s for"
            + " the one dynamic dimension among %s of %s",
        group.from,
        actual.at(group.from),
        others,
        group.to,
        result);
    return sizes.with(dynamic.getInt(0), elements / others);
  }

  private static Dims positions(Dims of, Dims values) {
    return Dims.of(values.stream().map(of::indexOf).toArray());
  }
}
