package org.hlo4j.interpreter.compiled.expr;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A computation on scalars that is applied to elements of arrays, either by generated classes or by
 * calls of the evaluator.
 */
public final class ScalarReducer {
  private final HloComputation computation;
  private final ElementType[] types;
  private final Optional<ScatterLoop> scatterLoop;
  private final Optional<PairComputation> comparator;
  private final boolean isSwapped;

  private ScalarReducer(
      HloComputation computation,
      Optional<ScatterLoop> scattering,
      Optional<PairComputation> pairing,
      boolean isSwapped) {
    this.computation = computation;
    this.types =
        computation.parameters().stream()
            .map(parameter -> ((Shape.Array) parameter.shape()).elementType())
            .toArray(ElementType[]::new);
    this.scatterLoop = scattering;
    this.comparator = pairing;
    this.isSwapped = isSwapped;
  }

  /**
   * Returns a reducer that combines elements of two groups of arrays.
   *
   * @param isSwapped whether its last parameters are the elements that it updates, not its first
   */
  public static ScalarReducer combining(
      HloComputation computation, boolean isSwapped, boolean observesNanBits) {
    Optional<ScatterLoop> loop =
        GeneratedReducers.scatterLoop(computation, isSwapped, observesNanBits);
    return new ScalarReducer(computation, loop, Optional.empty(), isSwapped);
  }

  /** Returns a reducer that compares two elements of the same arrays. */
  public static ScalarReducer comparing(HloComputation computation) {
    return new ScalarReducer(
        computation, Optional.empty(), GeneratedReducers.comparator(computation), false);
  }

  /**
   * Returns whether there is generated code. Otherwise the computation is called for each element,
   * and only one thread may do so: a context runs calls for one thread.
   */
  public boolean isGenerated() {
    return scatterLoop.isPresent() || comparator.isPresent();
  }

  /** Returns the code that combines elements, for one run of a kernel. */
  public ScatterLoop scatterLoop(KernelContext context) {
    return scatterLoop.orElseGet(() ->
        (to, at, from, f, count) -> {
          for (int i = 0; i < count; i++) {
            if (at[i] >= 0) {
              combine(to, at[i], from, f + i, context);
            }
          }
        });
  }

  /** Returns the code that compares elements, for one run of a kernel. */
  public PairComputation comparator(KernelContext context) {
    return comparator.orElseGet(
        () -> (arrays, left, right) -> compares(arrays, left, right, context));
  }

  private void combine(Object[] to, int t, Object[] from, int f, KernelContext context) {
    int count = types.length / 2;
    Literal[] arguments = new Literal[2 * count];
    for (int i = 0; i < count; i++) {
      arguments[isSwapped ? count + i : i] = scalar(types[i], to[i], t);
      arguments[isSwapped ? i : count + i] = scalar(types[i], from[i], f);
    }
    Literal result = context.call(computation, arguments);
    for (int i = 0; i < count; i++) {
      Literal part = result.shape() instanceof Shape.Tuple ? result.element(i) : result;
      int cells = CellCopies.perElement(types[i]);
      System.arraycopy(part.unsafeStorage(), 0, to[i], t * cells, cells);
    }
  }

  private boolean compares(Object[] arrays, int left, int right, KernelContext context) {
    Literal[] arguments = new Literal[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = scalar(types[i], arrays[i / 2], i % 2 == 0 ? left : right);
    }
    return context.call(computation, arguments).booleanAt(0);
  }

  private static Literal scalar(ElementType type, Object storage, int at) {
    Shape.Array shape = Shape.of(type);
    Object copy = LiteralBuilder.newStorage(shape);
    int cells = CellCopies.perElement(type);
    System.arraycopy(storage, at * cells, copy, 0, cells);
    return Literal.unsafeOf(shape, copy);
  }
}
