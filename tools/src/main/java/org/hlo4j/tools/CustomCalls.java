package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.Interpreter;

/** The targets of custom calls, and whether any evaluator knows them. */
final class CustomCalls {
  private CustomCalls() {}

  /** Returns the targets of a program that no evaluator knows; empty if there are none. */
  static Optional<String> unknown(HloModule module) {
    TreeSet<String> unknown =
        calls(module).stream()
            .map(CustomCalls::target)
            .collect(Collectors.toCollection(TreeSet::new));
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of("custom_call_target " + String.join(", ", unknown));
  }

  /** Returns a refusal for each call of a target that no evaluator knows. */
  static ImmutableList<HloException> refusals(HloModule module) {
    return calls(module).stream()
        .map(call ->
            Findings.at(
                call,
                "custom-call: no evaluator knows the custom_call_target \""
                    + target(call)
                    + "\", want one of "
                    + known()))
        .collect(toImmutableList());
  }

  /** Returns the targets that evaluators know; those of a library are written as one pattern. */
  private static String known() {
    return Interpreter.KNOWN_CUSTOM_CALLS.stream()
        .map(target ->
            target
                .replaceFirst("^lapack_.*_ffi$", "lapack_*_ffi")
                .replaceFirst("^(cu|hip)(solver|sparse)?_.*$", "$1*")
                .replaceFirst("^xla\\.sdy\\..*$", "xla.sdy.*"))
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static ImmutableList<HloInstruction> calls(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> instruction.op() instanceof CustomCall)
        .filter(call -> !Interpreter.KNOWN_CUSTOM_CALLS.contains(target(call)))
        .collect(toImmutableList());
  }

  private static String target(HloInstruction call) {
    return ((CustomCall) call.op()).customCallTarget();
  }
}
