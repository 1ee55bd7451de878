package org.hlo4j.pjrt;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableMap;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.child.ChildMain;

/**
 * A plugin under check, in a process of its own: it answers the question of each {@link
 * PluginCall}. What the questions are about, as a client and a program, is made when it is asked
 * for.
 */
class CheckedPlugin extends IsolatedPlugin {
  private Supplier<PjrtExecutable> program = Suppliers.memoize(this::compiled);

  CheckedPlugin() {}

  /** Checks a plugin that is loaded already. */
  CheckedPlugin(PjrtPlugin plugin) {
    super(plugin);
  }

  /** The main method of a child process. */
  public static void main(String[] none) {
    ChildMain.serve(new CheckedPlugin());
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, Object> options) {
    given = options; // loading is the first check, which may end the process
    return Interpreter.reference();
  }

  @Override
  public String answer(String question, byte[] nothing) {
    PluginCall call =
        PluginCall.ALL.stream()
            .filter(each -> each.question().equals(question))
            .findFirst()
            .orElseThrow(() -> new HloException("", question + ": is no check"));
    try (PluginSteps steps = new PluginSteps(this, call)) {
      steps.run(call.steps());
      return "";
    } catch (HloException problem) {
      throw problem;
    } catch (RuntimeException | AssertionError foreign) {
      throw new HloException("", "got what the binding does not expect: " + foreign);
    }
  }

  static void requireHolds(boolean holds, Object got, Object want) {
    HloException.require(holds, Kind.ARGUMENT, "got %s, want %s", got, want);
  }

  PjrtDevice device() {
    requireHolds(!client().devices().isEmpty(), "no device", "one");
    return client().devices().get(0);
  }

  /** Returns x + 1 of f32[2,3]. */
  PjrtExecutable program() {
    return program.get();
  }

  private PjrtExecutable compiled() {
    return PluginSteps.compile(client(), "mlir", "plusOne", 1);
  }

  /** Returns an array on the device, to be closed. */
  PjrtBuffer matrix() {
    return client().buffer((Literal) PluginCall.named("matrix"), device());
  }

  @Override
  public void close() {
    super.close();
    program = Suppliers.memoize(this::compiled);
  }
}
