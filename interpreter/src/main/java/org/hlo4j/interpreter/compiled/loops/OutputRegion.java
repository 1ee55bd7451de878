package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.DynamicStart;
import org.hlo4j.interpreter.compiled.index.IterationSpace;

/**
 * A region of the outputs whose elements are all computed by the same expressions, for all outputs
 * at once.
 *
 * @param domain the elements of the region
 * @param starts the start indices of dynamic slices, whose counters follow those of the loops
 * @param values the computed values: the element of each output, or both of its parts if it is
 *     complex
 * @param targets where each value is stored
 * @param observesNanBits whether the bits of NaNs in an output are observable
 * @param isShifted whether values are stored at an offset given at run time, the counter behind
 *     those of the starts
 */
record OutputRegion(
    IterationSpace domain,
    ImmutableList<DynamicStart<LoopNode>> starts,
    ImmutableList<LoopNode> values,
    ImmutableList<Target> targets,
    boolean observesNanBits,
    boolean isShifted) {
  private static final int MAX_PARTS = 48;

  /**
   * The destination of a value.
   *
   * @param output the number of the output
   * @param parts how many values its elements consist of
   * @param number which of these values it is
   */
  record Target(int output, int parts, int number) {
    /** Returns the position in storage, given the position of the element. */
    AffineIndex position(AffineIndex element) {
      return parts == 1 ? element : element.times(parts).plus(number);
    }
  }

  /** Returns a region of one scalar. */
  static OutputRegion of(LoopNode value) {
    return new OutputRegion(
        IterationSpace.of(Dims.of()),
        ImmutableList.of(),
        ImmutableList.of(value),
        ImmutableList.of(new Target(0, 1, 0)),
        true,
        false);
  }

  /** Returns the number of arrays that are written. */
  int outputs() {
    return 1 + targets.get(targets.size() - 1).output();
  }

  /** Returns the same region, with a counter that is added to the positions of its values. */
  OutputRegion shifted() {
    return new OutputRegion(domain, starts, values, targets, observesNanBits, true);
  }

  /** Returns the position in storage of a value. */
  AffineIndex position(int value) {
    AffineIndex position = targets.get(value).position(domain.position());
    return isShifted ? position.with(domain.loops() + starts.size(), 1) : position;
  }

  ElementType type(int output) {
    return values.get(output).type();
  }

  /**
   * Returns the regions that make up the outputs, which all have the same number of elements.
   *
   * @param inputs the arrays that are read
   * @param outputs the instructions whose values are stored
   * @param observesNanBits whether the bits of NaNs in an output are observable
   * @return the regions; empty if there would be too many, or if one of them cannot be computed
   */
  static Optional<ImmutableList<OutputRegion>> of(
      Inputs inputs, List<HloInstruction> outputs, boolean observesNanBits) {
    return IterationSpace.of(IndexLowering.sizes(outputs.get(0)))
        .parts(MAX_PARTS, domain -> over(domain, inputs, outputs, observesNanBits));
  }

  private static OutputRegion over(
      IterationSpace domain, Inputs inputs, List<HloInstruction> outputs, boolean observesNanBits) {
    IndexLowering lowering = new IndexLowering(inputs, domain);
    ImmutableList.Builder<LoopNode> values = ImmutableList.builder();
    ImmutableList.Builder<Target> targets = ImmutableList.builder();
    for (int i = 0; i < outputs.size(); i++) {
      int parts = IndexLowering.parts(outputs.get(i));
      for (int number = 0; number < parts; number++) {
        values.add(lowering.at(outputs.get(i), domain.position(), number));
        targets.add(new Target(i, parts, number));
      }
    }
    var starts = lowering.positions().starts();
    return new OutputRegion(
        domain, starts, values.build(), targets.build(), observesNanBits, false);
  }
}
