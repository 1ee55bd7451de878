package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModuleKernelsTest {
  private static final String FUSIONS =
      """
      HloModule m
      plus { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
      sum { d = f32[] parameter(0)  e = f32[] parameter(1)  ROOT f = f32[] add(d, e) }
      most { g = f32[] parameter(0)  h = f32[] parameter(1)  ROOT i = f32[] maximum(g, h) }
      first { x = f32[8,8] parameter(0)  y = f32[8,8] parameter(1)  %s }
      second { v = f32[8,8] parameter(0)  w = f32[8,8] parameter(1)  %s }
      ENTRY e { p = f32[8,8] parameter(0)  q = f32[8,8] parameter(1)
        a = f32[8,8] fusion(p, q), kind=kLoop, calls=first
        ROOT b = f32[8,8] fusion(q, a), kind=kLoop, calls=second }
      """;

  private static List<HloInstruction> computed(String module) {
    return Parser.parse(module).entry().instructions().stream()
        .filter(instruction -> !(instruction.op() instanceof Parameter))
        .toList();
  }

  private static ModuleKernels kernels(boolean observesNanBits, ModuleKernels... whole) {
    return new ModuleKernels(observesNanBits, Long.MAX_VALUE, List.of(whole).stream().findFirst());
  }

  private static boolean areShared(String module) {
    ModuleKernels kernels = kernels(false);
    List<HloInstruction> computed = computed(module);
    return kernel(kernels, computed.get(0)) == kernel(kernels, computed.get(1));
  }

  private static Kernel kernel(ModuleKernels kernels, HloInstruction instruction) {
    return kernels.of(instruction).kernel().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ROOT r = f32[8,8] add(x, y) | ROOT s = f32[8,8] add(v, w) | true",
        "ROOT r = f32[8,8] subtract(x, y) | ROOT s = f32[8,8] subtract(w, v) | false",
        "ROOT r = f32[8,8] add(x, y) | ROOT s = f32[8,8] multiply(v, w) | false",
        "c = f32[] constant(0)  b = f32[8,8] broadcast(c), dimensions={}  ROOT r = f32[8,8] add(x,"
            + " b) | d = f32[] constant(0)  e = f32[8,8] broadcast(d), dimensions={}  ROOT s ="
            + " f32[8,8] add(v, e) | true",
        "c = f32[] constant(0)  b = f32[8,8] broadcast(c), dimensions={}  ROOT r = f32[8,8] add(x,"
            + " b) | d = f32[] constant(-0)  e = f32[8,8] broadcast(d), dimensions={}  ROOT s ="
            + " f32[8,8] add(v, e) | false",
        "n = f32[8,8] negate(x)  a = f32[8,8] abs(n)  ROOT r = f32[8,8] add(a, n)"
            + " | n = f32[8,8] negate(v)  ROOT a = f32[8,8] abs(n)  s = f32[8,8] add(a, n) | false",
        "t = f32[8,8] transpose(x), dimensions={1,0}  ROOT r = f32[8,8] add(t, y)"
            + " | t = f32[8,8] transpose(v), dimensions={0,1}  ROOT s = f32[8,8] add(t, w) | false",
        "z = f32[] constant(0)  m = f32[8] reduce(x, z), dimensions={1}, to_apply=plus  b ="
            + " f32[8,8] broadcast(m), dimensions={0}  ROOT r = f32[8,8] subtract(x, b) | z = f32[]"
            + " constant(0)  m = f32[8] reduce(v, z), dimensions={1}, to_apply=sum  b = f32[8,8]"
            + " broadcast(m), dimensions={0}  ROOT r = f32[8,8] subtract(v, b) | true",
        "z = f32[] constant(0)  m = f32[8] reduce(x, z), dimensions={1}, to_apply=plus  b ="
            + " f32[8,8] broadcast(m), dimensions={0}  ROOT r = f32[8,8] subtract(x, b) | z = f32[]"
            + " constant(0)  m = f32[8] reduce(v, z), dimensions={1}, to_apply=most  b = f32[8,8]"
            + " broadcast(m), dimensions={0}  ROOT r = f32[8,8] subtract(v, b) | false",
      })
  void fusionsThatComputeTheSameShareAKernel(String first, String second, boolean areShared) {
    assertThat(areShared(FUSIONS.formatted(first, second))).isEqualTo(areShared);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a = f32[8,8] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
            + " | dot(q, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} | true",
        "a = f32[8,8]{0,1} dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
            + " | dot(a, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} | false",
        "a = f32[8,8] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
            + " | dot(q, a), lhs_contracting_dims={1}, rhs_contracting_dims={1} | false",
      })
  void productsOfTheSameShapesShareAKernel(String first, String second, boolean areShared) {
    assertThat(
            areShared(
                """
                HloModule m
                ENTRY e { p = f32[8,8]{1,0} parameter(0)  q = f32[8,8]{0,1} parameter(1)
                  %s
                  ROOT b = f32[8,8] %s }
                """
                    .formatted(first, second)))
        .isEqualTo(areShared);
  }

  @Test
  void partsShareTheKernelsOfTheWhole() {
    HloInstruction sum =
        computed(FUSIONS.formatted("ROOT r = f32[8,8] add(x, y)", "ROOT s = f32[8,8] add(v, w)"))
            .get(0);
    ModuleKernels whole = kernels(false);
    assertThat(kernel(kernels(false, whole), sum)).isSameInstanceAs(kernel(whole, sum));
    assertThat(kernel(kernels(true, whole), sum)).isNotSameInstanceAs(kernel(whole, sum));
  }
}
