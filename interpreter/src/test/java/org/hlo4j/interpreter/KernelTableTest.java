package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.api.Test;

/**
 * The kernels that the compiled evaluator chooses without the Vector API, and a hash of the bits
 * that they compute, for the problems of {@code kernels.table}. Whoever moves code sees here
 * whether a kernel or a bit has changed. {@code -Dhlo4j.test.record=FILE} writes the table anew.
 */
final class KernelTableTest {
  private static final String COMPUTATIONS = read("kernels.hlo");

  private static String read(String name) {
    try {
      return Resources.toString(
          Resources.getResource(KernelTableTest.class, name), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void kernelsAndBits() throws IOException {
    assumeFalse(ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent());
    String table = read("kernels.table");
    List<String> lines = new ArrayList<>();
    for (String line : table.lines().toList()) {
      if (line.isEmpty() || line.startsWith("//")) {
        lines.add(line);
      } else if (!line.startsWith("  ")) {
        lines.add(line);
        lines.add("  " + answer(line));
      }
    }
    String record = System.getProperty("hlo4j.test.record");
    if (record != null) {
      Files.write(Path.of(record), lines);
    }
    assertThat(String.join("\n", lines)).isEqualTo(table.stripTrailing());
  }

  private static String answer(String problem) {
    HloModule module =
        Parser.parse(
            "HloModule m\n" + COMPUTATIONS + "ENTRY e {\n" + problem.replace("; ", "\n") + "\n}\n");
    Literal[] arguments = KernelTester.Values.NORMAL.arguments(module, new Random(41));
    Executable program = Interpreter.compiled().compile(module);
    Hasher hasher = Hashing.murmur3_128().newHasher();
    add(program.run(arguments), hasher);
    return hasher.hash().toString().substring(0, 8) + " " + kernels(program.explain());
  }

  /** Returns the kernels of a plan, from the lines of its instructions. */
  private static String kernels(String plan) {
    return plan.lines()
        .filter(line -> line.startsWith("  "))
        .map(line -> line.replaceAll(" \\| (reads|writes|[0-9.e-]+ GFLOP).*", ""))
        .map(line -> line.substring(2).replaceFirst("^\\S+ +(\\([^()]*\\)|\\S+) +", ""))
        .filter(kernel -> !kernel.matches("parameter|constant|tuple.*|get-tuple-element.*"))
        .collect(joining("; "));
  }

  /** Adds all elements; any NaN is the same. */
  private static void add(Literal literal, Hasher hasher) {
    literal.elements().forEach(element -> add(element, hasher));
    if (literal.shape() instanceof Shape.Array array) {
      ElementType type = array.elementType();
      ElementType part = type.componentType();
      int count = literal.elementCount() * (type.isComplex() ? 2 : 1);
      for (int i = 0; i < count; i++) {
        long bits = literal.bitsAt(i);
        boolean isNaN = part.isFloating() && Double.isNaN(part.decode(bits));
        hasher.putLong(isNaN ? -1 : bits);
      }
    }
  }
}
