package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What all programs of other systems do alike. The other system here is the reference. */
final class OutsideExecutableTest {
  private static final HloModule DIFFERENCE =
      Parser.parse(
          """
          HloModule difference
          ENTRY main {
            x = f32[2] parameter(0)
            y = f32[2] parameter(1)
            ROOT d = f32[2] subtract(x, y)
          }
          """);

  private static final class OnReference extends OutsideExecutable {
    OnReference(HloModule module, @Nullable Literal[] bound) {
      super(module, bound);
    }

    @Override
    protected Literal runChecked(Literal[] arguments) {
      Literal[] all = new Literal[module().entry().parameters().size()];
      for (int i = 0, next = 0; i < all.length; i++) {
        Literal known = bound(i);
        all[i] = known == null ? arguments[next++] : known;
      }
      return Interpreter.reference().run(module(), all);
    }

    @Override
    protected Executable rebound(@Nullable Literal[] all) {
      return new OnReference(module(), all);
    }

    @Override
    protected String system() {
      return "elsewhere";
    }

    @Override
    public String explain() {
      return system() + Arrays.stream(new int[] {0, 1}).filter(i -> bound(i) != null).count();
    }
  }

  private static final Literal A = Literal.of(new float[] {5f, 7f});
  private static final Literal B = Literal.of(new float[] {1f, 2f});
  private static final Literal DIFF = Literal.of(new float[] {4f, 5f});

  private static Executable executable() {
    return new OnReference(DIFFERENCE, OutsideExecutable.nothingBound(DIFFERENCE));
  }

  @Test
  void argumentsByPositionAndName() {
    assertThat(executable().run(A, B)).isEqualTo(DIFF);
    assertThat(executable().run(Map.of("y", B, "x", A))).isEqualTo(DIFF);
    assertThat(executable().parameterNames()).containsExactly("x", "y").inOrder();
    assertThat(executable().toString())
        .isEqualTo("executable difference (x: f32[2], y: f32[2]) -> f32[2]");
  }

  @Test
  void wrongArgumentsAreRefusedBeforeTheyLeave() {
    assertThat(refusal(() -> executable().run(A, Literal.of(1f))))
        .isEqualTo("run: argument y got f32[], want f32[2]");
    assertThat(refusal(() -> executable().run(Map.of("x", A, "z", B))))
        .startsWith("run: got 2 arguments, want 2: x f32[2], y f32[2]; unknown z f32[2]");
    assertThat(refusal(() -> executable().profile(0, A, B)))
        .isEqualTo("profile: got 0 runs, want at least 1");
  }

  @Test
  void boundArgumentsAreNoParametersAnyMore() {
    Executable bound = executable().bind(Map.of("x", A));
    assertThat(bound.run(B)).isEqualTo(DIFF);
    assertThat(bound.parameterNames()).containsExactly("y");
    assertThat(bound.bind(Map.of("y", B)).run()).isEqualTo(DIFF);
    assertThat(bound.bind(Map.of()).explain()).isEqualTo("elsewhere1");
    assertThat(refusal(() -> bound.bind(Map.of("x", A)))).contains("already bound x f32[2]");
  }

  @Test
  void resultsIntoALiteralOfTheCaller() {
    Literal result = executable().newResult();
    executable().unsafeRunInto(result, A, B);
    assertThat(result).isEqualTo(DIFF);
    assertThat(refusal(() -> executable().unsafeRunInto(A, A, B)))
        .contains("an array of f32[2] that is also a constant, an argument");
  }

  @Test
  void wholeRunsAreMeasured() {
    Profile profile = executable().profile(3, A, B);
    assertThat(profile.runs()).isEqualTo(3);
    assertThat(profile.steps()).hasSize(1);
    assertThat(profile.steps().get(0).kernel()).isEqualTo("elsewhere");
    assertThat(profile.nanos()).isGreaterThan(0);
  }

  private static String refusal(org.junit.jupiter.api.function.Executable call) {
    return Objects.requireNonNull(assertThrows(HloException.class, call).getMessage());
  }
}
