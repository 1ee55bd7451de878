package org.hlo4j.testing;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ElementwiseCaseTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{\"n\": []}",
        "{\"n\":1,\"in\":[],\"args\":[],\"out\":\"f32\",\"op\":\"abs\",\"attrs\":7}"
      })
  void malformedCasesAreRefused(String line) {
    HloException refusal = assertThrows(HloException.class, () -> ElementwiseCase.parse(line));
    assertThat(refusal.summary()).isEqualTo("case: got " + line + ", want a JSON object of a case");
  }
}
