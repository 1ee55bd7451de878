package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * The programs that a client of {@code hlo4j serve} has loaded, and the answers to its requests.
 */
final class ServedPrograms {
  /** More than the header of any .npy file has. */
  private static final int NPY_HEADER_BYTES = 8192;

  private final Map<Integer, ProgramSource> programs = new HashMap<>();
  private int loaded;
  private final Evaluator evaluator;
  private final EvaluatorOptions options;

  ServedPrograms(Evaluator evaluator, EvaluatorOptions options) {
    this.evaluator = evaluator;
    this.options = options;
  }

  /** Answers a request; an error is an answer too. */
  Frame answer(Frame request) {
    try {
      return new Frame('=', answer(request.code(), request.parts()));
    } catch (HloException refusal) {
      return error(refusal.kind().toString(), refusal);
    } catch (OutOfMemoryError | StackOverflowError full) {
      return error(HloException.Kind.LIMIT.toString(), full);
    } catch (IOException | RuntimeException problem) {
      return error("INTERNAL", problem);
    }
  }

  /** Returns the answer that tells a problem. */
  static Frame error(String kind, Throwable problem) {
    return new Frame(
        '!', List.of(kind.getBytes(UTF_8), ErrorMessages.describe(problem).getBytes(UTF_8)));
  }

  private List<byte[]> answer(char code, List<byte[]> parts) throws IOException {
    return switch (code) {
      case 'L' -> load(parts);
      case 'R' -> run(parts);
      case 'C' -> compare(parts);
      case 'U' -> unload(parts);
      default ->
          throw new HloException(
              HloException.Kind.ARGUMENT, "request got " + (int) code + ", want L, R, C or U");
    };
  }

  private List<byte[]> load(List<byte[]> parts) {
    require(parts.size() == 1, "", "L got %s parts, want one program", parts.size());
    ImmutableList<ModuleFiles.Loaded> all = ModuleFiles.loadAll("program", parts.get(0));
    require(all.size() == 1, "", "L got %s programs, want one", all.size());
    ProgramSource source = all.get(0).source();
    if (source.isStatic()) {
      CustomCalls.unknown(source.module())
          .ifPresent(unknown -> {
            throw new HloException(
                HloException.Kind.UNSUPPORTED, unknown + " is known to no evaluator");
          });
    }
    programs.put(loaded, source);
    return List.of(String.valueOf(loaded++).getBytes(UTF_8));
  }

  private List<byte[]> unload(List<byte[]> parts) {
    require(parts.size() == 1, "", "U got %s parts, want one id", parts.size());
    source(parts.get(0));
    programs.remove(number("id", parts.get(0), loaded - 1));
    return List.of();
  }

  private List<byte[]> run(List<byte[]> parts) throws IOException {
    require(!parts.isEmpty(), "", "R got no parts, want an id and arguments");
    Program program = program(parts.get(0), parts.subList(1, parts.size()));
    List<byte[]> results = new ArrayList<>();
    for (Literal result : program.run(evaluator).arrays()) {
      results.add(npy(result));
    }
    return results;
  }

  private static byte[] npy(Literal array) throws IOException {
    long bytes = array.asMemorySegment().byteSize() + NPY_HEADER_BYTES;
    require(
        bytes <= Integer.MAX_VALUE - 8,
        HloException.Kind.LIMIT,
        "result got %s, want at most %s bytes",
        array.shape(),
        Integer.MAX_VALUE - 8);
    ByteArrayOutputStream npy = new ByteArrayOutputStream((int) bytes);
    Npy.write(npy, array);
    return npy.toByteArray();
  }

  private List<byte[]> compare(List<byte[]> parts) throws IOException {
    require(parts.size() >= 2, "", "C got %s parts, want an id and a number", parts.size());
    int count = number("number of arguments", parts.get(1), parts.size() - 2);
    Program program = program(parts.get(0), parts.subList(2, 2 + count));
    Literal got =
        results(
            program.module().entry().root().shape().withoutLayout(),
            parts.subList(2 + count, parts.size()));
    Literal mine = program.run(evaluator);
    if (mine.equals(got)) {
      return List.of("same".getBytes(UTF_8), new byte[0]);
    }
    Comparison theirs = Comparison.of(program, got, new ToleranceProfile.Native(), options);
    Comparison ours = Comparison.of(program, mine, new ToleranceProfile.Compiled(), options);
    return ours.verdict() == Verdict.WRONG
        ? verdict("hlo4j's evaluator beside the reference: ", ours)
        : verdict("", theirs);
  }

  private static List<byte[]> verdict(String prefix, Comparison comparison) {
    return List.of(
        comparison.verdict().toString().getBytes(UTF_8),
        (prefix + String.join("\n", ComparisonText.lines(comparison))).getBytes(UTF_8));
  }

  private static int number(String what, byte[] text, int most) {
    String got = new String(text, UTF_8);
    Integer number = Ints.tryParse(got);
    require(
        number != null && number >= 0 && number <= most,
        "",
        "%s got %s, want 0 to %s",
        what,
        got,
        most);
    return Optional.ofNullable(number).orElseThrow();
  }

  private Program program(byte[] id, List<byte[]> arrays) throws IOException {
    ProgramSource source = source(id);
    ImmutableList<ProgramSource.Input> inputs = source.inputs();
    require(
        inputs.size() == arrays.size(),
        "",
        "program got %s arguments, want %s",
        arrays.size(),
        inputs.size());
    List<Literal> arguments = new ArrayList<>();
    for (int i = 0; i < arrays.size(); i++) {
      arguments.add(ArrayFiles.read("argument " + i, arrays.get(i), inputs.get(i).shape()));
    }
    ProgramSource.Bound bound = source.bind(arguments);
    return new Program(bound.module(), ImmutableList.copyOf(bound.arguments()));
  }

  private ProgramSource source(byte[] id) {
    ProgramSource source = programs.get(loaded == 0 ? -1 : number("id", id, loaded - 1));
    require(source != null, "", "id got %s, want a loaded program", new String(id, UTF_8));
    return Optional.ofNullable(source).orElseThrow();
  }

  private static Literal results(Shape shape, List<byte[]> arrays) throws IOException {
    List<Shape.Array> shapes = Results.shapes(shape);
    require(
        shapes.size() == arrays.size(),
        "",
        "program got %s results, want %s",
        arrays.size(),
        shapes.size());
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < arrays.size(); i++) {
      results.add(ArrayFiles.read("result " + i, arrays.get(i), shapes.get(i)));
    }
    return Results.of(shape, results.iterator());
  }
}
