package org.hlo4j.tools.cases;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;

/** Tolerances of comparisons between results and expected values. */
class ComparisonPolicyTest {
  private static final ComparisonPolicy EXACT = new ComparisonPolicy(true, 0, 0);
  private static final ComparisonPolicy TOLERANT = new ComparisonPolicy(false, 0.25, 0.5);

  private static String verdict(ComparisonPolicy judge, String got, String want) {
    Literal left = Parser.parseLiteral(got);
    Literal right = Parser.parseLiteral(want);
    return judge.worst(left, right).map(worst -> judge.describe(worst, left, right)).orElse("ok");
  }

  @Test
  void withinTolerance() {
    assertThat(verdict(TOLERANT, "f32[2] {5.5, -5.5}", "f32[2] {4, -4}")).isEqualTo("ok");
    assertThat(verdict(TOLERANT, "f64[] 5.5", "f64[] 4")).isEqualTo("ok");
    assertThat(verdict(TOLERANT, "f32[0] {}", "f32[0] {}")).isEqualTo("ok");
  }

  @Test
  void toleranceIsRelativeToExpectedValue() {
    assertThat(verdict(TOLERANT, "f32[] 4", "f32[] 5.5")).isEqualTo("ok");
    assertThat(verdict(TOLERANT, "f32[] 6", "f32[] 8.75"))
        .isEqualTo(
            "at {}: got 6, want 8.75, 4980736 ulps, 1.02 times the tolerance; 1 of 1 elements"
                + " differ");
  }

  @Test
  void worstElementIsReported() {
    assertThat(verdict(TOLERANT, "f32[2,3] {{1,2,3},{4,8,16}}", "f32[2,3] {{1,2,9},{4,6,8}}"))
        .isEqualTo(
            "at {1,2}: got 16, want 8, 8388608 ulps, 3.20 times the tolerance; 2 of 6 elements"
                + " differ");
  }

  @Test
  void nanEqualsNan() {
    assertThat(verdict(TOLERANT, "f32[] nan", "f32[] -nan")).isEqualTo("ok");
    assertThat(verdict(EXACT, "f32[] nan", "f32[] nan(0x400001)")).isEqualTo("ok");
    assertThat(verdict(EXACT, "bf16[] nan", "bf16[] -nan")).isEqualTo("ok");
    assertThat(verdict(TOLERANT, "f32[] nan", "f32[] 1"))
        .isEqualTo("at {}: got nan, want 1, no number; 1 of 1 elements differ");
    assertThat(verdict(TOLERANT, "f32[] 1", "f32[] nan"))
        .isEqualTo("at {}: got 1, want nan, no number; 1 of 1 elements differ");
  }

  @Test
  void infinitiesCompareBySign() {
    ComparisonPolicy loose = new ComparisonPolicy(false, 1e30, 1e300);
    assertThat(verdict(loose, "f32[2] {inf, -inf}", "f32[2] {inf, -inf}")).isEqualTo("ok");
    assertThat(verdict(loose, "f32[] inf", "f32[] -inf")).startsWith("at {}: got inf, want -inf");
    assertThat(verdict(loose, "f32[] 1e30", "f32[] inf")).startsWith("at {}: got 1e+30, want inf");
    assertThat(verdict(loose, "f32[] inf", "f32[] 1e30")).startsWith("at {}: got inf, want 1e+30");
  }

  @Test
  void exactComparisonDistinguishesSignedZeros() {
    assertThat(verdict(EXACT, "f32[] 0", "f32[] -0.0"))
        .isEqualTo("at {}: got 0, want -0.0, 0 ulps, want it exact; 1 of 1 elements differ");
    assertThat(verdict(TOLERANT, "f32[] 0", "f32[] -0.0")).isEqualTo("ok");
    assertThat(verdict(EXACT, "f16[2] {1, 2}", "f16[2] {1, 2.002}"))
        .isEqualTo("at {1}: got 2, want 2.002, 1 ulp, want it exact; 1 of 2 elements differ");
    assertThat(verdict(EXACT, "c64[1] {(1, 2)}", "c64[1] {(1, -2)}"))
        .startsWith("at {0}: got (1, 2), want (1, -2), 0 ulps and ");
  }

  @Test
  void integersAreAlwaysExact() {
    assertThat(verdict(TOLERANT, "s32[] 3", "s32[] 4"))
        .isEqualTo("at {}: got 3, want 4; 1 of 1 elements differ");
    assertThat(verdict(TOLERANT, "pred[] true", "pred[] false"))
        .isEqualTo("at {}: got true, want false; 1 of 1 elements differ");
    assertThat(verdict(TOLERANT, "u4[] 15", "u4[] 15")).isEqualTo("ok");
  }

  @Test
  void complexNumbersCompareByMagnitude() {
    ComparisonPolicy judge = new ComparisonPolicy(false, 0, 5);
    assertThat(verdict(judge, "c64[] (3, 4)", "c64[] (0, 0)")).isEqualTo("ok");
    assertThat(verdict(judge, "c64[] (4, 4)", "c64[] (0, 0)"))
        .startsWith("at {}: got (4, 4), want");
    assertThat(verdict(judge, "c64[] (nan, 4)", "c64[] (nan, 4)")).isEqualTo("ok");
    assertThat(verdict(judge, "c64[] (nan, 4)", "c64[] (3, 4)")).isNotEqualTo("ok");
    assertThat(verdict(judge, "c64[] (inf, 4)", "c64[] (inf, 5)")).isEqualTo("ok");
    assertThat(verdict(judge, "c64[] (inf, -inf)", "c64[] (inf, -inf)")).isEqualTo("ok");
    assertThat(verdict(judge, "c64[] (inf, -inf)", "c64[] (-inf, inf)")).isNotEqualTo("ok");
    assertThat(verdict(judge, "c64[] (inf, 4)", "c64[] (inf, 40)")).isNotEqualTo("ok");
  }
}
