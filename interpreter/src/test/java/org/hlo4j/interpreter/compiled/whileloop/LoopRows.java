package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.DynamicTest;

/**
 * Loops as rows of text. Each row has a name, other computations that the loop calls, and the loop
 * state after the counter {@code i}: {@code a} and {@code b}; {@code 0 to 299} stands for these
 * numbers. Then follow the instructions of an iteration, which may define {@code next_a} and {@code
 * next_b} and use the constants {@code zero}, {@code one} and {@code two}, and the state at the
 * end, {@code ...} for a long {@code a}, or {@code refused} if no method is generated. There are
 * four iterations unless the row has a condition of its own, {@code more}. A name may begin with
 * the number of calls of vector code in the strategy that makes calls.
 */
final class LoopRows {
  private static final String LOOP =
      """
      HloModule loop

      CALLED
      MORE

      turn {
        s = (s32[], TYPE_A, TYPE_B) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        a = TYPE_A get-tuple-element(s), index=1
        b = TYPE_B get-tuple-element(s), index=2
        zero = s32[] constant(0)
        one = s32[] constant(1)
        two = s32[] constant(2)
        next_i = s32[] add(i, one)
        BODY
        ROOT r = (s32[], TYPE_A, TYPE_B) tuple(next_i, NEXT)
      }

      ENTRY main {
        i = s32[] constant(0)
        a = TYPE_A INITIAL_A
        b = TYPE_B INITIAL_B
        t = (s32[], TYPE_A, TYPE_B) tuple(i, a, b)
        ROOT w = (s32[], TYPE_A, TYPE_B) while(t), condition=more, body=turn
      }
      """;

  private static final String MORE =
      """
      more {
        s = (s32[], TYPE_A, TYPE_B) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        four = s32[] constant(4)
        ROOT m = pred[] compare(i, four), direction=LT
      }
      """;

  private static final String LONG = "..., ";
  private static final String COUNTING =
      IntStream.range(0, 300)
          .mapToObj(String::valueOf)
          .collect(Collectors.joining(", ", "constant({", "})"));
  private static final Pattern CALLS = Pattern.compile("by ([0-9]+ calls)");

  private LoopRows() {}

  /** {@return a test for each row; rows are separated by empty lines} */
  static Stream<DynamicTest> of(String rows) {
    return Splitter.on("\n\n").splitToStream(rows).map(LoopRows::row);
  }

  private static DynamicTest row(String row) {
    List<String> parts = Splitter.on("\n-> ").splitToList(row.strip());
    List<String> lines = Splitter.on('\n').splitToList(parts.get(0));
    int states = 1;
    while (!lines.get(states).matches("\\S+ constant.*")) {
      states++;
    }
    List<String> a = Splitter.on(' ').limit(2).splitToList(lines.get(states));
    List<String> b = Splitter.on(' ').limit(2).splitToList(lines.get(states + 1));
    String called = String.join("\n", lines.subList(1, states));
    String text =
        LOOP.replace("CALLED", called)
            .replace("MORE", called.contains("more {") ? "" : MORE)
            .replace("BODY", String.join("\n", lines.subList(states + 2, lines.size())))
            .replace("NEXT", next(lines, "a") + ", " + next(lines, "b"))
            .replace("TYPE_A", a.get(0))
            .replace("TYPE_B", b.get(0))
            .replace("INITIAL_A", a.get(1))
            .replace("INITIAL_B", b.get(1))
            .replace("constant(0 to 299)", COUNTING);
    Matcher calls = CALLS.matcher(lines.get(0));
    String described = calls.find() && Machine.isVectorApiOn() ? calls.group(1) : "";
    return DynamicTest.dynamicTest(lines.get(0), () -> check(text, parts.get(1), described));
  }

  private static String next(List<String> lines, String state) {
    String next = "next_" + state;
    return lines.stream().anyMatch(line -> line.strip().startsWith(next)) ? next : state;
  }

  /** Checks that all strategies that have code for the loop compute the same. */
  private static void check(String text, String want, String described) {
    HloModule module = Parser.parse(text);
    if (!text.contains("{...}")) {
      assertWithMessage(text)
          .that(Interpreter.compiled().run(module))
          .isEqualTo(Interpreter.reference().run(module));
    }
    HloInstruction loop = module.entry().root();
    List<Kernel> kernels =
        Stream.concat(ScalarKernels.strategies(loop), ScalarKernels.vectorCallStrategies(loop))
            .flatMap(strategy -> ScalarKernels.kernel(loop, false, strategy).kernel().stream())
            .toList();
    if (want.equals("refused")) {
      assertThat(kernels).isEmpty();
      return;
    }
    assertThat(kernels).isNotEmpty();
    assertWithMessage(text).that(kernels.get(kernels.size() - 1).describe()).endsWith(described);
    List<Literal> state =
        loop.operands().get(0).operands().stream()
            .map(part -> ((Constant) part.op()).literal())
            .toList();
    String before = state.toString();
    for (Kernel kernel : kernels) {
      check(kernel, state, module, want);
      if (kernel instanceof ScalarKernel iterations) {
        iterations.prepare();
        check(iterations, state, module, want);
      }
      assertThat(state.toString()).isEqualTo(before);
    }
  }

  private static void check(Kernel kernel, List<Literal> state, HloModule module, String want) {
    Literal result = new StandaloneContext(1).run(kernel, Literal.tuple(state));
    String text = module + " by " + kernel.describe();
    String a = want.startsWith(LONG) ? LONG : result.element(1) + ", ";
    assertWithMessage(text).that(a + result.element(2)).isEqualTo(want);
    assertWithMessage(text).that(result).isEqualTo(Interpreter.reference().run(module));
  }
}
