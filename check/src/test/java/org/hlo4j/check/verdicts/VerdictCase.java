package org.hlo4j.check.verdicts;

import com.google.common.collect.ImmutableList;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;

/**
 * A result under test.
 *
 * @param group its program
 * @param type the element type
 * @param expected planted, allowed or open
 * @param system how the result is made
 * @param missed why no bound can see the fault, or empty
 */
record VerdictCase(VerdictGroup group, String type, String expected, String system, String missed) {
  String name() {
    boolean isRecorded = system.startsWith("from ");
    String shown = isRecorded ? system.substring(0, system.lastIndexOf(": ")) : system;
    return group.name() + " " + type + ": " + shown;
  }

  Program program() {
    return new Program(group.program().module(type), arguments());
  }

  private ImmutableList<Literal> arguments() {
    return group.arguments(type, 1);
  }

  Literal got() {
    return new FaultySystem(group.program(), type, arguments(), group.arguments(type, 1001))
        .result(system);
  }

  /** Returns the class of types over which verdicts are counted. */
  String typeClass() {
    return switch (type) {
      case "bf16" -> "bf16";
      case "f16" -> "f16";
      case "f32", "c64" -> "f32";
      case "f64", "c128" -> "f64";
      default -> type.startsWith("f8") ? "f8" : "integers";
    };
  }
}
