package org.hlo4j.interpreter.engine.sizes;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.FittedOperand;
import org.hlo4j.interpreter.engine.FittedOperand.Fill;
import org.hlo4j.interpreter.engine.SizedInstruction;
import org.hlo4j.interpreter.engine.SizedInstruction.FittedResult;

/** Instructions that cut or fill the operands and results of another. */
final class Fitting {
  private final ComputationBuilder body;
  private final String name;
  private final List<HloInstruction> given;

  /**
   * Creates the fitting.
   *
   * @param body where the instructions are written
   * @param name the name of the instruction
   * @param given its operands
   */
  Fitting(ComputationBuilder body, String name, List<HloInstruction> given) {
    this.body = body;
    this.name = name;
    this.given = given;
  }

  /** Returns what the op takes. */
  List<HloInstruction> operands(SizedInstruction at) {
    List<HloInstruction> all = new ArrayList<>(given);
    at.fitted().forEach((i, fitted) -> all.set(i, operand(i, fitted)));
    return all;
  }

  private HloInstruction operand(int i, FittedOperand fitted) {
    HloInstruction present = first(name + ".operand", given.get(i), fitted.present());
    if (fitted.filled().equals(fitted.present())) {
      return present;
    }
    HloInstruction value =
        switch (fitted.fill()) {
          case Fill.Operand(int index) -> given.get(index);
          case Fill.Value(Literal scalar) -> body.constant(name + ".fill", scalar);
        };
    Movement filled = Movement.filled(fitted.present(), fitted.filled());
    return body.add(name + ".filled", filled, present, value);
  }

  private HloInstruction first(String called, HloInstruction array, Dims sizes) {
    Dims all = ((Shape.Array) array.shape()).sizes();
    require(
        sizes.clamp(sizes.minus(sizes), all).equals(sizes),
        "",
        "got %s at run time, want %s",
        all,
        sizes);
    return sizes.equals(all) ? array : body.add(called, Movement.first(sizes), array);
  }

  /** Returns the result of the instruction, given that of its op. */
  HloInstruction result(SizedInstruction at, HloInstruction value) {
    if (!(value.shape() instanceof Shape.Tuple)) {
      return result(at.results().get(0), value);
    }
    HloInstruction[] results =
        IntStream.range(0, at.results().size())
            .mapToObj(i -> result(at.results().get(i), body.element(value, i)))
            .toArray(HloInstruction[]::new);
    return body.add(name + ".results", new Tuple(), results);
  }

  private HloInstruction result(FittedResult result, HloInstruction value) {
    Dims sizes = ((Shape.Array) value.shape()).sizes();
    Dims common = sizes.clamp(sizes.minus(sizes), result.sizes());
    HloInstruction first = first(name + ".result", value, common);
    if (result.base() < 0) {
      return first;
    }
    List<HloInstruction> in = new ArrayList<>(List.of(given.get(result.base()), first));
    for (int i = 0; i < sizes.count(); i++) {
      in.add(body.constant(name + ".zero", Literal.of(0)));
    }
    return body.add(name + ".whole", new DynamicUpdateSlice(), in.toArray(HloInstruction[]::new));
  }
}
