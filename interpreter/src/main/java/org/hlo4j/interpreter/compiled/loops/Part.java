package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * Elements of the result that one formula gives, for all outputs at once.
 *
 * @param domain which elements
 * @param starts the counters behind those of the loops
 * @param values for each output what its element is
 * @param areBitsSeen whether somebody may tell one NaN of an output from another
 */
record Part(
    Domain domain,
    ImmutableList<Start> starts,
    ImmutableList<Node> values,
    boolean areBitsSeen) {
  private static final int MOST_PARTS = 48;

  ElementType type(int output) {
    return values.get(output).type();
  }

  /**
   * The parts that make up the outputs, of which each has as many elements.
   *
   * @param inputs what is read
   * @param outputs the instructions whose values are wanted
   * @param areBitsSeen whether somebody may tell one NaN of an output from another
   * @return the parts; empty if there would be too many, or no formula for one of them
   */
  static Optional<ImmutableList<Part>> of(
      Inputs inputs, List<HloInstruction> outputs, boolean areBitsSeen) {
    List<Part> done = new ArrayList<>();
    Deque<Domain> toDo = new ArrayDeque<>();
    toDo.push(Domain.of(Inliner.sizes(outputs.get(0))).withoutSingles());
    while (!toDo.isEmpty()) {
      Domain domain = toDo.pop();
      try {
        if (domain.elements() > 0) {
          done.add(over(domain, inputs, outputs, areBitsSeen));
        }
      } catch (Refine refine) {
        if (refine.parts().isEmpty() || done.size() + toDo.size() >= MOST_PARTS) {
          return Optional.empty();
        }
        Lists.reverse(refine.parts()).forEach(part -> toDo.push(part.withoutSingles()));
      }
    }
    return Optional.of(ImmutableList.copyOf(done));
  }

  private static Part over(
      Domain domain, Inputs inputs, List<HloInstruction> outputs, boolean areBitsSeen) {
    Inliner inliner = new Inliner(inputs, domain);
    ImmutableList.Builder<Node> values = ImmutableList.builder();
    for (HloInstruction output : outputs) {
      values.add(inliner.at(output, domain.position()));
    }
    return new Part(domain, inliner.positions().starts(), values.build(), areBitsSeen);
  }
}
