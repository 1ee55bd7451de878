package org.hlo4j.interpreter.reference;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.FittedOperand;
import org.hlo4j.interpreter.engine.FittedOperand.Fill;
import org.hlo4j.interpreter.engine.FittedResults;
import org.hlo4j.interpreter.engine.SizedInstruction;
import org.hlo4j.interpreter.engine.SizedInstruction.FittedResult;
import org.hlo4j.interpreter.engine.WholeArrays;

/** Operands and results that are cut or filled, as a {@link SizedInstruction} says. */
final class FittedValues {
  private FittedValues() {}

  /** Returns the operands that the op takes. */
  static List<Literal> of(
      HloInstruction instruction,
      List<Literal> operands,
      SizedInstruction sized,
      WholeArrays wholeArrays) {
    List<Literal> all = new ArrayList<>(operands);
    sized
        .fitted()
        .forEach((i, fitted) -> {
          Literal operand = operands.get(i);
          Literal present = Boxes.first(operand, fitted.present(), wholeArrays);
          require(
              present != null,
              "",
              "%s: operand %s got %s at run time, want %s for the static sizes of the result",
              instruction.op().opcode(),
              i,
              operand.shape(),
              operand.arrayShape().withSizes(fitted.present()));
          all.set(i, filled(requireNonNull(present), fitted, operands));
        });
    return all;
  }

  private static Literal filled(Literal present, FittedOperand fitted, List<Literal> operands) {
    if (fitted.filled().equals(fitted.present())) {
      return present;
    }
    Literal scalar =
        switch (fitted.fill()) {
          case Fill.Operand(int index) -> operands.get(index);
          case Fill.Value(Literal value) -> value;
        };
    return over(scalar.repeated(fitted.filled()), present);
  }

  /** Returns the result of the instruction, given that of its op. */
  static Literal result(FittedResults results, Literal value) {
    if (results.results().isEmpty()) {
      return value;
    }
    if (value.arrays().size() == 1 && value.elements().isEmpty()) {
      return result(results, 0, value);
    }
    List<Literal> all = new ArrayList<>();
    for (Literal element : value.elements()) {
      all.add(result(results, all.size(), element));
    }
    return Literal.tuple(all);
  }

  private static Literal result(FittedResults results, int i, Literal value) {
    FittedResult result = results.results().get(i);
    Dims sizes = value.arrayShape().sizes();
    Dims common = sizes.clamp(sizes.minus(sizes), result.sizes());
    Literal first = common.equals(sizes) ? value : Boxes.truncate(value, common);
    return result.base() < 0
        ? first
        : over(Boxes.copy(results.operands().get(result.base())), first);
  }

  /** Returns an array whose first elements are replaced. */
  private static Literal over(Literal array, Literal first) {
    Boxes.overwrite(array, first, Dims.filled(first.arrayShape().rank(), 0));
    return array;
  }
}
