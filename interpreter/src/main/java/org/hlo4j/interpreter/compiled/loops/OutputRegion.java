package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * Elements of the result that one formula gives, for all outputs at once.
 *
 * @param domain which elements
 * @param starts the counters behind those of the loops
 * @param values what is computed: for each output what its element is, of a complex number both
 *     parts
 * @param targets for each value where it goes
 * @param observesNanBits whether somebody may tell one NaN of an output from another
 */
record OutputRegion(
    IterationSpace domain,
    ImmutableList<DynamicStart> starts,
    ImmutableList<LoopNode> values,
    ImmutableList<Target> targets,
    boolean observesNanBits) {
  private static final int MAX_PARTS = 48;

  /**
   * Where a value goes.
   *
   * @param output the number of the output
   * @param parts of how many values its elements consist
   * @param number which of them it is
   */
  record Target(int output, int parts, int number) {
    /** Where in storage it lies, if the element is at a position. */
    AffineIndex position(AffineIndex element) {
      return parts == 1 ? element : element.times(parts).plus(number);
    }
  }

  /** One element by itself. */
  static OutputRegion of(LoopNode value) {
    return new OutputRegion(
        IterationSpace.of(Dims.of()),
        ImmutableList.of(),
        ImmutableList.of(value),
        ImmutableList.of(new Target(0, 1, 0)),
        true);
  }

  /** How many arrays are written. */
  int outputs() {
    return 1 + targets.get(targets.size() - 1).output();
  }

  /** Where in storage a value lies. */
  AffineIndex position(int value) {
    return targets.get(value).position(domain.position());
  }

  ElementType type(int output) {
    return values.get(output).type();
  }

  /**
   * The parts that make up the outputs, of which each has as many elements.
   *
   * @param inputs what is read
   * @param outputs the instructions whose values are wanted
   * @param observesNanBits whether somebody may tell one NaN of an output from another
   * @return the parts; empty if there would be too many, or no formula for one of them
   */
  static Optional<ImmutableList<OutputRegion>> of(
      Inputs inputs, List<HloInstruction> outputs, boolean observesNanBits) {
    List<OutputRegion> done = new ArrayList<>();
    Deque<IterationSpace> toDo = new ArrayDeque<>();
    toDo.push(IterationSpace.of(IndexLowering.sizes(outputs.get(0))).withoutSingles());
    while (!toDo.isEmpty()) {
      IterationSpace domain = toDo.pop();
      try {
        if (domain.elements() > 0) {
          done.add(over(domain, inputs, outputs, observesNanBits));
        }
      } catch (SplitDomain refine) {
        if (refine.parts().isEmpty() || done.size() + toDo.size() >= MAX_PARTS) {
          return Optional.empty();
        }
        Lists.reverse(refine.parts()).forEach(part -> toDo.push(part.withoutSingles()));
      }
    }
    return Optional.of(ImmutableList.copyOf(done));
  }

  private static OutputRegion over(
      IterationSpace domain, Inputs inputs, List<HloInstruction> outputs, boolean observesNanBits) {
    IndexLowering inliner = new IndexLowering(inputs, domain);
    ImmutableList.Builder<LoopNode> values = ImmutableList.builder();
    ImmutableList.Builder<Target> targets = ImmutableList.builder();
    for (int i = 0; i < outputs.size(); i++) {
      int parts = IndexLowering.parts(outputs.get(i));
      for (int number = 0; number < parts; number++) {
        values.add(inliner.at(outputs.get(i), domain.position(), number));
        targets.add(new Target(i, parts, number));
      }
    }
    return new OutputRegion(
        domain, inliner.positions().starts(), values.build(), targets.build(), observesNanBits);
  }
}
