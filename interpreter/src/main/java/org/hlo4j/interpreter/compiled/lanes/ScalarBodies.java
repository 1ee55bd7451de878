package org.hlo4j.interpreter.compiled.lanes;

import java.lang.classfile.CodeBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.While;

/**
 * Computations on scalars that other ops call for elements of arrays, such as the comparator of a
 * sort or the body of a scatter, as generated methods that read and write the arrays themselves.
 * Without loops, which might have no end.
 */
public final class ScalarBodies {
  /** A body that folds elements into others. */
  public interface Combination {
    /** {@code to[..][t] = body(to[..][t], from[..][f])}, of as many arrays each as results. */
    void combine(Object[] to, int t, Object[] from, int f);
  }

  /** A body that says how elements are ordered. */
  public interface Comparison {
    /** {@code body(arrays[0][left], arrays[0][right], arrays[1][left], ...)}, which is pred. */
    boolean compares(Object[] arrays, int left, int right);
  }

  // Slots of the parameters of combine and compares.
  private static final int TO = 1;
  private static final int T = 2;
  private static final int FROM = 3;
  private static final int F = 4;
  private static final int ARRAYS = 1;
  private static final int LEFT = 2;
  private static final int RIGHT = 3;

  private final HloComputation computation;
  private final Lanes lanes;

  private ScalarBodies(HloComputation computation, CodeBuilder code) {
    this.computation = computation;
    this.lanes = Lanes.scalar(code);
  }

  /** The body of a fold, two parameters for each result; empty if there is no code for it. */
  public static Optional<Combination> combination(HloComputation computation) {
    return made(
        computation, Combination.class, code -> new ScalarBodies(computation, code).combination());
  }

  /** The comparator of a sort; empty if there is no code for it. */
  public static Optional<Comparison> comparison(HloComputation computation) {
    return made(
        computation, Comparison.class, code -> new ScalarBodies(computation, code).comparison());
  }

  private static <T> Optional<T> made(
      HloComputation computation, Class<T> type, Consumer<CodeBuilder> writing) {
    try {
      computation.parameters().forEach(parameter -> requireScalar(parameter.shape()));
      requireNoLoops(computation);
      return Optional.of(HiddenClasses.instance(type, "Body_" + computation.name(), writing));
    } catch (UnsupportedOperationException | TooLargeException none) {
      return Optional.empty();
    }
  }

  private static void requireScalar(Shape shape) {
    Item.requireScalars(shape);
    if (shape instanceof Shape.Tuple) {
      throw new UnsupportedOperationException("no scalar: " + shape);
    }
  }

  private static void requireNoLoops(HloComputation computation) {
    for (HloInstruction instruction : computation.instructions()) {
      if (instruction.op() instanceof While) {
        throw new UnsupportedOperationException("a loop in " + computation.name());
      }
      instruction.called().forEach(ScalarBodies::requireNoLoops);
    }
  }

  private void combination() {
    lanes.body(() -> {
      int results = computation.parameters().size() / 2;
      List<Item> arguments = new ArrayList<>();
      int[] arrays = new int[results];
      for (int i = 0; i < results; i++) {
        arrays[i] = lanes.array(TO, i, type(i));
        arguments.add(new Item.Scalar(type(i), lanes.load(type(i), arrays[i], T)));
      }
      for (int i = 0; i < results; i++) {
        ElementType type = type(results + i);
        arguments.add(new Item.Scalar(type, lanes.load(type, lanes.array(FROM, i, type), F)));
      }
      List<Item.Scalar> values = write(arguments).scalars().toList();
      for (int i = 0; i < results; i++) {
        lanes.store(values.get(i).type(), arrays[i], T, values.get(i).value());
      }
      lanes.code().return_();
    });
  }

  private void comparison() {
    lanes.body(() -> {
      List<Item> arguments = new ArrayList<>();
      for (int i = 0; i < computation.parameters().size(); i++) {
        int array = lanes.array(ARRAYS, i / 2, type(i));
        Value element = lanes.load(type(i), array, i % 2 == 0 ? LEFT : RIGHT);
        arguments.add(new Item.Scalar(type(i), element));
      }
      Item result = write(arguments);
      lanes.code().iload(result.scalars().findFirst().orElseThrow().value().local()).ireturn();
    });
  }

  private ElementType type(int parameter) {
    return ((Shape.Array) computation.parameters().get(parameter).shape()).elementType();
  }

  private Item write(List<Item> arguments) {
    return new ScalarCode(lanes, () -> {}).write(computation, arguments);
  }
}
