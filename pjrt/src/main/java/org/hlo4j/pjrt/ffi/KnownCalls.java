package org.hlo4j.pjrt.ffi;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.engine.LapackCall;

/** The custom calls that hlo4j's evaluators know, such as LAPACK's routines, by their kernels. */
final class KnownCalls implements CustomCallTarget {
  private static final String REFLECTORS = "ProductOfElementaryHouseholderReflectors";

  /** Custom calls that all of XLA's compilers expand, with the same operands and result. */
  private static final ImmutableMap<String, String> EXPANDED =
      ImmutableMap.of("geqrf", "Qr", "orgqr", REFLECTORS, "ungqr", REFLECTORS);

  private final Evaluator evaluator = Interpreter.compiled();

  private final LoadingCache<HloInstruction, Executable> programs =
      CacheBuilder.newBuilder()
          .weakKeys()
          .build(CacheLoader.from(call -> evaluator.compile(CallSite.alone(call))));

  /** Returns whether a routine takes matrices that are stored column by column. */
  static boolean takesColumns(String target) {
    return target.startsWith("lapack_");
  }

  /** Returns a call as an op of HLO, for a plugin that cannot call Java. */
  static HloInstruction asOps(HloInstruction call, String platform) {
    String target = ((CustomCall) call.op()).customCallTarget();
    String routine = LapackCall.routine(target).orElse("");
    Shape shape = call.shape().withoutLayout();
    HloException.require(
        routine.equals("trsm") || EXPANDED.containsKey(routine),
        Kind.UNSUPPORTED,
        "custom-call: got %s on %s, which has no such function, want it on cpu, where hlo4j"
            + " answers",
        target,
        platform);
    Op op =
        routine.equals("trsm")
            ? LapackCall.triangularSolve(call)
            : new CustomCall(shape, requireNonNull(EXPANDED.get(routine)));
    return HloInstruction.create(
        call.name(), op, call.operands(), ImmutableList.of(), shape, call.metadata());
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
