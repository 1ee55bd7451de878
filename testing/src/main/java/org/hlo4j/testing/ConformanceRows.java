package org.hlo4j.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.rows.ValueRow;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;

/**
 * Conformance tests in the form of rows: instructions with their expected results or refusals. The
 * text serves as a manual and is run on every evaluator.
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
 *   <li>A row begins at the start of a line; lines that begin with a blank continue the row above.
 *       Empty lines are ignored, and a line that begins with {@code //} is a comment.
 *   <li>A row is an HLO instruction whose operands are literals, each with its shape. Attributes
 *       are written as in HLO text.
 *   <li>If an operand is declared with bounds, its shape precedes the literal, and the shape of the
 *       result is inferred unless it is written: {@code negate(f32[<=5] f32[2] {1, 2}) => f32[2]
 *       {-1, -2}}.
 *   <li>{@code =>} and a literal: the expected value, bit for bit; any NaN equals any NaN. {@code ,
 *       2 ulps} after the literal allows that difference in representable values.
 *   <li>{@code !!} and a message: the expected refusal, either its first line or all of it; several
 *       blanks count as one.
 *   <li>The shape of the result may precede the opcode. Otherwise it is that of the literal after
 *       {@code =>}, or inferred if a refusal is expected.
 *   <li>{@code to_apply}, {@code select} and {@code scatter} name a computation. It is defined
 *       above in the form of HLO text, or it is one of {@code add multiply maximum minimum and or
 *       xor subtract} or of the comparisons {@code eq ne lt le gt ge}, of two scalars of the type
 *       of the first operand.
 * </ul>
 */
public final class ConformanceRows {
  /** An evaluator that runs a module. */
  @FunctionalInterface
  public interface Runner {
    /**
     * Runs a module.
     *
     * @param module the module; not verified
     * @param arguments one literal for each parameter of the entry
     * @return the value of its root
     * @throws HloException if the module is refused
     */
    Literal run(HloModule module, Literal... arguments);
  }

  /**
   * A row: an instruction with its expected result or refusal.
   *
   * @param source the name of the text that contains it
   * @param line the number of its first line, from 1
   * @param text the row, with its lines joined
   * @param computations the computations that are defined above it
   */
  public record Row(String source, int line, String text, String computations) {
    /**
     * Runs this row.
     *
     * @param runner the evaluator that runs its module
     * @return the expected and the actual outcome if they differ; empty if the row holds
     */
    public Optional<String> check(Runner runner) {
      return RowCheck.of(new ValueRow(source, line, "", text, computations)).check(runner);
    }

    /** Returns the row with its position, such as {@code add.rows:3: add(...) => ...}. */
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
   * Reads the rows of a file.
   *
   * @param file the file
   * @return the rows
   * @throws IOException if it cannot be read
   */
  public static ConformanceRows read(Path file) throws IOException {
    return parse(String.valueOf(file.getFileName()), Files.readString(file));
  }

  /**
   * Parses the rows of a text.
   *
   * @param source a name for the text
   * @param text the rows
   * @return the rows
   */
  public static ConformanceRows parse(String source, String text) {
    return new ConformanceRows(
        ValueRow.parse(source, text).stream()
            .map(row -> new Row(row.source(), row.line(), row.text(), row.computations()))
            .toList());
  }

  /**
   * Returns all rows, in order.
   *
   * @return the rows
   */
  public ImmutableList<Row> rows() {
    return rows;
  }

  /**
   * Runs all rows, and describes those that do not hold.
   *
   * @param runner the evaluator that runs the modules
   * @return a text for each, with file and line
   */
  public ImmutableList<String> failures(Runner runner) {
    return rows.stream()
        .flatMap(row -> row.check(runner).map(wrong -> row + "\n" + wrong).stream())
        .collect(toImmutableList());
  }

  /**
   * Returns a JUnit test for each row.
   *
   * @param runner the evaluator that runs the modules
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
