package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.testing.ConformanceRows;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The conformance rows of the reference before and after all passes: the same bits. */
final class SameBitsTest {
  static List<Path> files() throws IOException, URISyntaxException {
    URL folder = Objects.requireNonNull(SameBitsTest.class.getResource("/rows"));
    try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
      return files.sorted().toList();
    }
  }

  @TestFactory
  Stream<DynamicNode> rows() throws IOException, URISyntaxException {
    return files().stream().map(SameBitsTest::rowsOf);
  }

  private static DynamicNode rowsOf(Path file) {
    try {
      String name = String.valueOf(file.getFileName());
      List<DynamicTest> tests = ConformanceRows.read(file).tests(SameBitsTest::run).toList();
      return DynamicContainer.dynamicContainer(name, Nightly.some(3, name, tests));
    } catch (IOException unreadable) {
      throw new AssertionError(file.toString(), unreadable);
    }
  }

  private static Literal run(HloModule module, Literal... arguments) {
    Verifier.lenient().verify(module);
    HloModule after = Pipelines.all().run(module).module();
    Verifier.lenient().verify(after);
    String text = Printer.print(after);
    assertWithMessage(text).that(Printer.print(Parser.parse(text))).isEqualTo(text);
    Literal value;
    try {
      value = Interpreter.reference().run(module, arguments);
    } catch (HloException refusal) {
      assertThrows(HloException.class, () -> Interpreter.reference().run(after, arguments));
      throw refusal;
    }
    assertSameBits(text, value, Interpreter.reference().run(after, arguments));
    return value;
  }

  /** Asserts that two literals are equal bit for bit, NaNs included. */
  static void assertSameBits(String text, Literal before, Literal after) {
    assertWithMessage(text).that(after).isEqualTo(before);
    if (before.shape() instanceof Shape.Tuple) {
      for (int i = 0; i < before.elements().size(); i++) {
        assertSameBits(text, before.element(i), after.element(i));
      }
    } else if (before.shape() instanceof Shape.Array) {
      assertWithMessage("bits of %s after %s", before, text)
          .that(Storages.sameBits(before, after))
          .isTrue();
    }
  }
}
