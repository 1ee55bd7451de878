package org.hlo4j.tools;

import java.util.Optional;
import java.util.TreeSet;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.Interpreter;

/** Calls of functions outside of HLO. */
final class CustomCalls {
  private CustomCalls() {}

  /** Which targets a program calls that no evaluator knows; empty if none. */
  static Optional<String> unknown(HloModule module) {
    TreeSet<String> unknown = new TreeSet<>();
    module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> instruction.op() instanceof CustomCall)
        .map(instruction -> ((CustomCall) instruction.op()).customCallTarget())
        .filter(target -> !Interpreter.KNOWN_CUSTOM_CALLS.contains(target))
        .forEach(unknown::add);
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of("custom_call_target " + String.join(", ", unknown));
  }
}
