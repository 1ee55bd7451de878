package org.hlo4j.check.compare;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;

/**
 * Whether a module reinterprets the bits of a value that may round differently: the last bit of one
 * number may be the first bit of another. Random numbers, which are made of the bits of integers,
 * do not count.
 */
final class ReadBits {
  private final Tolerances tolerances;

  /** The computations in which, or in what they call, some instruction has a tolerance. */
  private final Set<HloComputation> rounding = new HashSet<>();

  /** Whether all calls of a computation so far give a parameter a value that does not round. */
  private final Map<HloInstruction, Boolean> exactParameters = new HashMap<>();

  private ReadBits(Tolerances tolerances) {
    this.tolerances = tolerances;
  }

  static boolean areIn(HloModule module, Tolerances tolerances) {
    ReadBits bits = new ReadBits(tolerances);
    List<HloComputation> computations = module.computations(); // callees before callers
    computations.stream().filter(bits::rounds).forEach(bits.rounding::add);
    module.entry().parameters().forEach(each -> bits.exactParameters.put(each, true));
    return computations.reversed().stream().anyMatch(bits::areIn);
  }

  private boolean rounds(HloComputation computation) {
    return computation.instructions().stream().anyMatch(this::rounds);
  }

  private boolean rounds(HloInstruction instruction) {
    boolean ofOperand =
        instruction.operands().stream()
            .anyMatch(operand -> isSome(tolerances.ofOperand(instruction, operand)));
    return ofOperand
        || isSome(tolerances.of(instruction))
        || instruction.called().stream().anyMatch(rounding::contains);
  }

  private static boolean isSome(Tolerance tolerance) {
    return !(tolerance instanceof Tolerance.None)
        && !tolerance.equals(new Tolerance.Ulps(0)); // a denormal number may become zero
  }

  private boolean areIn(HloComputation computation) {
    Set<HloInstruction> exact = new HashSet<>();
    for (HloInstruction instruction : computation.instructions()) {
      boolean areExact = exact.containsAll(instruction.operands());
      if (instruction.op() instanceof BitcastConvert && !areExact) {
        return true;
      }
      boolean isParameter = instruction.op() instanceof Parameter;
      if (isParameter
          ? exactParameters.getOrDefault(instruction, false)
          : areExact && !rounds(instruction)) {
        exact.add(instruction);
      }
      passOn(instruction, exact);
    }
    return false;
  }

  /** Notes which parameters of a called computation are exact; those of loops are not. */
  private void passOn(HloInstruction instruction, Set<HloInstruction> exact) {
    boolean isCall = instruction.op() instanceof Call || instruction.op() instanceof Fusion;
    for (HloComputation called : instruction.called()) {
      for (HloInstruction parameter : called.parameters()) {
        int number = ((Parameter) parameter.op()).number();
        boolean isExact = isCall && exact.contains(instruction.operands().get(number));
        exactParameters.merge(parameter, isExact, Boolean::logicalAnd);
      }
    }
  }
}
