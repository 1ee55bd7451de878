package org.hlo4j.interpreter.compiled.codegen;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.classfile.CodeBuilder;
import java.util.function.Consumer;
import org.hlo4j.interpreter.engine.CheckMode;
import org.junit.jupiter.api.Test;

/** A generated class that Java rejects is a decline; in the assertion mode it is an error. */
final class HiddenClassesTest {
  /** Code without a result. */
  public interface Code {
    void run();
  }

  @Test
  void aMethodThatReturnsRuns() {
    HiddenClasses.instance(Code.class, "Returns", CodeBuilder::return_).run();
  }

  @Test
  void aLocalThatOnePathDoesNotAssign() {
    assertRejected("VerifyError", code -> code.aload(3).pop().return_());
  }

  @Test
  void codeThatEndsWithoutReturn() {
    assertRejected("VerifyError", CodeBuilder::nop);
  }

  @Test
  void aLocalBeyondTheLast() {
    assertRejected("IllegalArgumentException", code -> code.iload(1 << 16).pop().return_());
  }

  @Test
  void anIndexThatIsNoInt() {
    assertRejected(
        "ArithmeticException", code -> code.loadConstant(Math.toIntExact(1L << 31)).pop());
  }

  private static void assertRejected(String problem, Consumer<CodeBuilder> body) {
    if (CheckMode.isOn()) {
      AssertionError error = assertThrows(AssertionError.class, () -> made(body));
      assertThat(error).hasMessageThat().isEqualTo("generated class Rejected is invalid");
      assertThat(String.valueOf(error.getCause())).contains(problem);
    } else {
      NoCodeException decline = assertThrows(NoCodeException.class, () -> made(body));
      assertThat(decline).hasMessageThat().startsWith("generated class is invalid, " + problem);
    }
  }

  private static void made(Consumer<CodeBuilder> body) {
    HiddenClasses.instance(Code.class, "Rejected", body);
  }
}
