package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** Generates classes that apply a computation on scalars to single elements. */
final class GeneratedReducers {
  private GeneratedReducers() {}

  /**
   * Returns code that combines elements at scattered positions; empty if there is none for the
   * computation.
   *
   * @param isSwapped whether the updates are the first parameters of the computation
   * @param observesNanBits whether the bits of NaNs in the result are observable
   */
  static Optional<ScatterLoop> scatterLoop(
      HloComputation body, boolean isSwapped, boolean observesNanBits) {
    return BodyCode.of(body)
        .map(code -> code.withObservableNaNs(observesNanBits))
        .flatMap(known ->
            GeneratedCode.getOrGenerate(
                ScatterLoop.class,
                known,
                ImmutableList.of(isSwapped),
                code ->
                    HiddenClasses.instance(
                        ScatterLoop.class,
                        "Scatter",
                        out -> writeScattering(CodeEmitter.scalar(out), code, isSwapped))));
  }

  /** Returns code that compares two elements; empty if there is none for the computation. */
  static Optional<PairComputation> comparator(HloComputation body) {
    return BodyCode.of(body)
        .flatMap(known ->
            GeneratedCode.getOrGenerate(
                PairComputation.class,
                known,
                code ->
                    HiddenClasses.instance(
                        PairComputation.class,
                        "Pair",
                        out -> writePairing(CodeEmitter.scalar(out), code))));
  }

  /** Writes {@link ScatterLoop#scatter}. Its parameters are to, at, from, f, count. */
  private static void writeScattering(CodeEmitter emitter, BodyCode body, boolean isSwapped) {
    CodeBuilder code = emitter.code();
    int i = emitter.newLocal(TypeKind.INT);
    int target = emitter.newLocal(TypeKind.INT);
    int source = emitter.newLocal(TypeKind.INT);
    emitter.body(() -> {
      List<Integer> to = new ArrayList<>();
      List<Integer> from = new ArrayList<>();
      for (int k = 0; k < body.accumulatorCount(); k++) {
        to.add(emitter.array(1, k, body.type(k)));
        from.add(emitter.array(3, k, body.type(k)));
      }
      Runnable iteration =
          () -> {
            Label next = code.newLabel();
            code.aload(2).iload(i).iaload().istore(target).iload(target).iflt(next);
            code.iload(4).iload(i).iadd().istore(source);
            List<Value> arguments = new ArrayList<>();
            for (int k = 0; k < to.size(); k++) {
              arguments.add(emitter.load(body.type(k), to.get(k), target));
            }
            for (int k = 0; k < to.size(); k++) {
              int place = isSwapped ? k : arguments.size();
              arguments.add(place, emitter.load(body.type(k), from.get(k), source));
            }
            List<Value> results = body.write(emitter, arguments);
            for (int k = 0; k < to.size(); k++) {
              emitter.store(body.type(k), to.get(k), target, results.get(k));
            }
            code.labelBinding(next);
          };
      CountedLoop.fromZero(code, i, 5, iteration);
      code.return_();
    });
  }

  /** Writes {@link PairComputation#test}. Its parameters are arrays, left, right. */
  private static void writePairing(CodeEmitter emitter, BodyCode body) {
    emitter.body(() -> {
      List<Value> arguments = new ArrayList<>();
      for (int k = 0; k < body.parameterCount(); k += 2) {
        int array = emitter.array(1, k / 2, body.type(k));
        arguments.add(emitter.load(body.type(k), array, 2));
        arguments.add(emitter.load(body.type(k), array, 3));
      }
      emitter.code().iload(body.write(emitter, arguments).get(0).local()).ireturn();
    });
  }
}
