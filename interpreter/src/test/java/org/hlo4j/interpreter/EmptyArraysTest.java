package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays without elements whose other sizes are beyond int: {@code N} is 2^33, {@code L} is 2^61,
 * and the product of both is beyond long.
 */
final class EmptyArraysTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
      ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
      ge2 {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        c = f32[] parameter(2)
        d = f32[] parameter(3)
        ROOT r = pred[] compare(a, b), direction=GE
      }
      neg { a = f32[] parameter(0) ROOT r = f32[] negate(a) }
      step {
        a = f32[0] parameter(0)
        b = f32[0] parameter(1)
        s = f32[0] add(a, b)
        ROOT r = (f32[0], f32[0]) tuple(s, s)
      }
      """;

  /** Columns: shapes of the parameters x, y and z, the instruction, its value for zeros. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[N,0,L] | f32[] | s64[] | f32[L,0,N] transpose(x), dimensions={2,1,0} | empty
          f32[N,0] | f32[] | s64[] | f32[5,0] slice(x), slice={[8589934587:8589934592],[0:0]} | empty
          f32[N,0,L] | f32[] | s64[] | f32[N,0,L] reverse(x), dimensions={0,1,2} | empty
          f32[N,0] | f32[3,0] | s64[] | f32[8589934595,0] concatenate(x, y), dimensions={0} | empty
          f32[N,0] | f32[N,0] | s64[] | f32[N,0] concatenate(x, y), dimensions={1} | empty
          f32[N,0] | f32[] | s64[] | f32[8589934601,0] pad(x, y), padding=4_5x0_0 | empty
          f32[N,0] | f32[] | s64[] | f32[3,4] pad(x, y), padding=-8589934589_0x1_3 | {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
          f32[2,0] | f32[] | s64[] | f32[L,0] pad(x, y), padding=0_0_2305843009213693950x0_0 | empty
          f32[N,0] | f32[] | s64[] | f32[N,0] dynamic-slice(x, z, z), dynamic_slice_sizes={8589934592,0} | empty
          f32[N,0] | f32[] | s64[] | f32[2,0] dynamic-slice(x, z, z), dynamic_slice_sizes={2,0} | empty
          f32[N,0] | f32[L,0] | s64[] | f32[N,0] dynamic-update-slice(x, x, z, z) | empty
          f32[N,3,0] | f32[N,0,0] | s64[] | f32[N,3,0] dynamic-update-slice(x, y, z, z, z) | empty
          f32[3] | f32[0] | s64[] | f32[3] dynamic-update-slice(x, y, z) | {0, 0, 0}
          f32[N,0] | f32[] | s64[] | f32[] reduce(x, y), dimensions={0,1}, to_apply=add | 0
          f32[N,0,L] | f32[] | s64[] | f32[0,L] reduce(x, y), dimensions={0}, to_apply=add | empty
          f32[2,L,0,L] | f32[] | s64[] | f32[2] reduce(x, y), dimensions={1,2,3}, to_apply=add | {0, 0}
          f32[N,0,2] | f32[] | s64[] | f32[2] reduce(x, y), dimensions={0,1}, to_apply=add | {0, 0}
          f32[N,0] | f32[] | s64[] | f32[N,0] reduce-window(x, y), window={size=1x1}, to_apply=add | empty
          f32[N,0] | f32[] | s64[] | f32[1,0] reduce-window(x, y), window={size=8589934592x1}, to_apply=add | empty
          f32[N,0] | f32[] | s64[] | f32[N,0] reduce-window(x, y), window={size=8589934592x1 pad=8589934591_0x0_0}, to_apply=add | empty
          f32[N,0] | f32[] | s64[] | f32[2,1] reduce-window(x, y), window={size=3x2 stride=8589934589x1 pad=0_0x1_1}, to_apply=add | {{0}, {0}}
          f32[N,0] | f32[N,0] | f32[] | f32[N,0] select-and-scatter(x, y, z), window={size=1x1}, select=ge, scatter=add | empty
          f32[L,0] | f32[1,0] | f32[] | f32[L,0] select-and-scatter(x, y, z), window={size=2305843009213693952x1}, select=ge, scatter=add | empty
          f32[N,0,0] | f32[] | s64[] | f32[N,0,0] cholesky(x), lower=true | empty
          f32[0,N,N] | f32[] | s64[] | f32[0,N,N] cholesky(x), lower=true | empty
          f32[0,N,N] | f32[0,N,2] | s64[] | f32[0,N,2] triangular-solve(x, y), left_side=true, lower=true, transpose_a=NO_TRANSPOSE | empty
          f32[N,0,0] | f32[N,0,L] | s64[] | f32[N,0,L] triangular-solve(x, y), left_side=true, lower=true, transpose_a=NO_TRANSPOSE | empty
          f32[N,0] | f32[] | s64[] | f32[N,0] sort(x), dimensions={0}, to_apply=ge | empty
          f32[N,0] | f32[] | s64[] | f32[N,0] sort(x), dimensions={1}, to_apply=ge | empty
          f32[N,0] | f32[N,0] | s64[] | (f32[N,0], f32[N,0]) sort(x, y), dimensions={0}, to_apply=ge2 | empty
          f32[0,N] | f32[] | s64[] | (f32[0,3], s32[0,3]) topk(x), k=3, largest=true | empty
          f32[0,N] | f32[] | s64[] | (f32[0,N], s32[0,N]) topk(x), k=8589934592, largest=true | empty
          f32[N,0] | f32[] | s64[] | (f32[N,0], s32[N,0]) topk(x), k=0, largest=true | empty
          f32[N,5,0] | s32[2,1] | s64[] | f32[2,5,0] gather(x, y), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,5,0} | empty
          f32[N,0] | s64[N,0] | s64[] | f32[N,0,0] gather(x, y), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={}, index_vector_dim=1, slice_sizes={0,0} | empty
          f32[N,0] | s64[N,0] | f32[N,0,0] | f32[N,0] scatter(x, y, z), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=1, to_apply=add | empty
          f32[5] | s64[N,0] | f32[N,0] | f32[5] scatter(x, y, z), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=1, to_apply=add | {0, 0, 0, 0, 0}
          f32[0,N] | f32[N,0] | s64[] | f32[0,0] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | empty
          f32[N,0,2] | f32[N,0,3] | s64[] | f32[2,3] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1} | {{0, 0, 0}, {0, 0, 0}}
          c64[0,N] | c64[N,0] | s64[] | c64[0,0] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | empty
          s64[N,0,2] | s64[N,0,3] | s64[] | s64[2,3] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1} | {{0, 0, 0}, {0, 0, 0}}
          f32[0,N,4] | f32[2,4,3] | s64[] | f32[0,8589934591,3] convolution(x, y), window={size=2}, dim_labels=b0f_0io->b0f | empty
          f32[0,N,4] | f32[N,4,0] | s64[] | f32[0,1,0] convolution(x, y), window={size=8589934592}, dim_labels=b0f_0io->b0f | empty
          f32[2,N,0] | f32[N,0,3] | s64[] | f32[2,1,3] convolution(x, y), window={size=8589934592}, dim_labels=b0f_0io->b0f | {{{0, 0, 0}}, {{0, 0, 0}}}
          f32[0,N,4] | f32[2,1,4] | s64[] | f32[0,8589934591,4] convolution(x, y), window={size=2}, dim_labels=b0f_0io->b0f, feature_group_count=4 | empty
          c64[0,N] | f32[] | s64[] | c64[0,N] fft(x), fft_type=FFT, fft_length={8589934592} | empty
          c64[N,0,4] | f32[] | s64[] | c64[N,0,4] fft(x), fft_type=IFFT, fft_length={4} | empty
          f32[0,N] | f32[] | s64[] | c64[0,4294967297] fft(x), fft_type=RFFT, fft_length={8589934592} | empty
          c64[0,4294967297] | f32[] | s64[] | f32[0,N] fft(x), fft_type=IRFFT, fft_length={8589934592} | empty
          f32[N,0] | f32[0] | f32[0] | (f32[N,0], f32[0], f32[0]) batch-norm-training(x, y, z), epsilon=0.1, feature_index=1 | empty
          f32[0,N,2] | f32[2] | f32[2] | (f32[0,N,2], f32[2], f32[2]) batch-norm-training(x, y, z), epsilon=0.1, feature_index=2 | ({}, {nan, nan}, {nan, nan})
          f32[N,0] | f32[0] | f32[0] | f32[N,0] batch-norm-inference(x, y, z, y, z), epsilon=0.1, feature_index=1 | empty
          f32[N,0] | f32[0] | f32[0] | (f32[N,0], f32[0], f32[0]) batch-norm-grad(x, y, y, z, x), epsilon=0.1, feature_index=1 | empty
          f32[0,N,2] | f32[2] | f32[2] | (f32[0,N,2], f32[2], f32[2]) batch-norm-grad(x, y, y, z, x), epsilon=0.1, feature_index=2 | ({}, {0, 0}, {0, 0})
          f32[] | f32[] | f32[] | s32[N,0,L] iota(), iota_dimension=0 | empty
          f32[] | f32[] | f32[] | f32[L,0] iota(), iota_dimension=1 | empty
          f32[] | f32[] | f32[] | f32[N,0,L] broadcast(x), dimensions={} | empty
          f32[N,0] | f32[] | f32[] | f32[3,N,0] broadcast(x), dimensions={1,2} | empty
          f32[N,0] | f32[] | f32[] | f32[0,L] reshape(x) | empty
          f32[N,0] | f32[] | f32[] | f32[0,L] bitcast(x) | empty
          f32[N,0] | f32[] | f32[] | f16[N,0,2] bitcast-convert(x) | empty
          f32[N,0] | f32[N,0] | f32[] | f32[N,0] add(x, y) | empty
          f32[N,0] | f32[N,0] | pred[N,0] | f32[N,0] select(z, x, y) | empty
          f32[N,0] | f32[N,0] | f32[] | f32[N,0] clamp(z, x, z) | empty
          f32[N,0] | f32[N,0] | f32[] | pred[N,0] compare(x, y), direction=LT | empty
          f32[N,0] | f32[] | f32[] | s32[N,0] convert(x) | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] reduce-precision(x), exponent_bits=5, mantissa_bits=10 | empty
          f32[N,0] | u32[N,0] | f32[] | bf16[N,0] stochastic-convert(x, y) | empty
          f32[N,0] | f32[N,0] | f32[] | c64[N,0] complex(x, y) | empty
          c64[N,0] | c64[N,0] | f32[] | c64[N,0] multiply(x, y) | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] map(x), dimensions={0,1}, to_apply=neg | empty
          u64[2] | f32[] | f32[] | (u64[2], u32[N,0]) rng-bit-generator(x), algorithm=rng_three_fry | empty
          u64[3] | f32[] | f32[] | (u64[3], u64[N,0]) rng-bit-generator(x), algorithm=rng_philox | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] all-reduce(x), replica_groups={}, to_apply=add | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] all-gather(x), replica_groups={}, dimensions={0} | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] collective-permute(x), source_target_pairs={{0,0}} | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] collective-broadcast(x), replica_groups={{0}} | empty
          f32[N,0] | f32[] | f32[] | f32[N,0] copy(x) | empty
          f32[0,2] | f32[3,2,0] | s64[3] | f32[0,0] ragged-dot(x, y, z), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0} | empty
          f32[N,0] | f32[0] | f32[] | (f32[N,0], f32[0]) scan(x, y), dimensions={0}, num_carries=1, to_apply=step | empty
          f32[0,N] | f32[0] | f32[] | (f32[0,N], f32[0]) scan(x, y), dimensions={1}, num_carries=1, to_apply=step | empty
          f32[0,N,N] | f32[] | s64[] | (f32[0,N,N], s32[0,N], s32[0]) custom-call(x), custom_call_target="lapack_sgetrf_ffi" | empty
          f32[0,N,N] | f32[] | s64[] | (f32[0,N,N], f32[0,N]) custom-call(x), custom_call_target="lapack_sgeqrf_ffi" | empty
          f32[0,N,N] | f32[0,N,2] | s64[] | f32[0,N,2] custom-call(x, y), custom_call_target="lapack_strsm_ffi", backend_config="{side = 76 : ui8, uplo = 76 : ui8, diag = 78 : ui8, trans_x = 78 : ui8}" | empty
          f32[0,N,N] | f32[] | s64[] | (f32[0,N,N], f32[0,N]) custom-call(x), custom_call_target="Qr" | empty
          f32[0,N,N] | f32[] | s64[] | (f32[0,N,N], s32[0,N], s32[0,N]) custom-call(x), custom_call_target="LuDecomposition" | empty
          f32[0,N] | f32[] | s64[] | (f32[0,3], s32[0,3]) custom-call(x), custom_call_target="TopK" | empty
          """)
  void areComputed(String x, String y, String z, String instruction, String value) {
    String given =
        String.format("x = %s parameter(0)\n y = %s parameter(1)\n z = %s parameter(2)\n", x, y, z);
    HloModule alone = module("ENTRY e {\n" + given + "ROOT r = " + instruction + "\n}");
    Shape shape = alone.entry().root().shape();
    Literal want = value.equals("empty") ? zeros(shape) : literal(shape, value);
    for (Evaluator evaluator : List.of(Interpreter.reference(), Interpreter.compiled())) {
      assertWithMessage("%s by %s", instruction, evaluator.getClass().getSimpleName())
          .that(evaluator.run(alone, arguments(alone)))
          .isEqualTo(want);
      HloModule loop = loop(given, x, y, z, shape, instruction);
      assertWithMessage("%s in a loop by %s", instruction, evaluator.getClass().getSimpleName())
          .that(evaluator.run(loop, arguments(loop)).element(4))
          .isEqualTo(want);
    }
  }

  /** Columns: the result and the target of a call on an empty batch of large matrices. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          (f32[0,N,N], s32[0])                                     | lapack_spotrf_ffi
          (f32[0,N,N], f32[0,N], s32[0])                           | lapack_ssyevd_ffi
          (f32[0,N,N], f32[0,N])                                   | Eigh
          """)
  void refusesLargerMatricesThanJavaHolds(String result, String target) {
    HloModule module =
        module(
            "ENTRY e {\n x = f32[0,N,N] parameter(0)\n ROOT r = %s custom-call(x), custom_call_target=%s\n}"
                .formatted(result, '"' + target + '"'));
    for (Evaluator evaluator : List.of(Interpreter.reference(), Interpreter.compiled())) {
      HloException refusal =
          assertThrows(HloException.class, () -> evaluator.run(module, arguments(module)));
      assertThat(refusal)
          .hasMessageThat()
          .startsWith(
              "custom-call: matrices got f32[0,8589934592,8589934592], want at most 2147483647 rows"
                  + " and columns");
    }
  }

  private static HloModule module(String text) {
    String sizes =
        text.replaceAll("\\bN\\b", "8589934592").replaceAll("\\bL\\b", "2305843009213693952");
    return Parser.parse(COMPUTATIONS + sizes);
  }

  /** A loop that computes the instruction three times. */
  private static HloModule loop(
      String given, String x, String y, String z, Shape shape, String instruction) {
    String state = "(s32[], %s, %s, %s, %s)".formatted(x, y, z, shape);
    return module(
        """
        body {
          p = STATE parameter(0)
          i = s32[] get-tuple-element(p), index=0
          one = s32[] constant(1)
          j = s32[] add(i, one)
          x = %s get-tuple-element(p), index=1
          y = %s get-tuple-element(p), index=2
          z = %s get-tuple-element(p), index=3
          r = %s
          ROOT t = STATE tuple(j, x, y, z, r)
        }
        condition {
          p = STATE parameter(0)
          i = s32[] get-tuple-element(p), index=0
          three = s32[] constant(3)
          ROOT less = pred[] compare(i, three), direction=LT
        }
        ENTRY e {
          %s
          r = %s parameter(3)
          i = s32[] constant(0)
          t = STATE tuple(i, x, y, z, r)
          ROOT w = STATE while(t), condition=condition, body=body
        }
        """
            .formatted(x, y, z, instruction, given, shape)
            .replace("STATE", state));
  }

  private static Literal[] arguments(HloModule module) {
    return module.entry().parameters().stream()
        .map(parameter -> zeros(parameter.shape()))
        .toArray(Literal[]::new);
  }

  private static Literal zeros(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? Literal.tuple(
            tuple.elements().stream().map(EmptyArraysTest::zeros).collect(toImmutableList()))
        : Literal.zeros((Shape.Array) shape.withoutLayout());
  }

  private static Literal literal(Shape shape, String text) {
    HloModule constant = module("ENTRY e { ROOT r = " + shape + " constant(" + text + ") }");
    return Interpreter.reference().run(constant);
  }
}
