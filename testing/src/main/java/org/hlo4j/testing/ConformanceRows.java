package org.hlo4j.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;

/**
 * Rows of instructions with what they give, or how they are refused: a text that is read as a
 * manual and run on every evaluator.
 *
 * <pre>{@code
 * // Integers wrap.
 * add(s8[2] {127, 1}, s8[2] {1, 1}) => s8[2] {-128, 2}
 *
 * // Any function of two scalars is known by its opcode.
 * reduce(f32[2,3] {{1, 2, 3}, {4, 5, 6}}, f32[] 0), dimensions={1}, to_apply=add
 *   => f32[2] {6, 15}
 *
 * // Others are written above the rows that use them.
 * last_one {
 *   last.a = f32[] parameter(0)
 *   ROOT last.b = f32[] parameter(1)
 * }
 * reduce(f32[2] {1, 2}, f32[] 0), dimensions={0}, to_apply=last_one => f32[] 2
 *
 * sine(f32[] 0.5) => f32[] 0.47942555, 1 ulp
 *
 * transpose(f32[2] {1, 2}), dimensions={1}
 *   !! transpose: dimensions got (1), want a permutation of the 1 dimensions of f32[2]
 *      [transpose C2]
 * }</pre>
 *
 * <p>The rules:
 *
 * <ul>
 *   <li>A row begins at the beginning of a line; lines that begin with a blank belong to the row
 *       above. Empty lines do not matter, and a line that begins with {@code //} is a comment.
 *   <li>A row is an HLO instruction whose operands are literals, each with its shape. Attributes
 *       are written as in HLO text.
 *   <li>Where an operand is declared with bounds its shape stands before the literal, and the shape
 *       of the result is inferred unless it is written: {@code negate(f32[<=5] f32[2] {1, 2}) =>
 *       f32[2] {-1, -2}}.
 *   <li>{@code =>} and a literal: the value it has, bit for bit; any NaN equals any NaN. {@code , 2
 *       ulps} behind the literal allows as many representable values between.
 *   <li>{@code !!} and a message: the refusal, by its first line or as a whole; blanks count as
 *       one.
 *   <li>The shape of the result stands before the opcode where it matters; else it is that of the
 *       literal behind {@code =>}, or inferred where a refusal is wanted.
 *   <li>{@code to_apply}, {@code select} and {@code scatter} name a computation: one written above,
 *       as in HLO text; or {@code add multiply maximum minimum and or xor subtract}, or the
 *       comparisons {@code eq ne lt le gt ge}, of two scalars of the type of the first operand.
 * </ul>
 */
public final class ConformanceRows {
  private static final Pattern COMPUTATION =
      Pattern.compile("%?[a-zA-Z_][\\w.-]*\\s*(\\(.*\\)\\s*->.*)?\\{.*", Pattern.DOTALL);

  /** What runs a module. */
  @FunctionalInterface
  public interface Runner {
    /**
     * The result of a module.
     *
     * @param module the module; not verified
     * @param arguments one literal for each parameter of the entry
     * @return the value of its root
     * @throws HloException if the module is refused
     */
    Literal run(HloModule module, Literal... arguments);
  }

  /**
   * A row.
   *
   * @param source the name of the text it is in
   * @param line the line it begins in, from 1
   * @param text the row, its lines joined
   * @param computations the computations written above it
   */
  public record Row(String source, int line, String text, String computations) {
    /**
     * Runs this row.
     *
     * @param runner what runs its module
     * @return what is wrong, expected and got; empty if the row holds
     */
    public Optional<String> check(Runner runner) {
      return RowText.of(this).check(runner);
    }

    /** As {@code add.rows:3: add(...) => ...}. */
    @Override
    public String toString() {
      return source + ":" + line + ": " + text;
    }
  }

  private final ImmutableList<Row> rows;

  private ConformanceRows(List<Row> rows) {
    this.rows = ImmutableList.copyOf(rows);
  }

  /**
   * The rows of a file.
   *
   * @param file the file
   * @return the rows
   * @throws IOException if it cannot be read
   */
  public static ConformanceRows read(Path file) throws IOException {
    return parse(String.valueOf(file.getFileName()), Files.readString(file));
  }

  /**
   * The rows of a text.
   *
   * @param source a name for the text
   * @param text the rows
   * @return the rows
   */
  public static ConformanceRows parse(String source, String text) {
    List<Row> rows = new ArrayList<>();
    StringBuilder computations = new StringBuilder();
    List<String> lines = text.lines().toList();
    int at = 0;
    while (at < lines.size()) {
      int end = endOfBlock(lines, at);
      String block = String.join("\n", lines.subList(at, end)).strip();
      if (COMPUTATION.matcher(block).matches()) {
        computations.append(block).append("\n\n");
      } else if (!block.isEmpty() && !block.startsWith("//")) {
        rows.add(new Row(source, at + 1, joined(block), computations.toString()));
      }
      at = end;
    }
    return new ConformanceRows(rows);
  }

  /** The line after those that belong to the one at {@code start}. */
  private static int endOfBlock(List<String> lines, int start) {
    int end = start + 1;
    if (lines.get(start).isBlank() || lines.get(start).startsWith("//")) {
      return end;
    }
    while (end < lines.size() && continues(lines.get(end))) {
      end++;
    }
    return end;
  }

  private static boolean continues(String line) {
    return line.startsWith("}") || (!line.isBlank() && Character.isWhitespace(line.charAt(0)));
  }

  private static String joined(String block) {
    return block.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse("");
  }

  /**
   * All rows, in order.
   *
   * @return the rows
   */
  public ImmutableList<Row> rows() {
    return rows;
  }

  /**
   * What is wrong with the rows that do not hold.
   *
   * @param runner what runs the modules
   * @return a text for each, with file and line
   */
  public ImmutableList<String> failures(Runner runner) {
    return rows.stream()
        .flatMap(row -> row.check(runner).map(wrong -> row + "\n" + wrong).stream())
        .collect(toImmutableList());
  }

  /**
   * A JUnit test for each row.
   *
   * @param runner what runs the modules
   * @return the tests, named by line and text
   */
  public Stream<DynamicTest> tests(Runner runner) {
    return rows.stream()
        .map(row ->
            DynamicTest.dynamicTest(
                row.toString(),
                () -> row.check(runner).ifPresent(wrong -> Assertions.fail(row + "\n" + wrong))));
  }
}
