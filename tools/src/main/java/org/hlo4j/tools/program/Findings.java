package org.hlo4j.tools.program;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;

/** The verification of programs, and the positions of its findings in the file. */
public final class Findings {
  private Findings() {}

  /**
   * Verifies a program. Whether there is a function for each custom call is the evaluator's to say.
   *
   * @throws HloException with the position if the program breaks a rule
   */
  public static void verify(LoadedProgram program) {
    refuse(program, Verifier.lenient().findings(program.module()));
  }

  /** Throws the first of some findings, if there is one. */
  public static void refuse(LoadedProgram program, ImmutableList<HloException> findings) {
    if (!findings.isEmpty()) {
      HloException first = withSource(program.module(), findings.get(0));
      throw first.prefixed(place(program, first));
    }
  }

  /** Adds the line of the source that JAX keeps in a module's stack frames, if there is one. */
  private static HloException withSource(HloModule module, HloException finding) {
    if (finding.facts().stream().anyMatch(fact -> fact.name().equals("at"))) {
      return finding;
    }
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> finding.instruction().equals(Optional.of(instruction.name())))
        .findFirst()
        .flatMap(new Origins(module)::of)
        .map(line -> finding.with("at", "at " + line))
        .orElse(finding);
  }

  /**
   * Returns the position of a finding: {@code FILE:LINE:COL: }, or {@code FILE: } for a binary file
   * and for an instruction whose position is not known.
   */
  public static String place(LoadedProgram program, HloException finding) {
    String module = finding.instruction().isPresent() ? "" : ":1:1";
    String place = finding.position().map(known -> ":" + known).orElse(module);
    return program.name() + (program.text().isPresent() ? place : "") + ": ";
  }

  /** Runs some work on a program, and adds the file and, if known, the position to its refusals. */
  public static <T> T located(LoadedProgram program, Supplier<T> work) {
    try {
      return work.get();
    } catch (HloException refusal) {
      String place = refusal.position().map(position -> ":" + position).orElse("");
      HloException placed =
          refusal.instruction().isPresent() ? withSource(program.module(), refusal) : refusal;
      throw placed.prefixed(program.name() + place + ": ");
    }
  }

  /** Returns a finding at an instruction, in the form of the verifier. */
  public static HloException at(HloInstruction instruction, String summary) {
    HloException finding =
        new HloException(HloException.Kind.UNSUPPORTED, summary)
            .with("instruction", instruction.toString())
            .withInstruction(instruction.name());
    return instruction.position().map(finding::withPosition).orElse(finding);
  }
}
