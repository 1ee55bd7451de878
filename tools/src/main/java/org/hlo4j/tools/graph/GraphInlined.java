package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * The instructions that a drawing shows in the boxes of their users rather than as nodes, since
 * their edges would go to every part of the program: small constants, broadcasts of a scalar
 * constant, and the parameters of a computation that has many.
 */
final class GraphInlined {
  private static final int MAX_ELEMENTS = 4;
  private static final int MAX_PARAMETERS = 8;

  private GraphInlined() {}

  /**
   * Returns the text that replaces each of them: the value of a constant or the name of a
   * parameter.
   */
  static ImmutableMap<HloInstruction, String> of(HloComputation computation) {
    Set<HloInstruction> used = new HashSet<>();
    computation.instructions().forEach(instruction -> used.addAll(instruction.operands()));
    Map<HloInstruction, String> values = new LinkedHashMap<>();
    for (HloInstruction instruction : computation.instructions()) {
      if (used.contains(instruction) && instruction != computation.root()) {
        value(computation, instruction, values).ifPresent(value -> values.put(instruction, value));
      }
    }
    return ImmutableMap.copyOf(values);
  }

  private static Optional<String> value(
      HloComputation computation, HloInstruction instruction, Map<HloInstruction, String> values) {
    if (instruction.op() instanceof Parameter) {
      return computation.parameters().size() > MAX_PARAMETERS
          ? Optional.of(instruction.name())
          : Optional.empty();
    }
    if (instruction.op() instanceof Constant constant) {
      return isSmall(instruction) ? Optional.of(constant.literal().toHloText()) : Optional.empty();
    }
    return instruction.op() instanceof Broadcast
            && instruction.operands().get(0).shape() instanceof Shape.Array scalar
            && scalar.rank() == 0
        ? Optional.ofNullable(values.get(instruction.operands().get(0)))
        : Optional.empty();
  }

  private static boolean isSmall(HloInstruction constant) {
    return constant.shape() instanceof Shape.Array array && array.elementCount() <= MAX_ELEMENTS;
  }
}
