package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/** The test whether the result of a plan may be written to the buffer of an operand. */
final class InPlaceOperands {
  private InPlaceOperands() {}

  /**
   * {@return whether there is a single result with an element for each position, and each element
   * of the operand is read at its own position only, and not after that element of the result has
   * been written}
   */
  static boolean isSafe(ReducePlan plan, int operand) {
    int count = Math.toIntExact(plan.space().results() * plan.space().depth());
    ArrayLocation itself =
        ArrayLocation.of(
                operand, Offsets.merged(Dims.of(count), Dims.of(1)), 0, plan.space().inner())
            .orElseThrow();
    boolean isWritten = false;
    for (ReducePass pass : plan.passes()) {
      boolean isReduced = sources(pass).anyMatch(location -> location.slot() == operand);
      boolean writes =
          locations(pass.strip()).anyMatch(location -> location.role() == ArrayLocation.Role.FULL);
      List<ArrayLocation> reads =
          Stream.concat(locations(pass.strip()), sources(pass))
              .filter(location -> location.slot() == operand)
              .toList();
      if (!reads.stream().allMatch(itself::equals)
          || (isWritten && !reads.isEmpty())
          || (writes && isReduced)
          || locations(pass.epilogue()).anyMatch(location -> location.slot() == operand)) {
        return false;
      }
      isWritten |= writes;
    }
    return plan.arrays().shapes().size() == 1
        && !plan.arrays().computeFrom(operand)
        && isWritten
        && initials(plan).noneMatch(input -> input == operand)
        && locations(plan.prologue()).noneMatch(location -> location.slot() == operand);
  }

  private static Stream<ArrayLocation> locations(Optional<Strip> strip) {
    return strip.stream().flatMap(some -> some.locations().stream());
  }

  private static Stream<ArrayLocation> sources(ReducePass pass) {
    return pass.accumulators().stream().flatMap(each -> each.sources.stream());
  }

  private static Stream<Integer> initials(ReducePlan plan) {
    return plan.passes().stream()
        .flatMap(pass -> pass.accumulators().stream())
        .flatMap(each -> each.reduction.initials().stream())
        .flatMap(
            node -> node instanceof LoopNode.Read read ? Stream.of(read.input()) : Stream.empty());
  }
}
