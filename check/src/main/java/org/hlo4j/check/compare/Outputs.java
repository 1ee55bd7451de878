package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;

/**
 * The arrays of a module's result, by their numbers: the first is number 0, and those of a tuple
 * follow each other.
 */
final class Outputs {
  /** Where an array is: in the result of an instruction, with its indices in the tuples there. */
  record Place(HloInstruction instruction, ImmutableList<Integer> path) {
    /** Returns where the array comes from, with its elements in the same order. */
    Place source() {
      return switch (instruction.op()) {
        case GetTupleElement element -> operand(0, joined(List.of(element.index()), path)).source();
        case Tuple _ -> operand(path.get(0), path.subList(1, path.size())).source();
        case Copy _, OptBarrier _, Reshape _ -> operand(0, path).source();
        default -> this;
      };
    }

    private Place operand(int number, ImmutableList<Integer> inside) {
      return new Place(instruction.operands().get(number), inside);
    }
  }

  private Outputs() {}

  /**
   * Returns which arrays of the result those of each instruction are, with their elements in the
   * same order.
   */
  static Map<HloInstruction, Map<Integer, Integer>> numbers(HloModule module) {
    Map<HloInstruction, Map<Integer, Integer>> numbers = new HashMap<>();
    HloInstruction root = module.entry().root();
    int number = 0;
    for (ImmutableList<Integer> path : paths(root.shape())) {
      Place place = new Place(root, path).source();
      numbers
          .computeIfAbsent(place.instruction(), each -> new HashMap<>())
          .putIfAbsent(place.path().isEmpty() ? 0 : place.path().get(0), number++);
    }
    return numbers;
  }

  /** Returns the indices of the arrays of a shape in the tuples around them, in order. */
  static ImmutableList<ImmutableList<Integer>> paths(Shape shape) {
    return switch (shape) {
      case Shape.Array _ -> ImmutableList.of(ImmutableList.of());
      case Shape.Tuple tuple ->
          IntStream.range(0, tuple.elements().size())
              .boxed()
              .flatMap(i ->
                  paths(tuple.elements().get(i)).stream().map(path -> joined(List.of(i), path)))
              .collect(toImmutableList());
      default -> ImmutableList.of();
    };
  }

  static ImmutableList<Integer> joined(List<Integer> outer, List<Integer> inner) {
    return ImmutableList.<Integer>builder().addAll(outer).addAll(inner).build();
  }
}
