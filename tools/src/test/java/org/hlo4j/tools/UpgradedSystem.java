package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.FakeCommand;

/**
 * The other system of the tutorial on upgrades: a server as {@code --with} wants it, whose tanh is
 * a rational approximation with too few terms.
 */
public final class UpgradedSystem {
  private UpgradedSystem() {}

  /** Returns the command that starts the server. */
  public static String command() {
    return "'"
        + FakeCommand.java()
        + "' -XX:TieredStopAtLevel=1 -cp '"
        + System.getProperty("java.class.path")
        + "' "
        + UpgradedSystem.class.getName();
  }

  /**
   * Answers one program for each line of the standard input.
   *
   * @param args ignored
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = List.of(line.split("\t", -1));
      run(Path.of(words.get(0)), Path.of(words.get(1)), words.subList(2, words.size()));
      System.out.println("ok");
    }
  }

  private static void run(Path program, Path results, List<String> inputs) throws IOException {
    String text =
        Files.readString(program)
            .replaceAll(" tanh\\(([^)]*)\\)", " custom-call($1), custom_call_target=\"tanh\"");
    HloModule module = Parser.parse(text);
    Literal[] arguments = new Literal[inputs.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = Npy.read(Path.of(inputs.get(i)));
    }
    Literal result =
        Interpreter.reference(
                EvaluatorOptions.builder()
                    .customCall("tanh", (call, operands) -> tanh(operands.get(0)))
                    .build())
            .run(module, arguments);
    ImmutableList<Literal> arrays = result.arrays();
    for (int i = 0; i < arrays.size(); i++) {
      Npy.write(results.resolve(i + ".npy"), arrays.get(i));
    }
  }

  private static Literal tanh(Literal operand) {
    LiteralBuilder result = new LiteralBuilder(operand.arrayShape());
    for (int i = 0; i < operand.elementCount(); i++) {
      double x = Math.clamp(operand.doubleAt(i), -3, 3);
      result.setDouble(i, x * (27 + x * x) / (27 + 9 * x * x));
    }
    return result.build();
  }
}
