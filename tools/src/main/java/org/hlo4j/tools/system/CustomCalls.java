package org.hlo4j.tools.system;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
