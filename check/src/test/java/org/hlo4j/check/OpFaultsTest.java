package org.hlo4j.check;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.generate.ProgramGenerator;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Systems in which one op is wrong: random programs find the fault, and it is made small. More ops
 * at night and with {@code -Dhlo4j.check.faults=all}, or those that it names, which also prints how
 * long each takes.
 */
final class OpFaultsTest {
  private static final String WANTED = System.getProperty("hlo4j.check.faults", "");
  private static final Duration MOST = Duration.ofSeconds(60);

  /** Of all computations: a reduction has 3 that combine. */
  private static final int MOST_INSTRUCTIONS = 5;

  private static final int PROGRAMS = Nightly.isOn() ? 40 : 16;
  private static final String FEW = "dot";

  private static final String MORE =
      "add,tanh,reduce,subtract,multiply,divide,maximum,minimum,negate,abs,exponential,log,sqrt,rsqrt,logistic,"
          + "sine,cosine,power,remainder,floor,sign,and,or,xor,not,shift-left,compare,select,clamp,"
          + "convert,broadcast,reshape,transpose,slice,pad,concatenate,reverse,iota,dynamic-slice,"
          + "dynamic-update-slice,gather,scatter,reduce-window,convolution,sort,while";

  static Stream<String> ops() {
    String few = Nightly.isOn() ? "all" : FEW;
    String wanted = WANTED.isEmpty() ? few : WANTED;
    return Splitter.on(',').splitToStream(wanted.equals("all") ? FEW + "," + MORE : wanted);
  }

  @ParameterizedTest
  @MethodSource("ops")
  void aFaultIsFoundAndMadeSmall(String opcode) {
    long start = System.nanoTime();
    DifferenceCheck check = DifferenceCheck.of(program -> faulty(program, opcode));
    ProgramGenerator generator = ProgramGenerator.create().portable();
    Optional<Program> found = Optional.empty();
    int seed = 0;
    for (; found.isEmpty() && seconds(start) < MOST.toSeconds(); seed++) {
      found = generator.program(seed).filter(check);
    }
    double seconds = seconds(start);
    assertWithMessage("%s after %s programs", opcode, seed).that(found).isPresent();
    Program whole = found.orElseThrow();
    Program small =
        Shrinker.of(check.like(check.difference(whole).orElseThrow())).within(MOST).shrink(whole);
    if (!WANTED.isEmpty()) {
      System.out.printf(
          Locale.ROOT,
          "%-22s %5.1f s, %3d programs, %d of %d instructions, shrunk in %.1f s%n",
          opcode,
          seconds,
          seed,
          Shrinker.size(small),
          Shrinker.size(whole),
          seconds(start) - seconds);
    }
    assertWithMessage(Printer.print(small.module()))
        .that(Shrinker.size(small))
        .isAtMost(MOST_INSTRUCTIONS);
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  /** Runs a program in which each result of an op is changed by a custom call. */
  private static Literal faulty(Program program, String opcode) {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .deadline(Duration.ofSeconds(2))
            .customCall("fault", (call, operands) -> changed(operands.get(0)))
            .build();
    HloComputation entry = changed(program.module().entry(), opcode, new HashMap<>());
    return program
        .with(HloModule.create("faulty", entry), program.arguments())
        .run(Interpreter::compiled, options);
  }

  private static HloComputation changed(
      HloComputation old, String opcode, Map<HloComputation, HloComputation> done) {
    HloComputation known = done.get(old);
    if (known != null) {
      return known;
    }
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    for (HloInstruction each : old.instructions()) {
      boolean isEntered =
          each.op() instanceof While
              || each.op() instanceof Conditional
              || each.op() instanceof Call;
      HloInstruction copy = each.withOperands(each.operands().stream().map(copies::get).toList());
      if (isEntered) {
        copy =
            copy.withCalled(each.called().stream().map(it -> changed(it, opcode, done)).toList());
      }
      instructions.add(copy);
      if (each.op().opcode().equals(opcode)) {
        copy =
            HloInstruction.create(
                "fault." + each.name(),
                new CustomCall(each.shape(), "fault"),
                List.of(copy),
                List.of(),
                each.shape(),
                Metadata.NONE);
        instructions.add(copy);
      }
      copies.put(each, copy);
    }
    HloComputation changed =
        HloComputation.create(
            old.name(), instructions, copies.getOrDefault(old.root(), old.root()));
    done.put(old, changed);
    return changed;
  }

  private static Literal changed(Literal value) {
    if (value.shape() instanceof Shape.Tuple) {
      return Literal.tuple(value.elements().stream().map(OpFaultsTest::changed).toList());
    } else if (!(value.shape() instanceof Shape.Array)) {
      return value;
    }
    ElementType part = value.elementType().componentType();
    LiteralBuilder changed = new LiteralBuilder((Shape.Array) value.shape().withoutLayout());
    int parts = value.elementCount() * (value.elementType().isComplex() ? 2 : 1);
    for (int i = 0; i < parts; i++) {
      long bits = value.bitsAt(i);
      changed.setBits(
          i,
          part.isFloating()
              ? part.encode(part.decode(bits) * 1.5 + 0.5)
              : (bits ^ 1) & (-1L >>> (64 - part.bits())));
    }
    return changed.build().withShape(value.arrayShape());
  }

  /** A system that answers only zeros is found in nearly every program. */
  @Test
  void zeros() {
    DifferenceCheck check =
        DifferenceCheck.of(program -> {
          Literal right = program.run(Interpreter.reference());
          return zeros(right);
        });
    ProgramGenerator generator = ProgramGenerator.create().portable().withMaxElements(100);
    List<Program> programs = new ArrayList<>();
    for (int seed = 0; seed < PROGRAMS; seed++) {
      generator.program(seed).filter(OpFaultsTest::isNotZero).ifPresent(programs::add);
    }
    assertThat(programs.size()).isAtLeast(PROGRAMS * 5 / 8);
    long found = programs.stream().filter(check).count();
    assertThat(found).isAtLeast(programs.size() * 95L / 100);
  }

  private static boolean isNotZero(Program program) {
    Literal right = program.run(Interpreter.reference());
    return !zeros(right).equals(right);
  }

  private static Literal zeros(Literal value) {
    return value.shape() instanceof Shape.Array array
        ? Literal.zeros((Shape.Array) array.withoutLayout()).withShape(array)
        : value.elements().isEmpty()
            ? value
            : Literal.tuple(value.elements().stream().map(OpFaultsTest::zeros).toList());
  }

  /** Names, sizes and numbers are not of the form; ops, types and flags are. */
  @Test
  void forms() {
    String first = form("x = f32[3] parameter(0)\n ROOT r = f32[3] add(x, x)");
    assertThat(form("c = f32[2,2] constant({{1,2},{3,4}})\n ROOT s = f32[2,2] add(c, c)"))
        .isEqualTo(first);
    assertThat(
            form("x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n ROOT r = f32[3] add(x, y)"))
        .isNotEqualTo(first);
    assertThat(form("x = bf16[3] parameter(0)\n ROOT r = bf16[3] add(x, x)")).isNotEqualTo(first);
    assertThat(form("x = f32[3] parameter(0)\n ROOT r = pred[3] compare(x, x), direction=LT"))
        .isNotEqualTo(
            form("x = f32[3] parameter(0)\n ROOT r = pred[3] compare(x, x), direction=GT"));
  }

  private static String form(String body) {
    return Shrinker.form(Parser.parse("HloModule m\nENTRY e {\n " + body + "\n}"));
  }
}
