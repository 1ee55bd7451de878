package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Verifier;

/** What is wrong with a program, and at which place of its file. */
final class Findings {
  private Findings() {}

  /**
   * Checks a program that is to be run or compiled.
   *
   * @throws HloException naming the place if the program breaks a rule or calls what no evaluator
   *     knows
   */
  static void verify(ModuleFiles.Loaded program) {
    refuse(program, Verifier.lenient().findings(program.module()));
    refuse(program, CustomCalls.refusals(program.module()));
  }

  /** Throws the first of some findings, if there is one. */
  static void refuse(ModuleFiles.Loaded program, ImmutableList<HloException> findings) {
    if (!findings.isEmpty()) {
      throw findings.get(0).prefixed(place(program, findings.get(0)));
    }
  }

  /** Where something was found: {@code FILE:LINE:COL: }, or {@code FILE: } if it is binary. */
  static String place(ModuleFiles.Loaded program, HloException finding) {
    String place = finding.position().map(SourcePosition::toString).orElse("1:1");
    return program.name() + (program.text().isPresent() ? ":" + place : "") + ": ";
  }

  /** Does something with a program, whose refusals name the file, and the place if it is known. */
  static <T> T located(ModuleFiles.Loaded program, Supplier<T> work) {
    try {
      return work.get();
    } catch (HloException refusal) {
      String place = refusal.position().map(position -> ":" + position).orElse("");
      throw refusal.prefixed(program.name() + place + ": ");
    }
  }

  /** Something found at an instruction, as the verifier tells it. */
  static HloException at(HloInstruction instruction, String summary) {
    HloException finding =
        new HloException(HloException.Kind.UNSUPPORTED, summary)
            .with("instruction", instruction.toString())
            .withInstruction(instruction.name());
    return instruction.position().map(finding::withPosition).orElse(finding);
  }
}
