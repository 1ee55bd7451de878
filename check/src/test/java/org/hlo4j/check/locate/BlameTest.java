package org.hlo4j.check.locate;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

final class BlameTest {
  private static Blame.Stage stage(String name) {
    return new Blame.Stage(
        name,
        Parser.parse(
            "HloModule " + name + " ENTRY e { x = f32[] parameter(0)  ROOT s = f32[] abs(x) }"));
  }

  /** A module that ends the process of the system is passed over, and the next one runs. */
  @Test
  void moduleThatEndsTheProcess() {
    Runner system =
        program -> {
          switch (program.module().name()) {
            case "fatal" ->
                throw new HloException(HloException.Kind.ENDED, "child: ended with SIGSEGV");
            case "refused" ->
                throw new HloException(HloException.Kind.UNSUPPORTED, "got abs, want add");
            default -> {}
          }
          return program.run(Interpreter.reference());
        };
    Blame blame =
        Blame.of(
            List.of(stage("first"), stage("fatal"), stage("refused"), stage("last")),
            ImmutableList.of(Literal.of(-1f)),
            new ToleranceProfile.Native(),
            options -> system,
            EvaluatorOptions.defaults(),
            name -> {});
    assertThat(
            blame.steps().stream().map(each -> each.hasFailed() + " " + each.passedOver()).toList())
        .containsExactly(
            "false ", "true child: ended with SIGSEGV", "false got abs, want add", "false ")
        .inOrder();
  }
}
