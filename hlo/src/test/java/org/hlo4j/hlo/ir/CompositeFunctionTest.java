package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which calls are functions of CHLO, and how far those may be off. */
class CompositeFunctionTest {
  /** Columns: the shape of x and the result, what follows its operand, the function. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "f32[2] | x), is_composite=true, frontend_attributes={composite.name='chlo.lgamma'}"
            + " | LGAMMA",
        "bf16[] | x, x), is_composite=true, frontend_attributes={composite.name='chlo.zeta'}"
            + " | ZETA",
        "f32[2] | x, x), is_composite=true, frontend_attributes={composite.name='chlo.lgamma'} |",
        "s32[2] | x), is_composite=true, frontend_attributes={composite.name='chlo.lgamma'} |",
        "f32[2] | x), is_composite=true, frontend_attributes={composite.name='my.lgamma'} |",
        "f32[2] | x), frontend_attributes={composite.name='chlo.lgamma'} |",
        "f32[2] | x) |",
      })
  void calls(String shape, String rest, String want) {
    String parameters = rest.startsWith("x, x") ? " q = SHAPE parameter(1)\n" : "";
    String text =
        """
        HloModule m

        f {
          p = SHAPE parameter(0)
        PARAMETERS
          ROOT n = SHAPE negate(p)
        }

        ENTRY e {
          x = SHAPE parameter(0)
          ROOT r = SHAPE call(REST
        }
        """
            .replace("PARAMETERS", parameters)
            .replace("REST", rest.replaceFirst("[)]", "), to_apply=f").replace('\'', '"'))
            .replace("SHAPE", shape);
    assertThat(CompositeFunction.of(Parser.parse(text).entry().root()))
        .isEqualTo(Optional.ofNullable(want).map(CompositeFunction::valueOf));
  }

  /** Columns: function, type, exact value, operands, allowance in units of 2^-mantissa. */
  @ParameterizedTest
  @CsvSource({
    "BESSEL_I1E, F32, 0.25, 1, 4",
    "DIGAMMA, F64, 0.001, 1.46, 16",
    "DIGAMMA, F32, -100, 0.01, 1600",
    "ERFC, F32, 1, 0, 4",
    "ERF_INV, F64, 0, 0, 0",
    "LGAMMA, F64, 0.25, 1.3, 32",
    "LGAMMA, F32, 3000, 570.5, 96000",
    "LGAMMA, F64, 0.25, -7.5, 483.57672493014354",
    "DIGAMMA, F64, 0.25, -1096.6331584284585, 112",
    "POLYGAMMA, F32, 1, 0 1, 6",
    "POLYGAMMA, F32, 7, 0 -0.25, 66",
    "ZETA, F64, 2, 2 4, 24",
    "ZETA, F64, 2, 2 -1.75, 216",
    "ZETA, F32, 2, 2 4, 24",
    "ZETA, F32, 0, 2 1e37, 986076.1315262647",
    "ZETA, F16, 2, 2 4, 2.0029296875",
    "ZETA, BF16, 2, 2 4, 2.0003662109375",
  })
  void allowances(
      CompositeFunction function, ElementType type, double value, String operands, double units) {
    double[] in = Arrays.stream(operands.split(" ")).mapToDouble(Double::valueOf).toArray();
    double got = function.allowance(type, value, in);
    assertThat(Math.scalb(got, type.mantissaBits())).isWithin(units * 1e-12).of(units);
  }

  @Test
  void operandsAreCounted() {
    HloException refusal =
        assertThrows(
            HloException.class, () -> CompositeFunction.ZETA.allowance(ElementType.F32, 1, 2));
    assertThat(refusal.summary()).isEqualTo("chlo.zeta: operands got 1, want 2");
  }
}
