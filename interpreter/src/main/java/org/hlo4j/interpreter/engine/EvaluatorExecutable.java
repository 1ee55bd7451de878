package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/** A module on the devices of an evaluator that compiles programs for one device only. */
public final class EvaluatorExecutable extends OutsideExecutable implements DeviceExecutable {
  private final Evaluator evaluator;

  private EvaluatorExecutable(Evaluator evaluator, HloModule module, @Nullable Literal[] bound) {
    super(module, bound);
    this.evaluator = evaluator;
  }

  /**
   * Returns a module that an evaluator runs.
   *
   * @param evaluator the evaluator
   * @param module the module
   * @return the executable, nothing bound
   */
  public static DeviceExecutable of(Evaluator evaluator, HloModule module) {
    return new EvaluatorExecutable(evaluator, module, nothingBound(module));
  }

  @Override
  public ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    return evaluator.runOnDevices(module(), grid, withBound(grid, arguments, "run"));
  }

  @Override
  public Profile profileOnDevices(DeviceGrid grid, int runs, List<List<Literal>> arguments) {
    List<List<Literal>> all = withBound(grid, arguments, "profile");
    return profile(runs, () -> evaluator.runOnDevices(module(), grid, all));
  }

  @Override
  protected Literal runChecked(Literal[] arguments) {
    List<List<Literal>> all = ImmutableList.of(Arrays.asList(withBound(arguments)));
    return evaluator.runOnDevices(module(), DeviceGrid.SINGLE, all).get(0);
  }

  @Override
  protected Executable rebound(@Nullable Literal[] all) {
    return new EvaluatorExecutable(evaluator, module(), all);
  }

  @Override
  protected String system() {
    return evaluator.toString();
  }

  @Override
  public String explain() {
    return "run by " + system() + "\n";
  }
}
