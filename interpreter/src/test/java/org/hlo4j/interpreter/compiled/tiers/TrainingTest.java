package org.hlo4j.interpreter.compiled.tiers;

import static com.google.common.truth.Truth.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A form is trained until it makes no objects; what cannot be made is given up. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TrainingTest {
  private static final int CALLS = 1_200;

  /** What is not compiled makes objects. */
  private static byte[] object = {};

  @Test
  void withoutAFirstFormItIsReadyOnceItMakesNoObjects() {
    AtomicInteger practised = new AtomicInteger();
    String ready =
        Training.<String>start(
                null,
                () -> "vectors",
                () ->
                    (form, turns) -> {
                      if (practised.incrementAndGet() < CALLS) {
                        object = new byte[10_000];
                      }
                    })
            .join();
    assertThat(ready).isEqualTo("vectors");
    assertThat(practised.get()).isAtLeast(CALLS);
    assertThat(object).hasLength(10_000);
  }

  @Test
  void callsThatDoSomethingAreOfAllKinds() {
    List<Integer> kinds = Collections.synchronizedList(new ArrayList<>());
    Training.start(null, () -> "vectors", () -> (form, turns) -> kinds.add(turns)).join();
    assertThat(kinds).containsAtLeast(1, -16, Practice.TURNS, 3, Practice.TURNS - 2);
  }

  @Test
  void whatCannotBeMadeIsGivenUp() {
    Practice<String> idle = (form, turns) -> {};
    assertThat(Training.start("scalars", () -> null, () -> idle).join()).isNull();
    assertThat(Training.<String>start(null, TrainingTest::fail, () -> idle).join()).isNull();
  }

  private static String fail() {
    throw new VerifyError("made for this test");
  }
}
