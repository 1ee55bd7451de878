package org.hlo4j.interpreter.reference;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.engine.GridExecutable;
import org.hlo4j.interpreter.engine.Program;

/** The reference evaluator: a {@link Program} whose only kernel is {@link InPlaceUpdate}. */
public final class ReferenceEvaluator implements Evaluator {
  private final EvaluatorOptions options;

  /** Creates an evaluator, which has no state. */
  public ReferenceEvaluator(EvaluatorOptions options) {
    this.options = options;
  }

  @Override
  public Executable compile(HloModule module) {
    return GridExecutable.of(program(module));
  }

  @Override
  public Executable compile(HloModule module, DeviceGrid grid) {
    return GridExecutable.of(program(module), grid);
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    return program(module).runOnDevices(grid, arguments);
  }

  private Program program(HloModule module) {
    return Program.refusingErrors(
        () -> Program.of(module, options, new ReferenceOps(), InPlaceUpdate::of));
  }

  @Override
  public String toString() {
    return "reference evaluator, " + options;
  }
}
