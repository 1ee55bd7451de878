package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * The correspondence of dimensions in a reshape: from the first dimension on, the shortest runs of
 * dimensions with as many elements as a run of the result's dimensions.
 *
 * <pre>
 *   [2,3,4] to [6,2,2]:   dimensions 0 and 1 become 0, dimension 2 becomes 1 and 2
 * </pre>
 */
final class ReshapeGroups {
  /** A run of dimensions of the operand, and the corresponding dimensions of the result. */
  private record Group(Dims from, Dims to) {}

  private ReshapeGroups() {}

  private static List<Group> of(Dims from, Dims to) {
    List<Group> groups = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < from.count() && j < to.count() && !from.contains(0)) {
      int firstFrom = i;
      int firstTo = j;
      long left = from.get(i++);
      long right = to.get(j++);
      while (left != right) {
        if (left < right) {
          left *= from.get(i++);
        } else {
          right *= to.get(j++);
        }
      }
      groups.add(new Group(Dims.range(firstFrom, i), Dims.range(firstTo, j)));
    }
    Group last =
        groups.isEmpty() ? new Group(Dims.of(), Dims.of()) : groups.remove(groups.size() - 1);
    groups.add(
        new Group(
            last.from.concat(Dims.range(i, from.count())),
            last.to.concat(Dims.range(j, to.count()))));
    return groups;
  }

  /** Returns the new sizes, dynamic where the operand's are; elements counts being equal. */
  static Shape.Array inferred(Shape.Array operand, Dims sizes, Optional<Integer> preferred) {
    List<Integer> dynamic = new ArrayList<>();
    for (Group group : of(operand.sizes(), sizes)) {
      if (group.from.stream().anyMatch(i -> operand.isDynamic((int) i)) && !group.to.isEmpty()) {
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
    for (Group group : of(declared.sizes(), result.sizes())) {
      if (!actual.at(group.from).equals(declared.sizes().at(group.from))) {
        sizes = withActual(sizes, group, result, actual);
      }
    }
    return sizes;
  }

  private static Dims withActual(Dims sizes, Group group, Shape.Array result, Dims actual) {
    Dims dynamic = Dims.of(group.to.stream().filter(i -> result.isDynamic((int) i)).toArray());
    long elements = actual.at(group.from).product();
    long others = sizes.at(group.to.without(positions(group.to, dynamic))).product();
    require(
        dynamic.count() == 1 && others > 0 && elements % others == 0,
        "reshape C2",
        "reshape: dimensions %s of the operand got sizes %s at run time, want a multiple of %s for"
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
