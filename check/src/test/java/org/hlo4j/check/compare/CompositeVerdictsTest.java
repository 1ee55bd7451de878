package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.math.XlaMath;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A function of CHLO is judged by its published errors, not by the steps of our computation. */
class CompositeVerdictsTest {
  /** The function, its argument, and a result: the exact value, XLA's, and planted ones. */
  @ParameterizedTest
  @CsvSource({
    "lgamma, f32[] 1.5403149, f32[] -0.11856038, same",
    "lgamma, f32[] 1.5403149, f32[] -0.1185604, rounded",
    "lgamma, f32[] 1.5403149, f32[] -0.1185, wrong",
    "lgamma, f32[] 1.5403149, f32[] 0, wrong",
    "lgamma, f32[] -2.4570248, f32[] -1.1920929e-06, undecided",
    "lgamma, f32[] -2.4570248, f32[] -1e-4, wrong",
    "lgamma, f64[] 2.5001994817143722, f64[] 0.2848231471211502, rounded",
    "lgamma, f64[] 2.5001994817143722, f64[] 0.284823147122, wrong",
    "lgamma, bf16[] 1.5390625, bf16[] -0.1191, rounded",
    "lgamma, bf16[] 1.5390625, bf16[] -0.1211, wrong",
    "lgamma, f32[] -3, f32[] inf, same",
    "lgamma, f32[] -3, f32[] 1e30, wrong",
    "erfInv, f32[] 0.99982804, f32[] 2.6565881, rounded",
    "erfInv, f32[] 0.99982804, f32[] 2.63, wrong",
  })
  void verdicts(String function, String argument, String got, String want) {
    Literal x = Parser.parseLiteral(argument);
    XlaBuilder b = new XlaBuilder("m");
    XlaOp p = b.parameter(0, x.shape(), "p");
    XlaOp result = function.equals("lgamma") ? XlaMath.lgamma(p) : XlaMath.erfInv(p);
    Comparison comparison =
        Comparison.of(
            Program.of(b.build(result), x),
            Parser.parseLiteral(got),
            new ToleranceProfile.Native(),
            EvaluatorOptions.defaults());
    assertThat(comparison.verdict().toString()).isEqualTo(want);
  }
}
