package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.Effects;

/** The arrays of a module's result, by their indices in its tuples. */
final class Outputs {
  private final IdentityHashMap<HloInstruction, Map<Integer, ImmutableList<Integer>>> places =
      new IdentityHashMap<>();

  private Outputs() {}

  static Outputs of(HloModule module) {
    Outputs outputs = new Outputs();
    outputs.place(module.entry().root(), -1, ImmutableList.of());
    return outputs;
  }

  /**
   * Returns where the arrays of an instruction are in the result, with their elements in the same
   * order.
   */
  ImmutableMap<Integer, ImmutableList<Integer>> places(HloInstruction instruction) {
    return ImmutableMap.copyOf(places.getOrDefault(instruction, Map.of()));
  }

  /** Notes where an array of an instruction, or each if it is -1, is. */
  private void place(HloInstruction at, int output, ImmutableList<Integer> path) {
    switch (at.op()) {
      case GetTupleElement element -> place(at.operands().get(0), element.index(), path);
      case Copy _, OptBarrier _, Reshape _ -> place(at.operands().get(0), output, path);
      case Tuple _ when output >= 0 -> place(at.operands().get(output), -1, path);
      default -> {
        int count =
            output < 0 && at.shape() instanceof Shape.Tuple tuple ? tuple.elements().size() : -1;
        for (int i = 0; i < count; i++) {
          place(at, i, inner(path, i));
        }
        if (count < 0) {
          places
              .computeIfAbsent(at, each -> new HashMap<>())
              .putIfAbsent(Math.max(output, 0), path);
        }
      }
    }
  }

  /** Returns the places of the arrays of a shape, in order. */
  static List<ImmutableList<Integer>> paths(Shape shape) {
    List<ImmutableList<Integer>> paths = new ArrayList<>();
    addPaths(ImmutableList.of(), shape, paths);
    return paths;
  }

  private static void addPaths(
      ImmutableList<Integer> path, Shape shape, List<ImmutableList<Integer>> paths) {
    if (shape instanceof Shape.Tuple tuple) {
      for (int i = 0; i < tuple.elements().size(); i++) {
        addPaths(inner(path, i), tuple.elements().get(i), paths);
      }
    } else if (shape instanceof Shape.Array) {
      paths.add(path);
    }
  }

  private static ImmutableList<Integer> inner(ImmutableList<Integer> path, int element) {
    return ImmutableList.<Integer>builder().addAll(path).add(element).build();
  }

  /** Returns a module that computes one array of the result, and what has effects. */
  static HloModule alone(HloModule module, List<Integer> path) {
    HloComputation entry = module.entry();
    List<HloInstruction> instructions = new ArrayList<>(entry.instructions());
    HloInstruction array = entry.root();
    for (int index : path) {
      HloInstruction whole = array;
      array =
          whole.op() instanceof Tuple
              ? whole.operands().get(index)
              : HloInstruction.of(
                  "alone." + instructions.size(), new GetTupleElement(index), whole);
      instructions.add(array);
    }
    HloInstruction root = array;
    Effects effects = new Effects();
    Set<HloInstruction> live =
        HloComputation.live(
            instructions,
            each ->
                each.equals(root)
                    || each.op() instanceof Parameter
                    || (effects.hasEffect(each) && !(each.op() instanceof Sizing)));
    List<HloInstruction> left = instructions.stream().filter(live::contains).distinct().toList();
    return HloModule.create(module.name(), HloComputation.create(entry.name(), left, root))
        .withText(module.attributes(), module.stackFrames());
  }
}
