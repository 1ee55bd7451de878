package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UserFramesTest {
  /** The classes of the stack frames, innermost first, and those that remain. */
  @ParameterizedTest
  @CsvSource({
    "org.hlo4j.hlo.HloException org.hlo4j.builder.XlaOp a.Main b.Main, a.Main b.Main",
    "org.hlo4j.hlo.op.Dot java.util.stream.Streams org.hlo4j.builder.lib.Matrix Main, Main",
    "org.hlo4j.interpreter.engine.Run jdk.internal.Reflection REPL.$JShell$1, REPL.$JShell$1",
    "org.hlo4j.stablehlo.StableHlo org.hlo4j.examples.Tour, org.hlo4j.examples.Tour",
    "a.Main org.hlo4j.interpreter.engine.Run b.Main, a.Main org.hlo4j.interpreter.engine.Run"
        + " b.Main",
    "org.hlo4j.interpreter.engine.Run java.lang.Thread,"
        + " org.hlo4j.interpreter.engine.Run java.lang.Thread",
    "org.hlo4j.hlo.DimsTest java.lang.Method org.junit.Runner a.Main,"
        + " org.hlo4j.hlo.DimsTest java.lang.Method org.junit.Runner a.Main",
    "'', ''"
  })
  void libraryFramesAreRemoved(String classes, String left) {
    StackTraceElement[] frames =
        Stream.of(classes.split(" ", 0))
            .filter(name -> !name.isEmpty())
            .map(name -> new StackTraceElement(name, "m", null, 1))
            .toArray(StackTraceElement[]::new);
    assertThat(
            Arrays.stream(UserFrames.fromUser(frames))
                .map(StackTraceElement::getClassName)
                .collect(joining(" ")))
        .isEqualTo(left);
  }
}
