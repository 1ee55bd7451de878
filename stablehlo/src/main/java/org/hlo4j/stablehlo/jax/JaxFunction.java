package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.jspecify.annotations.Nullable;

/**
 * An exported function that can be called many times. Each set of argument shapes is compiled when
 * it is first met, by the call that meets it: other calls with these shapes wait for it, and calls
 * with other shapes go on. The last 16 sets are kept, or as many as {@link #withMaxCompiled} says.
 * Weights are bound once:
 *
 * <pre>{@code
 * Evaluator evaluator = Interpreter.compiled();
 * JaxFunction f =
 *     new JaxFunction(export, (module, bound) -> evaluator.compile(module).bind(bound)::run);
 * Object result = f.call(Map.of("w", w), x);
 * JaxFunction model = f.bind(Map.of("w", w));
 * Object sameResult = model.call(x);
 * }</pre>
 *
 * <p>A function that was exported for several devices takes and gives whole arrays, as JAX's own
 * call does: an evaluator compiles its module for all of them.
 *
 * <p>Safe for use by several threads at once. It cannot be serialized, for it holds compiled
 * programs: to send it to another process, as the closures of Spark are sent, send its {@link
 * JaxExport} and what is bound, and make the function there. It is {@code Serializable} only to say
 * so.
 *
 * @serial exclude
 */
@SuppressWarnings("exports") // annotations for the compiler only
public final class JaxFunction implements Serializable {
  private static final long serialVersionUID = 1L;

  /** How many sets of shapes are kept unless {@link #withMaxCompiled} says otherwise. */
  private static final int MAX_COMPILED = 16;

  /** Compiles modules, and binds some of their arguments. */
  @FunctionalInterface
  public interface Compiler {
    /**
     * Compiles a module.
     *
     * @param module the module
     * @param bound arguments that are the same in each run, by the names of parameters; none unless
     *     {@link JaxFunction#bind} was called
     * @return the program, which takes the other arguments, in the order of the parameters
     */
    Function<Literal[], Literal> compile(HloModule module, Map<String, Literal> bound);
  }

  private final transient BoundArguments bound;
  private final transient Compiler compiler;
  private final transient CompiledShapes<Function<Literal[], Literal>> compiled;

  /**
   * Creates a function.
   *
   * @param export the function that {@code jax.export} saved
   * @param compiler compiles a module
   */
  public JaxFunction(JaxExport export, Compiler compiler) {
    this(BoundArguments.none(export), compiler, MAX_COMPILED);
  }

  private JaxFunction(BoundArguments bound, Compiler compiler, int mostCompiled) {
    this.bound = bound;
    this.compiler = compiler;
    this.compiled = new CompiledShapes<>(mostCompiled);
  }

  /**
   * Returns this function with another number of sets of shapes that are kept. A set that is not
   * kept is compiled again when it is met again, and that this goes on is logged once. Each set
   * that is kept holds its own program, with its own form of what is bound. Nothing is compiled for
   * the new function yet.
   *
   * @param sets how many, at least 1
   * @return a function of the same arguments
   * @throws HloException if {@code sets} is below 1
   */
  public JaxFunction withMaxCompiled(int sets) {
    require(sets >= 1, ARGUMENT, "withMaxCompiled: got %s, want at least 1", sets);
    return new JaxFunction(bound, compiler, sets);
  }

  /**
   * Returns this function with its first arguments bound, such as the weights of a model, as
   * Python's {@code functools.partial} does. For each set of shapes they are bound once, when it is
   * compiled.
   *
   * @param first the first arguments, as described in {@link PyTree}
   * @return the function of the other arguments
   * @throws HloException if there are too many, or they do not have the form of the function's
   */
  public JaxFunction bind(@Nullable Object @Nullable ... first) {
    return bind(first == null ? Collections.singletonList(null) : Arrays.asList(first), Map.of());
  }

  /**
   * Returns this function with its first arguments and some keyword arguments bound.
   *
   * @param first the first positional arguments
   * @param keywords the keyword arguments
   * @return the function of the other arguments
   * @throws HloException if there are too many, they do not have the form of the function's, or a
   *     keyword is unknown or bound already
   */
  public JaxFunction bind(List<?> first, Map<String, ?> keywords) {
    return new JaxFunction(bound.and(first, keywords), compiler, compiled.most());
  }

  /**
   * Returns this function with the arrays of some inputs bound, wherever they are in its arguments,
   * such as the weights in a dictionary that has other arguments as well. It is called by {@link
   * #callFlat} then.
   *
   * @param arrays by their index in {@link JaxExport#inputs}
   * @return the function of the other inputs
   * @throws HloException if there is no such input, or it is bound already
   */
  public JaxFunction bindFlat(Map<Integer, Literal> arrays) {
    return new JaxFunction(bound.andFlat(arrays), compiler, compiled.most());
  }

  /**
   * Calls the function with arguments by position.
   *
   * @param arguments nested lists, maps and literals, as described in {@link PyTree}; those that
   *     are not bound
   * @return the result, nested in the same way
   * @throws HloException if the arguments do not fit the function, or the run fails
   */
  @CanIgnoreReturnValue
  public Object call(@Nullable Object @Nullable ... arguments) {
    return call(
        arguments == null ? Collections.singletonList(null) : Arrays.asList(arguments), Map.of());
  }

  /**
   * Calls the function.
   *
   * @param arguments the positional arguments that are not bound
   * @param keywords the keyword arguments that are not bound
   * @return the result
   * @throws HloException if the arguments do not fit the function, or the run fails
   */
  @CanIgnoreReturnValue
  public Object call(List<?> arguments, Map<String, ?> keywords) {
    JaxCall call = bound.call(arguments, keywords);
    return call.result(run(call));
  }

  /**
   * Calls the function with the arrays of its arguments in the order of {@link JaxExport#inputs}.
   *
   * @param arrays one for each input that is not bound, used or not
   * @return the arrays of the result, in the order of {@link JaxExport#outputs}
   * @throws HloException if the arrays do not fit the function, or the run fails
   */
  @CanIgnoreReturnValue
  public ImmutableList<Literal> callFlat(List<Literal> arrays) {
    JaxCall call = bound.callFlat(arrays);
    return call.leaves(run(call));
  }

  /**
   * Compiles the function for arrays of these shapes, so that no call has to wait for it: a service
   * does so before it takes requests. What else the compiler does, such as warming up, is done here
   * as well.
   *
   * @param shapes the shape of each input that is not bound, in the order of {@link
   *     JaxExport#inputs}
   * @throws HloException if the shapes do not fit the function, or it does not compile
   */
  public void prepare(Shape.Array... shapes) {
    var _ = program(bound.callFlat(Stream.of(shapes).map(Literal::zeros).toList()));
  }

  private Literal run(JaxCall call) {
    BitSet fixed = call.positions(bound.arrays().keySet());
    Literal[] all = call.arguments();
    return program(call)
        .apply(
            IntStream.range(0, all.length)
                .filter(i -> !fixed.get(i))
                .mapToObj(i -> all[i])
                .toArray(Literal[]::new));
  }

  private Function<Literal[], Literal> program(JaxCall call) {
    return compiled.get(call.key(), () -> compile(call));
  }

  private Function<Literal[], Literal> compile(JaxCall call) {
    BitSet fixed = call.positions(bound.arrays().keySet());
    Literal[] all = call.arguments();
    HloModule module = call.module();
    Map<String, Literal> byName = new LinkedHashMap<>();
    fixed.stream().forEach(i -> byName.put(module.parameterNames().get(i), all[i]));
    Function<Literal[], Literal> program = compiler.compile(module, byName);
    require(program != null, ARGUMENT, "call: the compiler gave null, want a program");
    return program;
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException(
        "JaxFunction of "
            + bound.export().functionName()
            + ": got compiled programs, which stay in their process; send its JaxExport and the"
            + " literals to bind, which are Serializable, and make the function there");
  }

  /**
   * Returns the signature of the export, such as {@code f(float32[b,8], float32[b,3]) ->
   * float32[]}, and how many arguments are bound.
   */
  @Override
  public String toString() {
    int count = bound.first().size() + bound.keywords().size() + bound.flat().size();
    String arguments = count == 1 ? " argument" : " arguments";
    return bound.export() + (count == 0 ? "" : ", " + count + arguments + " bound");
  }
}
