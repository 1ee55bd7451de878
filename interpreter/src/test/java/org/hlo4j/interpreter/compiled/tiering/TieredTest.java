package org.hlo4j.interpreter.compiled.tiering;

import static com.google.common.truth.Truth.assertThat;

import java.lang.classfile.CodeBuilder;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.junit.jupiter.api.Test;

/** Tiered code: the second form is generated after enough work, and offered after its warm-up. */
class TieredTest {
  private static final int CALLS = 1_200;

  /** Allocated by warm-up inputs, as only code that is not compiled yet allocates. */
  private static byte[] object = {};

  @Test
  void secondFormComesAfterEnoughWorkAndWarmup() throws InterruptedException {
    AtomicInteger warmups = new AtomicInteger();
    CountDownLatch made = new CountDownLatch(1);
    Tiered<String> tiered =
        new Tiered<>(
            "scalars",
            () -> {
              made.countDown();
              return "vectors";
            },
            () ->
                (form, iterations) -> {
                  if (form.equals("scalars") && iterations > 0) {
                    LockSupport.parkNanos(20_000);
                  } else if (warmups.incrementAndGet() < CALLS) {
                    object = new byte[10_000];
                  }
                },
            100);
    assertThat(tiered.first()).isEqualTo("scalars");
    assertThat(tiered.second(99)).isNull();
    assertThat(made.getCount()).isEqualTo(1);
    assertThat(tiered.second(1)).isNull();
    assertThat(made.await(20, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 2_000 && tiered.second(0) == null; i++) {
      Thread.sleep(10);
    }
    assertThat(tiered.second(0)).isEqualTo("vectors");
    assertThat(warmups.get()).isAtLeast(CALLS);
    assertThat(object).hasLength(10_000);
  }

  @Test
  void slowerSecondFormIsNeverOffered() throws InterruptedException {
    CountDownLatch compared = new CountDownLatch(300);
    Tiered<String> tiered =
        new Tiered<>(
            "scalars",
            () -> "vectors",
            () ->
                (form, iterations) -> {
                  if (form.equals("vectors")) {
                    LockSupport.parkNanos(100_000);
                    compared.countDown();
                  }
                },
            1);
    assertThat(tiered.second(1)).isNull();
    assertThat(compared.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(tiered.second(1)).isNull();
  }

  @Test
  void firstFormRemainsWithoutASecond() {
    Tiered<String> tiered = new Tiered<>("scalars", () -> null, () -> (form, iterations) -> {}, 1);
    tiered.prepare();
    assertThat(tiered.second(1)).isNull();
  }

  /** Whoever uses the code later would be without the second form for ever. */
  @Test
  void secondFormIsMadeAndCountedAfterTheBudgetIsSpent() {
    CodeBudget budget = new CodeBudget(1);
    Tiered<Runnable> tiered =
        budget.within(() ->
            new Tiered<>(
                HiddenClasses.instance(Runnable.class, "First", CodeBuilder::return_),
                () -> HiddenClasses.instance(Runnable.class, "Second", CodeBuilder::return_),
                () -> (form, iterations) -> {},
                1));
    assertThat(budget.isSpent()).isTrue();
    long first = budget.generated();
    tiered.prepare();
    assertThat(tiered.second(1)).isNotNull();
    assertThat(budget.generated()).isGreaterThan(first);
  }
}
