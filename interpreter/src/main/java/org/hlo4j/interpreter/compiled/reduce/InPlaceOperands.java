package org.hlo4j.interpreter.compiled.reduce;

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
    int written = -1;
    for (int pass = 0; pass < plan.passes().size(); pass++) {
      ReducePass currentPass = plan.passes().get(pass);
      if (stripLocations(currentPass).anyMatch(location -> isOther(location, itself))
          || locations(currentPass.epilogue()).anyMatch(location -> location.slot() == operand)
          || sources(currentPass).anyMatch(location -> isOther(location, itself))) {
        return false;
      }
      boolean isReduced = sources(currentPass).anyMatch(itself::equals);
      if (written >= 0 && (isReduced || stripLocations(currentPass).anyMatch(itself::equals))) {
        return false;
      }
      if (written < 0
          && stripLocations(currentPass)
              .anyMatch(location -> location.role() == ArrayLocation.Role.FULL)) {
        written = pass;
        if (isReduced) {
          return false;
        }
      }
    }
    return plan.arrays().shapes().size() == 1
        && !plan.arrays().computeFrom(operand)
        && written >= 0
        && initials(plan).noneMatch(input -> input == operand)
        && locations(plan.prologue()).noneMatch(location -> location.slot() == operand);
  }

  /** {@return whether a location reads the operand at another position} */
  private static boolean isOther(ArrayLocation location, ArrayLocation itself) {
    return location.slot() == itself.slot() && !location.equals(itself);
  }

  private static Stream<ArrayLocation> stripLocations(ReducePass pass) {
    return locations(pass.strip());
  }

  private static Stream<ArrayLocation> locations(Optional<Strip> strip) {
    return strip.stream().flatMap(some -> some.locations().stream());
  }

  private static Stream<ArrayLocation> sources(ReducePass pass) {
    return pass.steps().stream().flatMap(step -> step.sources().stream());
  }

  private static Stream<Integer> initials(ReducePlan plan) {
    return plan.passes().stream()
        .flatMap(pass -> pass.steps().stream())
        .flatMap(step -> step.reduction().initials().stream())
        .flatMap(
            node -> node instanceof LoopNode.Read read ? Stream.of(read.input()) : Stream.empty());
  }
}
