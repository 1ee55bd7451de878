package org.hlo4j.stablehlo.jax;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.jspecify.annotations.Nullable;

/**
 * An exported function that can be called many times. Each set of argument shapes is compiled when
 * it is first met; the last few sets are kept.
 *
 * <pre>{@code
 * Evaluator evaluator = Interpreter.compiled();
 * JaxFunction f = new JaxFunction(export, module -> evaluator.compile(module)::run);
 * Object result = f.call(x, Map.of("w", w));
 * }</pre>
 *
 * <p>Safe for use by several threads at once.
 */
public final class JaxFunction {
  /** How many sets of shapes are kept. */
  private static final int MAX_COMPILED = 16;

  private final JaxExport export;
  private final Function<HloModule, Function<Literal[], Literal>> compiler;
  private final Map<String, Function<Literal[], Literal>> compiled =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<String, Function<Literal[], Literal>> eldest) {
          return size() > MAX_COMPILED;
        }
      };

  /**
   * Creates a function.
   *
   * @param export the function that {@code jax.export} saved
   * @param compiler compiles a module
   */
  public JaxFunction(JaxExport export, Function<HloModule, Function<Literal[], Literal>> compiler) {
    this.export = export;
    this.compiler = compiler;
  }

  /**
   * Calls the function with arguments by position.
   *
   * @param arguments nested lists, maps and literals, as described in {@link PyTree}
   * @return the result, nested in the same way
   * @throws HloException if the arguments do not fit the function, or the run fails
   */
  public Object call(@Nullable Object @Nullable ... arguments) {
    return run(export.call(arguments));
  }

  /**
   * Calls the function.
   *
   * @param arguments the positional arguments
   * @param keywords the keyword arguments
   * @return the result
   * @throws HloException if the arguments do not fit the function, or the run fails
   */
  public Object call(List<?> arguments, Map<String, ?> keywords) {
    return run(export.call(arguments, keywords, "cpu"));
  }

  private Object run(JaxCall call) {
    Function<Literal[], Literal> executable;
    synchronized (compiled) {
      executable = compiled.computeIfAbsent(call.key(), key -> compiler.apply(call.module()));
    }
    return call.result(executable.apply(call.arguments()));
  }
}
