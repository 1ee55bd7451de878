package org.hlo4j.interpreter.compiled.indexing;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.GeneratedCode;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A computation on scalars that is applied to elements of arrays, by a generated class or, if it
 * has no code, by calls of the evaluator.
 *
 * @param <T> how it is applied
 * @param generated the generated class
 * @param calling gives what calls the evaluator, for one run of a kernel
 */
public record ScalarBody<T>(Optional<T> generated, Function<KernelContext, T> calling) {
  /** Returns a computation that combines rows of elements, as {@link RowScatterLoops#of}. */
  public static ScalarBody<RowScatterLoop> combining(
      HloComputation body,
      int length,
      boolean isSwapped,
      boolean isInOrder,
      boolean observesNanBits) {
    return new ScalarBody<>(
        RowScatterLoops.of(body, length, isSwapped, isInOrder, observesNanBits).map(all -> all),
        context -> combiningByCalls(body, isSwapped, context));
  }

  /** Returns a computation that compares two elements of the same arrays. */
  public static ScalarBody<PairComputation> comparing(HloComputation body) {
    return new ScalarBody<>(
        BodyCode.of(body)
            .flatMap(known ->
                GeneratedCode.getOrGenerate(PairComputation.class, known, ScalarBody::comparator)),
        context ->
            (arrays, left, right) -> {
              List<Literal> arguments = new ArrayList<>();
              for (int i = 0; i < body.parameters().size(); i++) {
                arguments.add(argument(body, i, arrays[i / 2], i % 2 == 0 ? left : right));
              }
              return context.call(body, arguments.toArray(new Literal[0])).booleanAt(0);
            });
  }

  private static PairComputation comparator(BodyCode body) {
    return HiddenClasses.instance(
        PairComputation.class, "Pair", code -> writePairing(CodeEmitter.scalar(code), body));
  }

  /** Writes {@link PairComputation#test}. Its parameters are arrays, left, right. */
  private static void writePairing(CodeEmitter emitter, BodyCode body) {
    emitter.body(() -> {
      ImmutableList.Builder<Value> arguments = ImmutableList.builder();
      for (int k = 0; k < body.parameterCount(); k += 2) {
        int array = emitter.array(1, k / 2, body.type(k));
        arguments.add(emitter.load(body.type(k), array, 2), emitter.load(body.type(k), array, 3));
      }
      emitter.code().iload(body.write(emitter, arguments.build()).get(0).local()).ireturn();
    });
  }

  /** Returns the loop that calls a computation for each element, for one run of a kernel. */
  public static RowScatterLoop combiningByCalls(
      HloComputation body, boolean isSwapped, KernelContext context) {
    return (to, at, from, source, first, end, column, stop) -> {
      for (int row = first; row < end; row++) {
        int f = source.length == 1 ? source[0] + row : source[row];
        for (int i = column; i < stop && at[row] >= 0; i++) {
          combine(body, isSwapped, to, at[row] + i, from, f + i, context);
        }
      }
    };
  }

  private static void combine(
      HloComputation body,
      boolean isSwapped,
      Object[] to,
      int t,
      Object[] from,
      int f,
      KernelContext context) {
    int count = to.length;
    Literal[] arguments = new Literal[2 * count];
    for (int i = 0; i < 2 * count; i++) {
      boolean isUpdate = i >= count != isSwapped;
      Object array = isUpdate ? from[i % count] : to[i % count];
      arguments[i] = argument(body, i, array, isUpdate ? f : t);
    }
    Literal result = context.call(body, arguments);
    for (int i = 0; i < count; i++) {
      Literal part = result.shape() instanceof Shape.Tuple ? result.element(i) : result;
      int cells = part.elementType().componentCount();
      System.arraycopy(part.unsafeStorage(), 0, to[i], t * cells, cells);
    }
  }

  /** Returns element {@code at} of an array as an argument for a parameter. */
  private static Literal argument(HloComputation body, int parameter, Object storage, int at) {
    HloInstruction given = body.parameters().get(parameter);
    ElementType type = ((Shape.Array) given.shape()).elementType();
    Object copy = LiteralBuilder.newStorage(Shape.of(type));
    int cells = type.componentCount();
    System.arraycopy(storage, at * cells, copy, 0, cells);
    return Literal.unsafeOf(Shape.of(type), copy);
  }

  /**
   * Returns whether there is a generated class. Otherwise the computation is called for each
   * element, and only one thread may do so: a context runs calls for one thread.
   */
  public boolean isGenerated() {
    return generated.isPresent();
  }

  /** Returns what applies the computation, for one run of a kernel. */
  public T forRun(KernelContext context) {
    return generated.orElseGet(() -> calling.apply(context));
  }
}
