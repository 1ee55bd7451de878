package org.hlo4j.interpreter.check;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.check.generate.ProgramGenerator;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private static boolean hasTranspose(Program random) {
    return random.module().entry().instructions().stream()
        .anyMatch(instruction -> instruction.op() instanceof Transpose);
  }

  /** If every transpose fails, only the transpose of a parameter remains. */
  @Test
  void onlyTheFailingInstructionRemains() {
    for (long seed = 0, found = 0; found < 5; seed++) {
      Program random = ProgramGenerator.ANY.program(seed).orElseThrow();
      if (hasTranspose(random)) {
        found++;
        Program small = Shrinker.shrunk(random, ShrinkerTest::hasTranspose);
        assertThat(small.module().entry().instructions()).hasSize(2);
        assertThat(small.module().entry().root().op()).isInstanceOf(Transpose.class);
      }
    }
  }
}
