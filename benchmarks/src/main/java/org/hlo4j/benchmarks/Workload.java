package org.hlo4j.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/**
 * A row of the table: a program and the intended speed relative to the best peer.
 *
 * @param name a name without blanks
 * @param what a description for people
 * @param goal the intended ratio: the time of the best native peer over ours
 * @param hlo the program as HLO text
 */
record Workload(String name, String what, double goal, String hlo) {
  /** Returns all rows that are defined here; the shared programs are added by the caller. */
  static List<Workload> all() {
    return Stream.of(kernels(), more(), calls()).flatMap(List::stream).toList();
  }

  /** Returns the rows that consist of a single kernel each. */
  static List<Workload> kernels() {
    return List.of(
        matmul(512, 1.0),
        matmul(1024, 1.0),
        matmul(2048, 1.0),
        new Workload("fma", "x*y+z, 16 M elements", 1.0, fma(1 << 24)),
        new Workload("chain", "tanh(exp(x)*0.5+y), 4 M", 1.3, chain(1 << 22)),
        new Workload("gelu", "gelu (tanh form), 4 M", 5, gelu(1 << 22)),
        new Workload("softmax", "softmax [1024,4096]", 1.0, softmax(1024, 4096)),
        new Workload("layernorm", "layer norm [1024,4096]", 1.5, layerNorm(1024, 4096)),
        new Workload("sum0", "reduce sum [4096,4096], dim 0", 1.0, sum(0)),
        new Workload("sum1", "reduce sum [4096,4096], dim 1", 1.0, sum(1)),
        new Workload("transpose", "transpose [4096,4096]", 4, TRANSPOSE),
        new Workload("conv", "conv 1x56x56x64 * 3x3x64x64, SAME", 1.0, CONVOLUTION),
        new Workload("mlp", "MLP 784-512-512-10, batch 128", 1.2, MLP));
  }

  /**
   * Returns rows for which no issue has set a goal: they should not be slower than the best peer.
   */
  private static List<Workload> more() {
    return List.of(
        new Workload("rfft", "abs(rfft) [64,1024]", 1.0, RFFT),
        new Workload("scan", "recurrent net, 200 steps, state 16", 1.0, SCAN));
  }

  /** Returns the rows that measure the overhead of a call and of a compilation. */
  static List<Workload> calls() {
    return List.of(
        new Workload("scalar", "scalar add, whole call", 5, SCALAR),
        new Workload("twenty", "20 small ops on 8 elements", 10, twenty()),
        new Workload("compile", "compile of a 50-instruction module, warm", 5, fifty()));
  }

  /** Returns whether the row measures compilation rather than execution. */
  boolean isCompilation() {
    return name.equals("compile");
  }

  /** Returns whether the reference evaluator can run it in reasonable time. */
  boolean isSmall() {
    return hlo.isEmpty() || calls().contains(this);
  }

  private static Workload matmul(int size, double goal) {
    return new Workload("matmul" + size, "matmul " + size, goal, matmul(size));
  }

  static String matmul(int size) {
    return """
    HloModule matmul
    ENTRY main {
      x = f32[#,#] parameter(0)
      y = f32[#,#] parameter(1)
      ROOT product = f32[#,#] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    }
    """
        .replace("#", "" + size);
  }

  static String fma(int size) {
    return """
    HloModule fma
    ENTRY main {
      x = f32[#] parameter(0)
      y = f32[#] parameter(1)
      z = f32[#] parameter(2)
      product = f32[#] multiply(x, y)
      ROOT sum = f32[#] add(product, z)
    }
    """
        .replace("#", "" + size);
  }

  static String chain(int size) {
    return """
    HloModule chain
    ENTRY main {
      x = f32[#] parameter(0)
      y = f32[#] parameter(1)
      half = f32[] constant(0.5)
      halves = f32[#] broadcast(half), dimensions={}
      power = f32[#] exponential(x)
      product = f32[#] multiply(power, halves)
      sum = f32[#] add(product, y)
      ROOT result = f32[#] tanh(sum)
    }
    """
        .replace("#", "" + size);
  }

  static String gelu(int size) {
    return """
    HloModule gelu
    ENTRY main {
      x = f32[#] parameter(0)
      half = f32[] constant(0.5)
      halves = f32[#] broadcast(half), dimensions={}
      one = f32[] constant(1)
      ones = f32[#] broadcast(one), dimensions={}
      a = f32[] constant(0.044715)
      as = f32[#] broadcast(a), dimensions={}
      b = f32[] constant(0.797884583)
      bs = f32[#] broadcast(b), dimensions={}
      square = f32[#] multiply(x, x)
      cube = f32[#] multiply(square, x)
      small = f32[#] multiply(cube, as)
      inner = f32[#] add(x, small)
      scaled = f32[#] multiply(inner, bs)
      bent = f32[#] tanh(scaled)
      raised = f32[#] add(bent, ones)
      cut = f32[#] multiply(raised, halves)
      ROOT result = f32[#] multiply(x, cut)
    }
    """
        .replace("#", "" + size);
  }

  static String softmax(int rows, int columns) {
    return """
    HloModule softmax
    max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
    sum { c = f32[] parameter(0)  d = f32[] parameter(1)  ROOT s = f32[] add(c, d) }
    ENTRY main {
      x = f32[@,#] parameter(0)
      low = f32[] constant(-inf)
      zero = f32[] constant(0)
      greatest = f32[@] reduce(x, low), dimensions={1}, to_apply=max
      spread = f32[@,#] broadcast(greatest), dimensions={0}
      shifted = f32[@,#] subtract(x, spread)
      powers = f32[@,#] exponential(shifted)
      total = f32[@] reduce(powers, zero), dimensions={1}, to_apply=sum
      totals = f32[@,#] broadcast(total), dimensions={0}
      ROOT result = f32[@,#] divide(powers, totals)
    }
    """
        .replace("@", "" + rows)
        .replace("#", "" + columns);
  }

  static String layerNorm(int rows, int columns) {
    return """
    HloModule layernorm
    sum { c = f32[] parameter(0)  d = f32[] parameter(1)  ROOT s = f32[] add(c, d) }
    ENTRY main {
      x = f32[@,#] parameter(0)
      scale = f32[#] parameter(1)
      offset = f32[#] parameter(2)
      zero = f32[] constant(0)
      count = f32[] constant(#)
      counts = f32[@] broadcast(count), dimensions={}
      epsilon = f32[] constant(1e-5)
      epsilons = f32[@] broadcast(epsilon), dimensions={}
      total = f32[@] reduce(x, zero), dimensions={1}, to_apply=sum
      mean = f32[@] divide(total, counts)
      means = f32[@,#] broadcast(mean), dimensions={0}
      centered = f32[@,#] subtract(x, means)
      squares = f32[@,#] multiply(centered, centered)
      squared = f32[@] reduce(squares, zero), dimensions={1}, to_apply=sum
      variance = f32[@] divide(squared, counts)
      safe = f32[@] add(variance, epsilons)
      inverse = f32[@] rsqrt(safe)
      inverses = f32[@,#] broadcast(inverse), dimensions={0}
      normal = f32[@,#] multiply(centered, inverses)
      scales = f32[@,#] broadcast(scale), dimensions={1}
      offsets = f32[@,#] broadcast(offset), dimensions={1}
      scaled = f32[@,#] multiply(normal, scales)
      ROOT result = f32[@,#] add(scaled, offsets)
    }
    """
        .replace("@", "" + rows)
        .replace("#", "" + columns);
  }

  static String sum(int dimension) {
    return """
    HloModule sum
    sum { c = f32[] parameter(0)  d = f32[] parameter(1)  ROOT s = f32[] add(c, d) }
    ENTRY main {
      x = f32[4096,4096] parameter(0)
      zero = f32[] constant(0)
      ROOT result = f32[4096] reduce(x, zero), dimensions={#}, to_apply=sum
    }
    """
        .replace("#", "" + dimension);
  }

  private static final String TRANSPOSE =
      """
      HloModule transpose
      ENTRY main {
        x = f32[4096,4096] parameter(0)
        ROOT result = f32[4096,4096] transpose(x), dimensions={1,0}
      }
      """;

  private static final String CONVOLUTION =
      """
      HloModule conv
      ENTRY main {
        x = f32[1,56,56,64] parameter(0)
        k = f32[3,3,64,64] parameter(1)
        ROOT result = f32[1,56,56,64] convolution(x, k), window={size=3x3 pad=1_1x1_1},
          dim_labels=b01f_01io->b01f
      }
      """;

  private static final String MLP =
      """
      HloModule mlp
      ENTRY main {
        x = f32[128,784] parameter(0)
        w1 = f32[784,512] parameter(1)
        b1 = f32[512] parameter(2)
        w2 = f32[512,512] parameter(3)
        b2 = f32[512] parameter(4)
        w3 = f32[512,10] parameter(5)
        b3 = f32[10] parameter(6)
        zero = f32[] constant(0)
        zeros = f32[128,512] broadcast(zero), dimensions={}
        d1 = f32[128,512] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        c1 = f32[128,512] broadcast(b1), dimensions={1}
        a1 = f32[128,512] add(d1, c1)
        h1 = f32[128,512] maximum(a1, zeros)
        d2 = f32[128,512] dot(h1, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        c2 = f32[128,512] broadcast(b2), dimensions={1}
        a2 = f32[128,512] add(d2, c2)
        h2 = f32[128,512] maximum(a2, zeros)
        d3 = f32[128,10] dot(h2, w3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        c3 = f32[128,10] broadcast(b3), dimensions={1}
        ROOT result = f32[128,10] add(d3, c3)
      }
      """;

  private static final String RFFT =
      """
      HloModule rfft
      ENTRY main {
        x = f32[64,1024] parameter(0)
        y = c64[64,513] fft(x), fft_type=RFFT, fft_length={1024}
        ROOT z = f32[64,513] abs(y)
      }
      """;

  private static final String SCAN =
      """
      HloModule scan
      more {
        state = (s32[], f32[16], f32[200,16], f32[200,16], f32[16,16]) parameter(0)
        i = s32[] get-tuple-element(state), index=0
        n = s32[] constant(200)
        ROOT is_less = pred[] compare(i, n), direction=LT
      }
      step {
        state = (s32[], f32[16], f32[200,16], f32[200,16], f32[16,16]) parameter(0)
        i = s32[] get-tuple-element(state), index=0
        h = f32[16] get-tuple-element(state), index=1
        hs = f32[200,16] get-tuple-element(state), index=2
        xs = f32[200,16] get-tuple-element(state), index=3
        w = f32[16,16] get-tuple-element(state), index=4
        one = s32[] constant(1)
        zero = s32[] constant(0)
        next_i = s32[] add(i, one)
        row = f32[1,16] dynamic-slice(xs, i, zero), dynamic_slice_sizes={1,16}
        x = f32[16] reshape(row)
        product = f32[16] dot(h, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        sum = f32[16] add(x, product)
        next_h = f32[16] tanh(sum)
        next_row = f32[1,16] reshape(next_h)
        next_hs = f32[200,16] dynamic-update-slice(hs, next_row, i, zero)
        ROOT next = (s32[], f32[16], f32[200,16], f32[200,16], f32[16,16]) tuple(next_i, next_h, next_hs, xs, w)
      }
      ENTRY main {
        xs = f32[200,16] parameter(0)
        w = f32[16,16] parameter(1)
        i = s32[] constant(0)
        zero = f32[] constant(0)
        h = f32[16] broadcast(zero), dimensions={}
        hs = f32[200,16] broadcast(zero), dimensions={}
        state = (s32[], f32[16], f32[200,16], f32[200,16], f32[16,16]) tuple(i, h, hs, xs, w)
        end = (s32[], f32[16], f32[200,16], f32[200,16], f32[16,16]) while(state), condition=more, body=step
        ROOT all = f32[200,16] get-tuple-element(end), index=2
      }
      """;

  private static final String SCALAR =
      """
      HloModule scalar
      ENTRY main {
        x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT sum = f32[] add(x, y)
      }
      """;

  private static String twenty() {
    StringBuilder text =
        new StringBuilder(
            "HloModule twenty\nENTRY main {\nv0 = f32[8] parameter(0)\ny = f32[8] parameter(1)\n");
    String[] ops = {"add", "multiply", "subtract", "maximum"};
    for (int i = 1; i <= 20; i++) {
      text.append(i == 20 ? "ROOT v" : "v").append(i).append(" = f32[8] ").append(ops[i % 4]);
      text.append("(v").append(i - 1).append(", y)\n");
    }
    return text.append("}\n").toString();
  }

  /**
   * Returns a program whose entry has fifty instructions: four layers, each with a dot, a bias and
   * a softmax.
   */
  private static String fifty() {
    StringBuilder text =
        new StringBuilder(
            """
            HloModule compile
            max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
            sum { c = f32[] parameter(0)  d = f32[] parameter(1)  ROOT s = f32[] add(c, d) }
            ENTRY main {
              x0 = f32[16,32] parameter(0)
              w = f32[32,32] parameter(1)
              v = f32[32] parameter(2)
              low = f32[] constant(-inf)
              zero = f32[] constant(0)
            """);
    for (int i = 0; i < 4; i++) {
      text.append(LAYER.replace("@", "" + i).replace("#", "" + (i + 1)));
    }
    return text.append("  ROOT end = f32[16,32] tanh(x4)\n}\n").toString();
  }

  private static final String LAYER =
      """
        dot@ = f32[16,32] dot(x@, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        bias@ = f32[16,32] broadcast(v), dimensions={1}
        sum@ = f32[16,32] add(dot@, bias@)
        greatest@ = f32[16] reduce(sum@, low), dimensions={1}, to_apply=max
        spread@ = f32[16,32] broadcast(greatest@), dimensions={0}
        shifted@ = f32[16,32] subtract(sum@, spread@)
        powers@ = f32[16,32] exponential(shifted@)
        total@ = f32[16] reduce(powers@, zero), dimensions={1}, to_apply=sum
        totals@ = f32[16,32] broadcast(total@), dimensions={0}
        softmax@ = f32[16,32] divide(powers@, totals@)
        x# = f32[16,32] add(softmax@, x@)
      """;
}
