package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.source.Nearest;

/**
 * The targets of custom calls that a run can use.
 *
 * @param known those of the evaluators
 * @param given those of the user
 */
public record CustomCallTargets(ImmutableSet<String> known, ImmutableSet<String> given) {
  /**
   * Returns a refusal for each custom call of a module whose target is unknown, with the
   * instruction and its place.
   */
  public ImmutableList<HloException> refusals(HloModule module) {
    return unknown(module).stream()
        .map(call ->
            call.located(
                new HloException(HloException.Kind.UNSUPPORTED, "custom-call: " + complaint(call))))
        .collect(toImmutableList());
  }

  /** Throws if a module has custom calls of unknown targets; it says where the first one is. */
  void requireAll(HloModule module) {
    List<HloInstruction> unknown = unknown(module);
    if (unknown.isEmpty()) {
      return;
    }
    HloException refusal = refusals(module).get(0);
    String others =
        unknown.stream()
            .map(CustomCallTargets::target)
            .filter(target -> !target.equals(target(unknown.get(0))))
            .distinct()
            .collect(joining(", "));
    throw others.isEmpty() ? refusal : refusal.with("others", "also unknown: " + others);
  }

  private List<HloInstruction> unknown(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> instruction.op() instanceof CustomCall)
        .filter(call -> !known.contains(target(call)) && !given.contains(target(call)))
        .toList();
  }

  private static String target(HloInstruction call) {
    return ((CustomCall) call.op()).customCallTarget();
  }

  private String complaint(HloInstruction call) {
    String target = target(call);
    String nearest = Nearest.to(target, Iterables.concat(given, known));
    return isPythonCallback(target)
        ? "custom_call_target \""
            + target
            + "\" calls back into Python (jax.debug.print, pure_callback, io_callback): remove it"
            + " before export, or register the name in Java, by"
            + " EvaluatorOptions.Builder.customCall"
        : "no evaluator knows the custom_call_target \""
            + target
            + (nearest.isEmpty() ? "\"" : "\" (nearest known name: " + nearest + ")")
            + ", want one of "
            + names()
            + ", or one registered in Java by EvaluatorOptions.Builder.customCall";
  }

  /** JAX has such a target for each platform and each kind of interface to it. */
  private static boolean isPythonCallback(String target) {
    return target.contains("python") && target.contains("callback");
  }

  /** Returns all names, the user's first; those of a library are written as one pattern. */
  private String names() {
    Set<String> all = ImmutableSet.<String>builder().addAll(given).addAll(known).build();
    return all.stream()
        .map(target ->
            given.contains(target)
                ? target
                : target
                    .replaceFirst("^lapack_.*_ffi$", "lapack_*_ffi")
                    .replaceFirst("^(cu|hip)(solver|sparse|hybrid)?_.*$", "$1*")
                    .replaceFirst("^xla\\.sdy\\..*$", "xla.sdy.*")
                    .replaceFirst("^(SPMD|MoveTo).*$", "$1*"))
        .distinct()
        .collect(joining(", "));
  }
}
