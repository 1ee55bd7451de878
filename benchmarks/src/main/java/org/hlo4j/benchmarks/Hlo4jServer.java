package org.hlo4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.pjrt.PjrtPlugin;
import org.jspecify.annotations.Nullable;

/**
 * A server of programs that uses an evaluator: {@code Hlo4jServer reference|compiled|PLUGIN}, where
 * the plugin is the file of a PJRT plugin. With {@code -Dhlo4j.bench.bind=true} it binds the
 * arguments whose names do not begin with {@code input}.
 */
public final class Hlo4jServer {
  private static final Pattern VECTORS = Pattern.compile("(?m)^vectors: on, (\\d+) bits$");

  private Hlo4jServer() {}

  /**
   * Runs the server.
   *
   * @param args the name of the evaluator
   * @throws Exception if a program fails
   */
  public static void main(String[] args) throws Exception {
    Evaluator evaluator = evaluator(args[0]);
    Server.serve(folder -> program(folder, evaluator));
  }

  private static Server.Program program(Path folder, Evaluator evaluator) throws IOException {
    String text = Files.readString(folder.resolve("program.hlo.txt"));
    HloModule module = Parser.parse(text);
    Literal[] arguments = arguments(module, folder.resolve("inputs"));
    Executable executable = evaluator.compile(module);
    if (Boolean.getBoolean("hlo4j.bench.bind")) {
      return bound(text, executable, arguments, evaluator);
    }
    return program(text, executable, arguments, evaluator);
  }

  /** Binds all arguments whose names do not begin with {@code input}. */
  private static Server.Program bound(
      String text, Executable executable, Literal[] arguments, Evaluator evaluator) {
    Map<String, Literal> weights = new LinkedHashMap<>();
    List<Literal> inputs = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String name = executable.parameterNames().get(i);
      if (name.startsWith("input")) {
        inputs.add(arguments[i]);
      } else {
        weights.put(name, arguments[i]);
      }
    }
    return program(text, executable.bind(weights), inputs.toArray(Literal[]::new), evaluator);
  }

  private static Server.Program program(
      String text, Executable executable, Literal[] arguments, Evaluator evaluator) {
    return new Server.Program() {
      private @Nullable Literal result;

      /** Writes to the same array each time, as the native peers take theirs from an arena. */
      @Override
      public void run() {
        if (result != null && result.shape() instanceof Shape.Array) {
          executable.unsafeRunInto(result, arguments);
        } else {
          result = executable.run(arguments);
        }
      }

      @Override
      public void warmUp(Duration atMost) {
        executable.warmUp(atMost, arguments);
      }

      @Override
      public void save(Path file) throws IOException {
        Npy.write(file, executable.run(arguments));
      }

      @Override
      public int vectorBits() {
        Matcher bits = VECTORS.matcher(executable.explain());
        return bits.find() ? Integer.parseInt(bits.group(1)) : 0;
      }

      @Override
      public void compile() {
        evaluator.compile(Parser.parse(text));
      }
    };
  }

  private static Evaluator evaluator(String name) {
    return switch (name) {
      case "compiled" -> Interpreter.compiled();
      case "reference" -> Interpreter.reference();
      default -> Pjrt.evaluator(PjrtPlugin.load(Path.of(name)).client());
    };
  }

  /** Returns the arrays of a folder, or random ones if there is none. */
  static Literal[] arguments(HloModule module, Path inputs) throws IOException {
    Random random = new Random(1);
    int count = module.entry().parameters().size();
    Literal[] arguments = new Literal[count];
    for (int i = 0; i < count; i++) {
      Shape.Array shape = (Shape.Array) module.entry().parameters().get(i).shape().withoutLayout();
      Path file = inputs.resolve(i + ".npy");
      arguments[i] = Files.exists(file) ? as(shape, Npy.read(file)) : normal(shape, random);
    }
    return arguments;
  }

  /** Converts an array of a type that NumPy lacks; its file holds the bits. */
  private static Literal as(Shape.Array shape, Literal stored) {
    if (stored.elementType() == shape.elementType()) {
      return stored;
    }
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < stored.elementCount(); i++) {
      literal.setBits(i, stored.bitsAt(i));
    }
    return literal.build();
  }

  static Literal normal(Shape.Array shape, Random random) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    ElementType part = shape.elementType().componentType();
    int components = (int) shape.elementCount() * shape.elementType().componentCount();
    for (int i = 0; i < components; i++) {
      literal.setBits(
          i, part.isFloating() ? part.encode(random.nextGaussian()) : random.nextInt(2));
    }
    return literal.build();
  }
}
