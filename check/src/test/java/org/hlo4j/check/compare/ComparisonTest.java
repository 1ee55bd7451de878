package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ComparisonTest {
  private static Comparison compared(
      String type, String body, String argument, String got, ToleranceProfile profile) {
    HloModule module =
        Parser.parse(
            "HloModule m\nENTRY e {\n  x = " + type + "[] parameter(0)\n  " + body + "\n}\n");
    Program program = Program.of(module, Parser.parseLiteral(type + "[] " + argument));
    Literal result = Parser.parseLiteral(module.entry().root().shape() + " " + got);
    return Comparison.of(program, result, profile, EvaluatorOptions.defaults());
  }

  private static String verdict(Program program, String got, ToleranceProfile profile) {
    return Comparison.of(program, Parser.parseLiteral(got), profile, EvaluatorOptions.defaults())
        .verdict()
        .toString();
  }

  /** The argument, the result under test, and its verdicts by the two profiles. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32 | ROOT r = f32[] negate(x) | 1.5 | -1.5 | same | same
          f32 | ROOT r = f32[] exponential(x) | 1 | 2.71828198 | rounded | rounded
          f32 | ROOT r = f32[] exponential(x) | 1 | 2.718283 | wrong | rounded
          f32 | ROOT r = f32[] exponential(x) | 1 | 2.718290 | wrong | wrong
          f32 | ROOT r = f32[] negate(x) | 1e-40 | -0 | wrong | rounded
          f32 | ROOT r = f32[] negate(x) | 1e-37 | -0 | wrong | wrong
          f32 | ROOT r = f32[] negate(x) | 0 | 1e-40 | wrong | wrong
          f32 | b = f32[13] broadcast(x), dimensions={} k = f32[] constant(0.377) c = f32[13] broadcast(k), dimensions={} ROOT d = f32[] dot(b, c), lhs_contracting_dims={0}, rhs_contracting_dims={0} | 1e-44 | 5.46506e-44 | rounded | rounded
          f32 | b = f32[13] broadcast(x), dimensions={} k = f32[] constant(0.377) c = f32[13] broadcast(k), dimensions={} ROOT d = f32[] dot(b, c), lhs_contracting_dims={0}, rhs_contracting_dims={0} | 1e-44 | 1.4e-43 | wrong | rounded
          f32 | m = f32[] multiply(x, x) ROOT r = f32[] subtract(m, x) | 1.1 | 0.11000001 | wrong | rounded
          f32 | m = f32[] multiply(x, x) ROOT r = f32[] subtract(m, m) | 1.1 | 3e-8 | wrong | undecided
          f32 | ROOT m = f32[] multiply(x, x) | 1.1 | 1.2100003 | wrong | wrong
          c64 | ROOT s = c64[] sign(x) | (-3, 3) | (-0.707106829, 0.707106829) | wrong | rounded
          c64 | ROOT s = f32[] abs(x) | (3, 4) | 5.000001 | wrong | rounded
          bf16 | ROOT m = bf16[] multiply(x, x) | 1.1016 | 1.2188 | wrong | wrong
          f32 | a = f32[] constant(3.5e18) m = f32[] multiply(x, a) c = f32[] constant(1e38) ROOT s = f32[] subtract(m, c) | 1e20 | 2.5e38 | wrong | rounded
          f32 | z = f32[] constant(0) ROOT d = f32[] divide(x, z) | 1 | 3 | wrong | wrong
          f16 | s = f16[] add(x, x) q = f16[] constant(0.25) ROOT m = f16[] multiply(s, q) | 60000 | 30000 | wrong | rounded
          f16 | s = f16[] multiply(x, x) q = f16[] constant(10000) ROOT m = f16[] multiply(s, q) | 1e-5 | 1.0133e-06 | wrong | undecided
          f32 | c = f32[] constant(1e8) s = f32[] add(x, c) ROOT d = f32[] subtract(s, c) | 1 | 1 | wrong | rounded
          f32 | c = f32[] constant(1e8) s = f32[] add(x, c) ROOT d = f32[] subtract(s, c) | 1 | 1000 | wrong | wrong
          f32 | c = f32[] constant(3.3) s = f32[] multiply(x, c) ROOT d = f32[] multiply(s, c) | 1.1 | 11.978999 | wrong | rounded
          f32 | c = f32[] constant(1) s = f32[] add(x, c) q = f32[] sqrt(s) ROOT l = f32[] log(q) | 1.1e-6 | 5.364e-7 | wrong | rounded
          f32 | z = f32[] constant(0) ROOT s = f32[] add(x, z) | -0 | -0 | wrong | rounded
          f32 | e = f32[] log(x) ROOT c = s32[] convert(e) | 2.71828183 | 1 | rounded | rounded
          f32 | e = f32[] log(x) ROOT c = s32[] convert(e) | 5 | 0 | wrong | wrong
          f32 | i = u32[] constant(1073741824) f = f32[] bitcast-convert(i) ROOT e = f32[] exponential(f) | 0 | 7.3890557 | rounded | rounded
          f32 | ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=0 | nan | inf | wrong | unspecified
          f32 | ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=0 | -nan | -inf | wrong | unspecified
          f32 | ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=0 | nan | -inf | wrong | unspecified
          f32 | ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=0 | 1 | inf | wrong | wrong
          f32 | t = f32[] tanh(x) ROOT a = f32[] atanh(t) | 8.5 | inf | rounded | undecided
          f32 | t = f32[] tanh(x) ROOT a = f32[] atanh(t) | 8.5 | -inf | wrong | wrong
          f32 | t = f32[] tanh(x) ROOT a = f32[] atanh(t) | 8.5 | 0 | wrong | wrong
          f32 | ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=1 | nan | inf | wrong | wrong
          f32 | p = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=0 n = f32[] negate(p) ROOT e = f32[] exponential(n) | -nan | inf | wrong | unspecified
          f8e4m3fn | ROOT r = f8e4m3fn[] reduce-precision(x), exponent_bits=5, mantissa_bits=0 | nan | 448 | wrong | unspecified
          f32 | i = u32[] constant(1073741824) f = f32[] bitcast-convert(i) ROOT e = f32[] exponential(f) | 0 | 7.4 | wrong | wrong
          f32 | e = f32[] exponential(x) i = u32[] bitcast-convert(e) ROOT f = f32[] bitcast-convert(i) | 1 | 3 | wrong | wrong
          f32 | e = f32[] log(x) ROOT c = s32[] convert(e) | 2.71828183 | 2 | undecided | undecided
          f32 | e = f32[] log(x) ROOT c = s32[] convert(e) | 2.71828183 | 5 | wrong | wrong
          f32 | e = f32[] log(x) i = s32[] convert(e) t = f32[2] constant({100, -20}) ROOT g = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1} | 2.71828183 | {-20} | rounded | rounded
          f32 | e = f32[] log(x) i = s32[] convert(e) t = f32[2] constant({100, -20}) ROOT g = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1} | 2.71828183 | {0} | undecided | undecided
          f32 | e = f32[] log(x) i = s32[] convert(e) t = f32[2] constant({100, -20}) ROOT g = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1} | 2.71828183 | {500} | wrong | wrong
          f32 | e = f32[] exponential(x) c = f32[] constant(2.7182815) d = f32[] subtract(e, c) ROOT q = f32[] sqrt(d) | 1 | 0.0006 | rounded | rounded
          f32 | e = f32[] exponential(x) c = f32[] constant(2.7182815) d = f32[] subtract(e, c) ROOT q = f32[] sqrt(d) | 1 | nan | undecided | undecided
          f32 | e = f32[] exponential(x) c = f32[] constant(2.7182815) d = f32[] subtract(e, c) ROOT q = f32[] sqrt(d) | 1 | 0.1 | wrong | wrong
          f32 | e = f32[] exponential(x) c = f32[] constant(2.7182815) d = f32[] subtract(e, c) ROOT q = f32[] divide(c, d) | 1 | inf | undecided | undecided
          """)
  void verdicts(
      String type, String body, String argument, String got, String compiled, String nativeCode) {
    assertThat(
            compared(type, body, argument, got, new ToleranceProfile.Compiled())
                .verdict()
                .toString())
        .isEqualTo(compiled);
    assertThat(
            compared(type, body, argument, got, new ToleranceProfile.Native()).verdict().toString())
        .isEqualTo(nativeCode);
  }

  /**
   * The first argument, the result and its verdict: products in calls are contracted; a reducer
   * that subtracts has an error of its terms; values follow the equal keys of a sort in any order;
   * a linear system is as wrong as one near it; batch norm is one factor and one term.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[] 0.1         | g { a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = f32[] multiply(a, b) } ENTRY e { x = f32[] parameter(0) y = f32[] constant(0.3) c = f32[] constant(0.03) p = f32[] call(x, y), to_apply=g ROOT r = f32[] subtract(p, c) } | f32[] 4.4703485e-10 | rounded
          f32[2] {-2, -3}   | f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] subtract(a, b) } ENTRY e { x = f32[2] parameter(0) i = f32[] constant(5) ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=f } | f32[] 45 | unspecified
          f32[2] {-2, -3}   | f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] subtract(a, b) } ENTRY e { x = f32[2] parameter(0) i = f32[] constant(5) ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=f } | f32[] 10.000001 | rounded
          f32[2] {1, 2}     | c { a = s32[] parameter(0) b = s32[] parameter(1) p = f32[] parameter(2) q = f32[] parameter(3) ROOT l = pred[] compare(a, b), direction=LT } ENTRY e { k = s32[2] constant({0, 0}) v = f32[2] parameter(0) s = (s32[2], f32[2]) sort(k, v), dimensions={0}, is_stable=false, to_apply=c ROOT r = f32[2] get-tuple-element(s), index=1 } | f32[2] {2, 1} | unspecified
          f32[2,1] {{0.3}, {0.03}} | ENTRY e { a = f32[2,2] constant({{1, 0}, {0.1, 1e-6}}) b = f32[2,1] parameter(0) ROOT r = f32[2,1] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE } | f32[2,1] {{0.3}, {-0.00186264515}} | rounded
          f32[2,1] {{10000.3}, {9998.77}} | ENTRY e { x = f32[2,1] parameter(0) s = f32[1] constant({1}) o = f32[1] constant({0}) m = f32[1] constant({10000}) ROOT r = f32[2,1] batch-norm-inference(x, s, o, m, s), epsilon=0.001, feature_index=1 } | f32[2,1] {{0.300067812}, {-1.22949219}} | rounded
          """)
  void programs(String argument, String program, String got, String verdict) {
    Program parsed =
        Program.of(Parser.parse("HloModule m " + program), Parser.parseLiteral(argument));
    assertThat(verdict(parsed, got, new ToleranceProfile.Native())).isEqualTo(verdict);
  }

  /**
   * The first argument, the result and its verdict for the compiled evaluator: factors of other
   * types are terms, too; a reducer may contain a fusion, which has one caller; the functions in a
   * scan, and in what a reducer calls, round; a Fourier transform overflows in the type of the
   * result, or near the end of f64, and a NaN is in one transform only; of what has only a real
   * part in the end, the whole rounds; 0 is near what nearly is; a variance is as wrong as the
   * square of its mean; a map may apply what a reduction applies; what a reducer sends rounds.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f64[2] {0.1, 0.1} | ENTRY e { x = f64[2] parameter(0) a = s32[2] constant({-9, 9}) ROOT d = f64[] dot(a, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} } | f64[] 5.5e-17 | undecided
          f64[2] {0.1, 0.1} | ENTRY e { x = f64[2] parameter(0) a = s32[2] constant({-9, 9}) ROOT d = f64[] dot(a, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} } | f64[] 5e-15 | wrong
          f32[2] {0.1, 0.3} | ENTRY e { x = f32[2] parameter(0) ROOT d = c64[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} } | c64[] (0.10000002, 0) | rounded
          f32[3] {0.1, 0.3, 0.3} | g { p = f32[] parameter(0) ROOT n = f32[] negate(p) } f { a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] fusion(b), kind=kLoop, calls=g ROOT s = f32[] subtract(a, n) } ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0) ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f } | f32[] 0.7000001 | rounded
          f32[1] {0.3} | g { a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = f32[] power(a, b) } f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] call(b, a), to_apply=g } ENTRY e { x = f32[1] parameter(0) z = f32[] constant(0.7) ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f } | f32[] 0.43051165 | rounded
          f32[2] {0.1, 0.3} | f { a = f32[] parameter(0) c = f32[] parameter(1) e = f32[] exponential(c) ROOT t = (f32[]) tuple(e) } ENTRY e { x = f32[2] parameter(0) z = f32[] constant(0.5) s = (f32[]) scan(x, z), dimensions={0}, num_carries=1, is_reverse=false, is_associative=false, to_apply=f ROOT r = f32[] get-tuple-element(s), index=0 } | f32[] 5.2003264 | rounded
          c64[3] {(2.5964334, 3.4e38), (2.5964334, 3.4e38), (2.5964334, 3.4e38)} | ENTRY e { x = c64[3] parameter(0) ROOT f = c64[3] fft(x), fft_type=FFT, fft_length={3} } | c64[3] {(7.7893, inf), (2.88262014e-16, 3.77789296e+22), (2.88262014e-16, 3.77789296e+22)} | rounded
          f32[2,4] {{nan, 0, 0, 0}, {1, 1, 1, 1}} | ENTRY e { x = f32[2,4] parameter(0) ROOT f = c64[2,3] fft(x), fft_type=RFFT, fft_length={4} } | c64[2,3] {{(nan, 0), (nan, nan), (nan, 0)}, {(4, 0), (0, 0), (0, 0)}} | undecided
          f32[2,4] {{nan, 0, 0, 0}, {1, 1, 1, 1}} | ENTRY e { x = f32[2,4] parameter(0) ROOT f = c64[2,3] fft(x), fft_type=RFFT, fft_length={4} } | c64[2,3] {{(nan, 0), (nan, nan), (nan, 0)}, {(4, 0), (0.1, 0), (0, 0)}} | wrong
          c128[3] {(0, 1), (0, 1), (0, 1)} | ENTRY e { x = c128[3] parameter(0) r = c128[3,1] reshape(x) ROOT f = f64[3,1] fft(r), fft_type=IRFFT, fft_length={3,1} } | f64[3,1] {{0}, {1e-17}, {1e-17}} | rounded
          f64[2] {5e-324, 5e-324} | ENTRY e { x = f64[2] parameter(0) ROOT f = c128[2] fft(x), fft_type=RFFT, fft_length={2} } | c128[2] {(5e-324, 0), (5e-324, 0)} | rounded
          f64[4] {0, 0, 0, 1.3e308} | ENTRY e { x = f64[4] parameter(0) ROOT f = c128[3] fft(x), fft_type=RFFT, fft_length={4} } | c128[3] {(1.3e308, 0), (nan, inf), (-1.3e308, 0)} | undecided
          c64[5] {(1, 0), (1, 0), (1, 0), (1, 0), (1, 0)} | ENTRY e { x = c64[5] parameter(0) f = c64[5] fft(x), fft_type=FFT, fft_length={5} a = f32[5] abs(f) ROOT l = f32[5] log(a) } | f32[5] {1.6094379, -inf, -inf, -inf, -inf} | rounded
          f64[1,3] {{0.1, 0.1, 0.1}} | ENTRY e { x = f64[1,3] parameter(0) s = f64[1] constant({1}) b = (f64[1,3], f64[1], f64[1]) batch-norm-training(x, s, s), epsilon=0.5, feature_index=0 ROOT v = f64[1] get-tuple-element(b), index=2 } | f64[1] {3e-34} | rounded
          f64[1,3] {{0.1, 0.1, 0.1}} | ENTRY e { x = f64[1,3] parameter(0) s = f64[1] constant({1}) b = (f64[1,3], f64[1], f64[1]) batch-norm-training(x, s, s), epsilon=0.5, feature_index=0 ROOT v = f64[1] get-tuple-element(b), index=2 } | f64[1] {1e-20} | wrong
          f32[2] {0.1, 0.3} | f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) } ENTRY e { x = f32[2] parameter(0) z = f32[] constant(0) m = f32[2] map(x, x), dimensions={0}, to_apply=f e = f32[2] exponential(m) ROOT r = f32[] reduce(e, z), dimensions={0}, to_apply=f } | f32[] 3.0435219 | rounded
          s8[] 0 | f { p = s8[] parameter(0) q = s8[] parameter(1) i = f32[2] iota(), iota_dimension=0 s = f32[2] sine(i) t = token[] after-all() n = (f32[2], u32[], token[]) send(s, t), channel_id=11, is_host_transfer=true d = token[] send-done(n), channel_id=11, is_host_transfer=true ROOT r = s8[] copy(p) } ENTRY e { x = s8[] parameter(0) ROOT r = s8[] reduce(x, x), dimensions={}, to_apply=f } | (s8[], ((f32[2]))) (0, (({0, 0.841471}))) | rounded
          f32[] 1 | g { p = f32[] parameter(0) ROOT n = f32[] exponential(p) } ENTRY e { x = f32[] parameter(0) a = ((f32[]), f32[], u32[]) async-start(x), calls=g n = f32[] negate(x), control-predecessors={a} d = f32[] async-done(a) ROOT s = f32[] add(n, d) } | f32[] 1.7182819 | rounded
          """)
  void programsOfTheCompiledEvaluator(String argument, String program, String got, String verdict) {
    Program parsed =
        Program.of(Parser.parse("HloModule m " + program), Parser.parseLiteral(argument));
    assertThat(verdict(parsed, got, new ToleranceProfile.Compiled())).isEqualTo(verdict);
  }

  /** A loop that ends only with exact numbers: nothing is known of others, after a few seconds. */
  @Test
  void loopThatDoesNotEndWithRoundings() {
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                condition {
                  v = f32[] parameter(0)
                  e = f32[] exponential(v)
                  one = f32[] constant(1)
                  ROOT goes = pred[] compare(e, one), direction=NE
                }
                body {
                  w = f32[] parameter(0)
                  zero = f32[] constant(0)
                  ROOT r = f32[] multiply(w, zero)
                }
                ENTRY e {
                  x = f32[] parameter(0)
                  ROOT loop = f32[] while(x), condition=condition, body=body
                }
                """),
            Literal.of(8f));
    assertThat(verdict(program, "f32[] 3", new ToleranceProfile.Compiled())).isEqualTo("undecided");
  }

  /** A computation that takes the bits of what rounds, and one that takes those of integers. */
  @ParameterizedTest
  @CsvSource({"exponential(x), wrong", "x, wrong"})
  void bitsInCalls(String argument, String verdict) {
    String value = argument.equals("x") ? "" : "  v = f32[] " + argument + "\n";
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                bits {
                  y = f32[] parameter(0)
                  i = u32[] bitcast-convert(y)
                  ROOT f = f32[] bitcast-convert(i)
                }
                ENTRY e {
                  x = f32[] parameter(0)
                %s  c = f32[] call(%s), to_apply=bits
                  ROOT r = f32[] exponential(c)
                }
                """
                    .formatted(value, value.isEmpty() ? "x" : "v")),
            Literal.of(1f));
    assertThat(verdict(program, "f32[] 10", new ToleranceProfile.Compiled())).isEqualTo(verdict);
  }

  /** What is called asynchronously, and arrays of a size known at run time, may round too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        HloModule m
        calls { y = f32[] parameter(0) ROOT l = f32[] exponential(y) }
        ENTRY e {
          x = f32[2] parameter(0)
          s = f32[1] slice(x), slice={[0:1]}
          y = f32[] reshape(s)
          start = ((f32[]), f32[], u32[]) async-start(y), calls=calls
          update = ((f32[]), f32[], u32[]) async-update(start)
          ROOT r = f32[] async-done(update)
        }
        """,
        """
        HloModule m
        max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
        ENTRY e {
          x = f32[2] parameter(0)
          one = s32[] constant(1)
          cut = f32[<=2] set-dimension-size(x, one), dimensions={0}
          l = f32[<=2] exponential(cut)
          ROOT r = f32[] reduce(l, f32[] constant(0)), dimensions={0}, to_apply=max
        }
        """,
        """
        HloModule m
        mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] multiply(a, b) }
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY e {
          x = f32[2] parameter(0)
          one = s32[] constant(1)
          cut = f32[<=2] set-dimension-size(x, one), dimensions={0}
          l = f32[<=2] exponential(cut)
          p = f32[] reduce(l, f32[] constant(1)), dimensions={0}, to_apply=mul
          t = f32[] reduce(l, f32[] constant(0)), dimensions={0}, to_apply=add
          ROOT r = f32[] maximum(p, t)
        }
        """
      })
  void asynchronousAndDynamic(String text) {
    Program program = Program.of(Parser.parse(text), Literal.of(new float[] {1, 2}));
    ToleranceProfile compiled = new ToleranceProfile.Compiled();
    assertThat(verdict(program, "f32[] 2.71828198", compiled)).isEqualTo("rounded");
    assertThat(verdict(program, "f32[] 2.719", compiled)).isEqualTo("wrong");
  }

  /** The variance as the difference of two numbers near a million has an error of up to 1/4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0.1875 | same
          0.25   | rounded
          9      | wrong
          """)
  void varianceOfLargeNumbers(float variance, String verdict) {
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                ENTRY e {
                  x = f32[1,4] parameter(0)
                  one = f32[1] constant({1})
                  n = (f32[1,4], f32[1], f32[1]) batch-norm-training(x, one, one), epsilon=1e-05, feature_index=0
                  ROOT v = f32[1] get-tuple-element(n), index=2
                }
                """),
            Literal.of(new float[][] {{1000, 1000, 1000, 1001}}));
    Literal got = Literal.of(new float[] {variance});
    assertThat(
            Comparison.of(program, got, new ToleranceProfile.Native(), EvaluatorOptions.defaults())
                .verdict()
                .toString())
        .isEqualTo(verdict);
  }

  /** A type that does not have the number of elements has no expansion. */
  @ParameterizedTest
  @ValueSource(strings = {"f8e4m3fn[1,4]", "f8e4m3fn[2,1000]", "f16[1,<=4]"})
  void batchNormsOfOtherTypes(String shape) {
    String type = shape.substring(0, shape.indexOf('['));
    String features = shape.startsWith("f8e4m3fn[2") ? "2" : "1";
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = SHAPE parameter(0)
              one = T[N] parameter(1)
              n = (SHAPE, T[N], T[N]) batch-norm-training(x, one, one), epsilon=0.5, feature_index=0
              ROOT v = T[N] get-tuple-element(n), index=2
            }
            """
                .replace("SHAPE", shape)
                .replace("T[N]", type + "[" + features + "]"));
    Shape.Array data = (Shape.Array) Shape.parse(shape.replace("<=", ""));
    Program program =
        Program.of(
            module, Literal.zeros(data), Literal.zeros(data.withSizes(Dims.of(data.size(0)))));
    Literal got = Literal.full((Shape.Array) Shape.parse(type + "[" + features + "]"), 1);
    assertThat(
            Comparison.of(program, got, new ToleranceProfile.Native(), EvaluatorOptions.defaults())
                .verdict()
                .isGood())
        .isFalse();
  }

  /**
   * A product that overflows need not do so with fused multiply-add, also beside a part that is
   * infinite.
   */
  @Test
  void complexProductsThatOverflow() {
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                ENTRY e {
                  x = c128[2] parameter(0)
                  y = c128[2] parameter(1)
                  ROOT r = c128[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
                }
                """),
            Parser.parseLiteral("c128[2] {(0, inf), (-0.1, -2)}"),
            Parser.parseLiteral("c128[2] {(0, 1e9), (inf, 1.5e308)}"));
    assertThat(verdict(program, "c128[] (-inf, nan)", new ToleranceProfile.Compiled()))
        .isEqualTo("undecided");
  }

  /** Factors that overflow in one order and underflow in another justify any product. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1e30, 1e30, 1e-30, 1e-30 | NaN       | undecided
          1e30, 1e30, 1e-30, 1e-30 | 0         | undecided
          2, 3, 4, 5               | 120.00001 | rounded
          2, 3, 4, 5               | 121       | wrong
          0, 3, 4, 5               | 1         | wrong
          """)
  void products(String factors, float got, String verdict) {
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                c { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] multiply(a, b) }
                ENTRY e {
                  x = f32[4] parameter(0)
                  one = f32[] constant(1)
                  ROOT r = f32[] reduce(x, one), dimensions={0}, to_apply=c
                }
                """),
            Parser.parseLiteral("f32[4] {" + factors + "}"));
    assertThat(
            Comparison.of(
                    program,
                    Literal.of(got),
                    new ToleranceProfile.Native(),
                    EvaluatorOptions.defaults())
                .verdict()
                .toString())
        .isEqualTo(verdict);
  }

  /** A wide matrix has more right singular vectors than singular values. */
  @Test
  void vectorsThatCompleteABasis() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              m = f32[1,2] parameter(0)
              s = (f32[1,2], f32[1], f32[1,1], f32[2,2], s32[]) custom-call(m), custom_call_target="lapack_sgesdd_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 65 : ui8}
              v = f32[1] get-tuple-element(s), index=1
              w = f32[2,2] get-tuple-element(s), index=3
              ROOT r = (f32[1], f32[2,2]) tuple(v, w)
            }
            """);
    Program program = Program.of(module, Literal.of(new float[][] {{2, 0}}));
    Literal result = Parser.parseLiteral("(f32[1], f32[2,2]) ({2}, {{1, 0}, {0, -1}})");
    assertThat(
            Comparison.of(
                    program, result, new ToleranceProfile.Compiled(), EvaluatorOptions.defaults())
                .verdict())
        .isIn(List.of(Verdict.SAME, Verdict.UNSPECIFIED));
    Literal wrong = Parser.parseLiteral("(f32[1], f32[2,2]) ({3}, {{1, 0}, {0, 1}})");
    assertThat(
            Comparison.of(
                    program, wrong, new ToleranceProfile.Compiled(), EvaluatorOptions.defaults())
                .verdict())
        .isEqualTo(Verdict.WRONG);
  }

  /** What is not determined justifies any value: the order of equal keys, signs of vectors. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          (f32[4], s32[4]) sort(k, n), dimensions={0}, is_stable=false, to_apply=c | ({0, 1, 1, 1}, {3, 1, 0, 2}) | unspecified
          (f32[4], s32[4]) sort(k, n), dimensions={0}, is_stable=false, to_apply=c | ({0, 1, 1, 2}, {3, 1, 0, 2}) | wrong
          (f32[4], s32[4]) sort(k, n), dimensions={0}, is_stable=true, to_apply=c | ({0, 1, 1, 1}, {3, 1, 0, 2}) | wrong
          (f32[2,2], f32[2], s32[]) custom-call(m), custom_call_target="lapack_ssyevd_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : ui8, uplo = 76 : ui8} | ({{-1, 0}, {0, 1}}, {1, 2}, 0) | unspecified
          (f32[2,2], f32[2], s32[]) custom-call(m), custom_call_target="lapack_ssyevd_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : ui8, uplo = 76 : ui8} | ({{1, 0}, {0, 1}}, {1, 3}, 0) | wrong
          """)
  void freedom(String root, String got, String verdict) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            c {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              d = s32[] parameter(2)
              e = s32[] parameter(3)
              ROOT r = pred[] compare(a, b), direction=LT
            }
            ENTRY e {
              k = f32[4] parameter(0)
              n = s32[4] iota(), iota_dimension=0
              m = f32[2,2] constant({{1, 0}, {0, 2}})
              ROOT r = %s
            }
            """
                .formatted(root));
    Literal result = Parser.parseLiteral(module.entry().root().shape() + " " + got);
    assertThat(
            Comparison.of(
                    Program.of(module, Literal.of(new float[] {1, 1, 1, 0})),
                    result,
                    new ToleranceProfile.Native(),
                    EvaluatorOptions.defaults())
                .verdict()
                .toString())
        .isEqualTo(verdict);
  }

  @Test
  void anOutputIsDescribed() {
    Output output =
        compared(
                "f32",
                "b = f32[2,2] broadcast(x), dimensions={} ROOT r = f32[2,2] negate(b)",
                "1",
                "{{-1, -1.0000001}, {nan, -inf}}",
                new ToleranceProfile.Compiled())
            .worst()
            .orElseThrow();
    assertThat(output.differing()).isEqualTo(3);
    assertThat(output.maxUlps()).isEqualTo(1 << 30);
    assertThat(output.histogram()).containsExactly(1L, 1L, 1L << 30, 1L);
    assertThat(output.gotPattern()).isEqualTo(new Comparison.Pattern(1, 0, 1));
    assertThat(output.patternDiffers()).isEqualTo(2);
    assertThat(output.first().orElseThrow().toString())
        .isEqualTo(
            "[0, 1] got -1.00000012, want -1, 1 ulp apart; roundings justify no other value");
  }

  /**
   * A program that is refused with other roundings, as its size is computed: arrays that do not
   * depend on it are judged, and the others tell why they are not.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ({1, 2, 3}, {1, 1}) | same |
          ({1, 2, 3}, {1, 1.0000002}) | rounded |
          ({1, 2, 3}, {1, 0}) | wrong | [1] got 0, want 1, 1065353216 ulps apart; roundings justify from 0.999999
          ({1, 9, 3}, {1, 1}) | undecided | [1] got 9, want 2, 17825792 ulps apart; roundings justify any value (with other roundings the program is refused:
          """)
  void whatIsRefusedLeavesOtherArraysDecided(String got, String verdict, @Nullable String element) {
    Program program =
        Program.of(
            Parser.parse(
                """
                HloModule m
                ENTRY e {
                  x = f32[] parameter(0)
                  y = f32[3] parameter(1)
                  e = f32[] exponential(x)
                  one = f32[] constant(1)
                  d = f32[] subtract(e, one)
                  a = f32[] abs(d)
                  c = f32[] ceil(a)
                  n = s32[] convert(c)
                  three = s32[] constant(3)
                  size = s32[] add(n, three)
                  z = f32[<=3] set-dimension-size(y, size), dimensions={0}
                  b = f32[2] broadcast(x), dimensions={}
                  f = f32[2] exponential(b)
                  ROOT r = (f32[<=3], f32[2]) tuple(z, f)
                }
                """),
            Literal.of(0f),
            Literal.of(new float[] {1, 2, 3}));
    Literal want = program.run(Interpreter::reference, EvaluatorOptions.defaults());
    Comparison comparison =
        Comparison.judge(program, want, new ToleranceProfile.Native(), EvaluatorOptions.defaults())
            .apply(Parser.parseLiteral(want.shape() + " " + got));
    assertThat(comparison.verdict().toString()).isEqualTo(verdict);
    if (element != null) {
      assertThat(comparison.worst().orElseThrow().first().orElseThrow().toString())
          .startsWith(element);
    }
  }

  /**
   * What runs again is what the arrays that differ depend on, and only while it may change them:
   * the result under test, its verdict, how often there are runs, and how often they compute the
   * exponential.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ({2}, {7.389056}, {8}, {0.90929741}) | same    | 0 | 0
          ({3}, {7.389056}, {8}, {0.90929741}) | wrong   | 2 | 0
          ({2}, {7.389056}, {9}, {0.90929741}) | wrong   | 4 | 0
          ({2}, {7.389056}, {8}, {0.9092975})  | rounded | 2 | 0
          ({2}, {7.389057}, {9}, {0.90929741}) | wrong   | 6 | 2
          ({3}, {7.389057}, {8}, {0.9092975})  | wrong   | 4 | 2
          ({2}, {8}, {8}, {0.9092975})         | wrong   | 6 | 6
          """)
  void whatDiffersRunsAgain(String got, String verdict, int runs, int exponentials) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[1] parameter(0)
              e = f32[1] exponential(x)
              i = s32[1] convert(x)
              n = s32[1] constant({4})
              p = s32[1] multiply(i, n)
              s = f32[1] sine(x)
              ROOT t = (f32[1], f32[1], s32[1], f32[1]) tuple(x, e, p, s)
            }
            """);
    Literal argument = Literal.of(new float[] {2});
    AtomicInteger all = new AtomicInteger();
    AtomicInteger withExponential = new AtomicInteger();
    Comparison.Reference reference =
        (form, options) ->
            () -> {
              all.incrementAndGet();
              withExponential.addAndGet(
                  form.instructions().anyMatch(each -> each.op().opcode().equals("exponential"))
                      ? 1
                      : 0);
              return Interpreter.reference(options).run(form, argument);
            };
    Literal want = Interpreter.reference().run(module, argument);
    Comparison comparison =
        Comparison.judge(
                module, want, new ToleranceProfile.Native(), EvaluatorOptions.defaults(), reference)
            .apply(Parser.parseLiteral(want.shape() + " " + got));
    assertThat(List.of(comparison.verdict().toString(), all.get(), withExponential.get()))
        .containsExactly(verdict, runs, exponentials)
        .inOrder();
  }

  /** The program runs again for a reason only when somebody asks for it, and once. */
  @Test
  void reasonsAreFoundWhenAsked() {
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { x = f32[1] parameter(0) a = f32[1] tanh(x) b = f32[1] sine(a)"
                + " ROOT r = f32[1] cosine(b) }");
    Literal argument = Literal.of(new float[] {1});
    AtomicInteger runs = new AtomicInteger();
    Comparison.Reference reference =
        (form, options) ->
            () -> {
              runs.incrementAndGet();
              return Interpreter.reference(options).run(form, argument);
            };
    Comparison comparison =
        Comparison.judge(
                module,
                Interpreter.reference().run(module, argument),
                new ToleranceProfile.Native(),
                EvaluatorOptions.defaults(),
                reference)
            .apply(Literal.of(new float[] {2}));
    int before = runs.get();
    Interval interval = comparison.outputs().get(0).first().orElseThrow().interval();
    assertThat(comparison.verdict()).isEqualTo(Verdict.WRONG);
    assertThat(runs.get()).isEqualTo(before);
    assertThat(interval.reason()).isEqualTo("a: 5 ulps");
    int asked = runs.get();
    assertThat(asked).isGreaterThan(before);
    assertThat(interval.toString()).contains(interval.reason());
    assertThat(runs.get()).isEqualTo(asked);
  }

  /** What a select calls, or reads of the bits of its type, is computed in the types it has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          s = ((f32[]), f32[], u32[]) async-start(a), calls=same d = f32[] async-done(s) ROOT r = pred[] compare(d, b), direction=GE
          n = f32[] call(a), to_apply=same ROOT r = pred[] compare(n, b), direction=GE
          m = s32[] bitcast-convert(a) n = s32[] bitcast-convert(b) ROOT r = pred[] compare(m, n), direction=GE
          """)
  void selectsKeepTheirTypes(String select) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            same { p = f32[] parameter(0) ROOT r = f32[] copy(p) }
            select { a = f32[] parameter(0) b = f32[] parameter(1) %s }
            add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }
            ENTRY e {
              x = f32[3] parameter(0)
              o = f32[2] constant({0.1, 0.7})
              z = f32[] constant(0)
              ROOT r = f32[3] select-and-scatter(x, o, z), window={size=2}, select=select, scatter=add
            }
            """
                .formatted(select));
    Program program = Program.of(module, Literal.of(new float[] {1, 3, 2}));
    ToleranceProfile profile = new ToleranceProfile.Native();
    assertThat(verdict(program, "f32[3] {0, 0.8, 0}", profile)).isEqualTo("same");
    assertThat(verdict(program, "f32[3] {0, 0.81, 0}", profile)).isEqualTo("wrong");
  }
}
