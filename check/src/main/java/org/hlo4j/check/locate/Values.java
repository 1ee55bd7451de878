package org.hlo4j.check.locate;

import com.google.common.base.Verify;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/** The values of instructions. */
final class Values {
  private final IdentityHashMap<HloInstruction, Literal> values = new IdentityHashMap<>();

  /** Returns the values of the instructions of the entry, as the reference computes them. */
  static Values of(Program program, EvaluatorOptions options) {
    Values values = new Values();
    Set<HloInstruction> wanted = new HashSet<>(program.module().entry().instructions());
    program.run(
        Interpreter::reference,
        options.toBuilder()
            .valueListener((device, at, value) -> {
              if (wanted.contains(at)) {
                values.put(at, value);
              }
            })
            .build());
    values.putGiven(program, program.arguments());
    return values;
  }

  /** Puts the values that instructions of the entry are given, dead ones, too. */
  private void putGiven(Program program, List<Literal> arguments) {
    for (HloInstruction each : program.module().entry().instructions()) {
      if (each.op() instanceof Parameter parameter) {
        put(each, arguments.get(parameter.number()));
      } else if (each.op() instanceof Constant constant) {
        put(each, constant.literal());
      }
    }
  }

  /**
   * Returns the values that the instructions of all computations have on each device, as the
   * reference computes them: of those that are computed several times, the last ones.
   */
  static ImmutableList<Values> ofDevices(Program program, EvaluatorOptions options) {
    List<Values> all = new ArrayList<>();
    for (int device = 0; device < program.deviceCount(); device++) {
      List<List<Literal>> own = program.argumentsOfDevices();
      all.add(new Values());
      all.getLast().putGiven(program, own.get(Math.min(device, own.size() - 1)));
    }
    // Each device has a thread of its own.
    program.run(
        Interpreter::reference,
        options.toBuilder()
            .valueListener((device, at, value) -> all.get(device).put(at, value))
            .build());
    return ImmutableList.copyOf(all);
  }

  void put(HloInstruction instruction, Literal value) {
    values.put(instruction, value);
  }

  boolean has(HloInstruction instruction) {
    return values.containsKey(instruction);
  }

  Literal of(HloInstruction instruction) {
    return Verify.verifyNotNull(values.get(instruction), "no value of %s", instruction);
  }

  /** Returns the size of a value; 0 if it is not known. */
  long bytes(HloInstruction instruction) {
    Literal value = values.get(instruction);
    return value == null
        ? 0
        : value.arrays().stream()
            .mapToLong(each -> (long) each.elementCount() * each.elementType().bits() / 8)
            .sum();
  }
}
