package org.hlo4j.tools.serve;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.program.ProgramSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServedProgramTest {
  private static final HloModule TWICE =
      Parser.parse("HloModule t ENTRY e { x = f32[] parameter(0) ROOT y = f32[] add(x, x) }");

  /** An evaluator for which everything is 3. */
  private record AlwaysThree() implements Evaluator {
    @Override
    public Literal run(HloModule module, Literal... arguments) {
      return Literal.of(3.0f);
    }

    @Override
    public Executable compile(HloModule module) {
      return Interpreter.compiled().compile(module);
    }

    @Override
    public ImmutableList<Literal> runOnDevices(
        HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
      return ImmutableList.of(Literal.of(3.0f));
    }
  }

  /** Also what agrees with the compiled evaluator is wrong if the reference says so. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.5 | 3 | ''                                       | same",
        "1.5 | 4 | result                                   | wrong",
        "1   | 2 | hlo4j's evaluator beside the reference:  | wrong",
        "1   | 3 | result                                   | wrong",
        "1   | 4 | result                                   | wrong",
      })
  void referenceJudgesTheFirstResult(float argument, float result, String subject, String verdict) {
    ServedProgram program =
        new ServedProgram(
            new ProgramSource.Hlo(TWICE), new AlwaysThree(), EvaluatorOptions.defaults());
    ServedProgram.Judgement judgement =
        program.call(ImmutableList.of(Literal.of(argument))).judge(Literal.of(result));
    assertThat(judgement.text()).startsWith(subject);
    assertThat(judgement.verdict().toString()).isEqualTo(verdict);
  }
}
