package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.Array;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/**
 * Code that programs share is not made within the limits of whoever comes first. Each test loads
 * hlo4j anew, since other tests have made such code already.
 */
final class CodeBudgetTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      less {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        two = f32[] constant(2)
        c = f32[] multiply(a, two)
        d = f32[] multiply(b, two)
        ROOT r = pred[] compare(c, d), direction=LT
      }
      odd {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        two = f32[] constant(2)
        c = f32[] multiply(b, two)
        ROOT r = f32[] add(a, c)
      }
      """;

  /** The shapes of x, y and z, and an instruction. */
  private static final ImmutableList<List<String>> PROGRAMS =
      ImmutableList.of(
          List.of("c64[4,60]", "c64[4,60] fft(x), fft_type=FFT, fft_length={60}"),
          List.of("f32[4,60]", "c64[4,31] fft(x), fft_type=RFFT, fft_length={60}"),
          List.of(
              "f32[2,40,40]",
              "f32[2,40,3]",
              "f32[2,40,3] triangular-solve(x, y), left_side=true, lower=true,"
                  + " transpose_a=NO_TRANSPOSE"),
          List.of(
              "bf16[300,200]",
              "bf16[200]",
              "f32[300] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
          List.of("f32[200,300]", "f32[300,200] transpose(x), dimensions={1,0}"),
          List.of("f32[300,200]", "f32[]", "f32[200] reduce(x, y), dimensions={0}, to_apply=odd"),
          List.of(
              "f32[300]", "f32[]", "f32[298] reduce-window(x, y), window={size=3}, to_apply=odd"),
          List.of(
              "f32[300]",
              "s32[20,1]",
              "f32[20]",
              "f32[300] scatter(x, y, z), update_window_dims={}, inserted_window_dims={0},"
                  + " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=odd"),
          List.of("f32[300]", "f32[300] sort(x), dimensions={0}, to_apply=less"),
          List.of("f32[300]", "f32[300] exponential(x)"));

  /**
   * How many programs of the list, the first ones, need nothing but code that is made for the whole
   * process.
   */
  private static final int SHARED = 5;

  /** hlo4j in a class loader of its own. */
  private static final class Loaded {
    private final ClassLoader loader;

    Loaded() {
      URL[] places =
          Stream.of(Interpreter.class, HloModule.class, ImmutableList.class)
              .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
              .toArray(URL[]::new);
      loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
    }

    /** Runs a program with a limit on code and returns its plan. */
    String plan(String program, long maxCodeBytes) throws ReflectiveOperationException {
      Object module = type(Parser.class).getMethod("parse", String.class).invoke(null, program);
      Object builder = type(EvaluatorOptions.class).getMethod("builder").invoke(null);
      builder.getClass().getMethod("maxCodeBytes", long.class).invoke(builder, maxCodeBytes);
      Object options = builder.getClass().getMethod("build").invoke(builder);
      Object evaluator =
          type(Interpreter.class)
              .getMethod("compiled", type(EvaluatorOptions.class))
              .invoke(null, options);
      Class<?> interfaces = Class.forName("org.hlo4j.interpreter.Evaluator", true, loader);
      Class<?> literals = Class.forName("org.hlo4j.hlo.Literal", true, loader);
      Object none = Array.newInstance(literals, 0);
      Object unused =
          interfaces
              .getMethod("run", type(HloModule.class), none.getClass())
              .invoke(evaluator, module, none);
      assertThat(unused).isNotNull();
      Object executable =
          interfaces.getMethod("compile", type(HloModule.class)).invoke(evaluator, module);
      Class<?> executables = Class.forName("org.hlo4j.interpreter.Executable", true, loader);
      return (String) executables.getMethod("explain").invoke(executable);
    }

    private Class<?> type(Class<?> type) throws ClassNotFoundException {
      return Class.forName(type.getName(), true, loader);
    }
  }

  /** A module with zeros, which a barrier keeps from being folded. */
  private static String module(List<String> program) {
    StringBuilder text = new StringBuilder(COMPUTATIONS + "ENTRY e {\n");
    for (int i = 0; i < program.size() - 1; i++) {
      char name = (char) ('x' + i);
      String type = program.get(i).replaceAll("\\[.*", "");
      text.append(
          """
            NAME0 = TYPE[] constant(ZERO)
            NAME1 = SHAPE broadcast(NAME0), dimensions={}
            NAME = SHAPE opt-barrier(NAME1)
          """
              .replace("NAME", "" + name)
              .replace("TYPE", type)
              .replace("ZERO", type.startsWith("c") ? "(0, 0)" : "0")
              .replace("SHAPE", program.get(i)));
    }
    return text + "  ROOT result = " + program.get(program.size() - 1) + "\n}\n";
  }

  @Test
  void plansDoNotDependOnTheLimitsOfEarlierPrograms() throws ReflectiveOperationException {
    long usual = EvaluatorOptions.defaults().maxCodeBytes();
    Loaded fresh = new Loaded();
    Loaded limited = new Loaded();
    for (List<String> program : PROGRAMS) {
      String withoutCode = limited.plan(module(program), 0);
      boolean isOwn = PROGRAMS.indexOf(program) >= SHARED;
      assertWithMessage(withoutCode)
          .that(isOwn || !withoutCode.matches("(?s).*  result [^\\n]* reference: .*"))
          .isTrue();
    }
    for (List<String> program : PROGRAMS) {
      assertThat(limited.plan(module(program), usual))
          .isEqualTo(fresh.plan(module(program), usual));
    }
  }
}
