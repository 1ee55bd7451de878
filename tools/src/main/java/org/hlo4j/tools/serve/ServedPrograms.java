package org.hlo4j.tools.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
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
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.input.ArrayFiles;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramSource;
import org.hlo4j.tools.system.EvaluatorArguments;

/**
 * The programs that a client of {@code hlo4j serve} has loaded, and the answers to its requests.
 */
public final class ServedPrograms {
  /** More than the header of any .npy file has. */
  private static final int NPY_HEADER_BYTES = 8192;

  private final Map<Integer, ServedProgram> programs = new HashMap<>();
  private int loaded;
  private final EvaluatorArguments requested;
  private final Evaluator evaluator;
  private final EvaluatorOptions options;

  public ServedPrograms(EvaluatorArguments requested) {
    this.requested = requested;
    this.evaluator = requested.evaluator();
    this.options = requested.options();
  }

  /** Answers a request; an error is an answer too. */
  public Frame answer(Frame request) {
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
  public static Frame error(String kind, Throwable problem) {
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
    ImmutableList<LoadedProgram> all = LoadedProgram.all("program", parts.get(0));
    require(all.size() == 1, "", "L got %s programs, want one", all.size());
    ProgramSource source = all.get(0).source();
    if (source.isStatic()) {
      requested
          .unknownCalls(source.module())
          .ifPresent(unknown -> {
            throw new HloException(
                HloException.Kind.UNSUPPORTED, unknown + " is known to no evaluator");
          });
    }
    programs.put(loaded, new ServedProgram(source, evaluator, options));
    return List.of(String.valueOf(loaded++).getBytes(UTF_8));
  }

  private List<byte[]> unload(List<byte[]> parts) {
    require(parts.size() == 1, "", "U got %s parts, want one id", parts.size());
    program(parts.get(0));
    programs.remove(number("id", parts.get(0), loaded - 1));
    return List.of();
  }

  private List<byte[]> run(List<byte[]> parts) throws IOException {
    require(!parts.isEmpty(), "", "R got no parts, want an id and arguments");
    ServedProgram.Call call = call(parts.get(0), parts.subList(1, parts.size()));
    List<byte[]> results = new ArrayList<>();
    for (Literal result : call.run().arrays()) {
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
    ServedProgram.Call call = call(parts.get(0), parts.subList(2, 2 + count));
    ServedProgram.Judgement judgement =
        call.judge(
            results(
                call.module().entry().root().shape().withoutLayout(),
                parts.subList(2 + count, parts.size())));
    return Stream.of(
            judgement.verdict().toString(),
            judgement.text(),
            judgement.outputs().stream().map(Verdict::toString).collect(joining(" ")))
        .map(part -> part.getBytes(UTF_8))
        .toList();
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

  private ServedProgram.Call call(byte[] id, List<byte[]> arrays) throws IOException {
    ServedProgram program = program(id);
    ImmutableList<ProgramSource.Input> inputs = program.inputs();
    require(
        inputs.size() == arrays.size(),
        "",
        "program got %s arguments, want %s",
        arrays.size(),
        inputs.size());
    ImmutableList.Builder<Literal> arguments = ImmutableList.builder();
    for (int i = 0; i < arrays.size(); i++) {
      arguments.add(ArrayFiles.read("argument " + i, arrays.get(i), inputs.get(i).shape()));
    }
    return program.call(arguments.build());
  }

  private ServedProgram program(byte[] id) {
    ServedProgram program = programs.get(loaded == 0 ? -1 : number("id", id, loaded - 1));
    require(program != null, "", "id got %s, want a loaded program", new String(id, UTF_8));
    return Optional.ofNullable(program).orElseThrow();
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
    return Literal.ofArrays(shape, results.iterator());
  }
}
