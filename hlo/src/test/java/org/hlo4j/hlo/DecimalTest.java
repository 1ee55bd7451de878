package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecimalTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # value,                 most, plain,       scientific
          1,                       6,    1,           1e+00
          120,                     6,    120,         1.2e+02
          0.00123,                 6,    0.00123,     1.23e-03
          1234567,                 6,    1234570,     1.23457e+06
          1234564,                 6,    1234560,     1.23456e+06
          999999.9,                6,    1000000,     1e+06
          0.1,                     15,   0.1,         1e-01
          0.1,                     17,   0.10000000000000001, 1.0000000000000001e-01
          1e22,                    6,    10000000000000000000000, 1e+22
          1.5e-120,                6,    ,            1.5e-120
          # exactly half-way: to even
          0.25,                    1,    0.2,         2e-01
          0.75,                    1,    0.8,         8e-01
          256.125,                 5,    256.12,      2.5612e+02
          1234565,                 6,    1234560,     1.23456e+06
          1234575,                 6,    1234580,     1.23458e+06
          # only their shortest decimal is half-way
          0.15,                    1,    0.1,         1e-01
          0.45,                    1,    0.5,         5e-01
          # denormals
          4.9e-324,                6,    ,            4.94066e-324
          2.2250738585072009e-308, 15,   ,            2.2250738585072e-308
          """)
  void rounded(double value, int most, String plain, String scientific) {
    Decimal decimal = Decimal.of(value, most);
    assertThat(decimal.scientific()).isEqualTo(scientific);
    if (plain != null) {
      assertThat(decimal.plain()).isEqualTo(plain);
    }
  }

  @Test
  void roundsAsBigDecimalDoes() {
    Random random = new Random(2026);
    for (int i = 0; i < 20_000; i++) {
      double any = Math.abs(Double.longBitsToDouble(random.nextLong()));
      double few = random.nextInt(1, 10_000_000) / (double) (1 << random.nextInt(12));
      for (double value : new double[] {any, (float) any, few, few / 10}) {
        int most = random.nextInt(1, 18);
        if (value > 0 && Double.isFinite(value)) {
          BigDecimal want =
              new BigDecimal(value).round(new MathContext(most, RoundingMode.HALF_EVEN));
          String got = Decimal.of(value, most).scientific();
          assertWithMessage("%s to %s digits: %s", value, most, got)
              .that(new BigDecimal(got).compareTo(want))
              .isEqualTo(0);
        }
      }
    }
  }
}
