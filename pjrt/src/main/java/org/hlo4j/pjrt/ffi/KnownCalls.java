package org.hlo4j.pjrt.ffi;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;

/** The custom calls that hlo4j's evaluators know, such as LAPACK's routines, by their kernels. */
final class KnownCalls implements CustomCallTarget {
  private final Evaluator evaluator = Interpreter.compiled();

  private final LoadingCache<HloInstruction, Executable> programs =
      CacheBuilder.newBuilder()
          .weakKeys()
          .build(CacheLoader.from(call -> evaluator.compile(CallSite.alone(call))));

  /** Returns whether a routine takes matrices that are stored column by column. */
  static boolean takesColumns(String target) {
    return target.startsWith("lapack_");
  }

  @Override
  public Literal call(HloInstruction call, List<Literal> operands) {
    try {
      return programs.getUnchecked(call).run(operands.toArray(Literal[]::new));
    } catch (UncheckedExecutionException refusal) {
      throw refusal.getCause() instanceof HloException own ? own : refusal;
    }
  }
}
