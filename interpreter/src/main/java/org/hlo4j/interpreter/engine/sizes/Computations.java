package org.hlo4j.interpreter.engine.sizes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.InstructionEvaluator;

/** The computations of a module, each at the sizes at which it is called. */
final class Computations {
  private record Call(HloComputation computation, ImmutableList<Shape> arguments) {}

  private final Map<Call, SizedComputation> sized = new HashMap<>();
  private final Set<String> names = new HashSet<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final KnownValues known;

  Computations(InstructionEvaluator evaluator) {
    this.known = new KnownValues(evaluator);
  }

  /** Returns the entry, whose parameters keep their names. */
  SizedComputation entry(HloComputation entry, ImmutableList<Shape> arguments) {
    Set<String> kept =
        entry.parameters().stream().map(HloInstruction::name).collect(toImmutableSet());
    names.addAll(kept);
    return new SizedWriter(this, entry, arguments, kept).written();
  }

  /** Returns a computation at the sizes of its arguments. */
  SizedComputation of(HloComputation computation, List<Shape> arguments) {
    ImmutableList<Shape> shapes =
        arguments.stream().map(Shape::withoutLayout).collect(toImmutableList());
    Call call = new Call(computation, shapes);
    SizedComputation written = sized.get(call);
    if (written == null) {
      written = new SizedWriter(this, computation, shapes, Set.of()).written();
      sized.put(call, written);
    }
    return written;
  }

  KnownValues known() {
    return known;
  }

  /** Returns a name that no other instruction or computation has. */
  String unique(String name) {
    String unused = name;
    while (!names.add(unused)) {
      unused = name + "." + numbers.merge(name, 1, Integer::sum);
    }
    return unused;
  }
}
