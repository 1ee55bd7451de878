package org.hlo4j.interpreter.compiled.whileloop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Loops over whole small arrays, as {@link LoopRows}. */
final class SmallArraysTest {
  private static final String ROWS =
      """
      element by element, and a scalar for all
      s32[3] constant({1, 2, 3})
      s32[3] constant({10, 20, 30})
        p = pred[] compare(i, two), direction=LT
        sum = s32[3] add(a, b)
        next_a = s32[3] select(p, sum, a)
        x = s32[3] multiply(b, b)
        next_b = s32[3] clamp(zero, x, two)
      -> s32[3] {13, 24, 35}, s32[3] {2, 2, 2}

      both change their places
      f32[2,2] constant({{1, 2}, {3, 4}})
      f32[2,2] constant({{5, 6}, {7, 8}})
        next_a = f32[2,2] transpose(b), dimensions={1,0}
        next_b = f32[2,2] add(a, b)
      -> f32[2,2] { { 17, 24 }, { 25, 32 } }, f32[2,2] { { 28, 41 }, { 39, 52 } }

      one array twice
      s32[2] constant({1, 2})
      s32[2] constant({3, 4})
        sum = s32[2] add(a, b)
        next_a = s32[2] negate(sum)
        next_b = s32[2] negate(sum)
      -> s32[2] {32, 48}, s32[2] {32, 48}

      a broadcast along either dimension
      s32[2] constant({1, 2})
      s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
        x = s32[2,3] broadcast(a), dimensions={0}
        y = s32[2,3] broadcast(i), dimensions={}
        z = s32[2,3] add(x, y)
        next_b = s32[2,3] maximum(b, z)
        next_a = s32[2] add(a, a)
      -> s32[2] {16, 32}, s32[2,3] { { 11, 11, 11 }, { 19, 19, 19 } }

      the rest and the first
      s32[5] constant({1, 2, 3, 4, 5})
      s32[] constant(0)
        first = s32[1] slice(a), slice={[0:1]}
        rest = s32[4] slice(a), slice={[1:5]}
        next_a = s32[5] concatenate(rest, first), dimensions={0}
      -> s32[5] {5, 1, 2, 3, 4}, s32[] 0

      columns next to each other
      s32[2,2] constant({{1, 2}, {3, 4}})
      s32[2,3] constant({{0, 0, 0}, {0, 0, 0}})
        column = s32[2,1] slice(a), slice={[0:2],[1:2]}
        next_b = s32[2,3] concatenate(column, a), dimensions={1}
        turned = s32[2,2] reverse(a), dimensions={0,1}
        next_a = s32[2,2] add(turned, a)
      -> s32[2,2] { { 40, 40 }, { 40, 40 } }, s32[2,3] { { 20, 20, 20 }, { 20, 20, 20 } }

      padding before and a cut behind
      s32[3] constant({7, 8, 9})
      s32[] constant(0)
        next_a = s32[3] pad(a, i), padding=1_-1
      -> s32[3] {3, 2, 1}, s32[] 0

      padding between, and cuts at both ends
      s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
      s32[3,4] constant({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})
        next_b = s32[3,4] pad(a, i), padding=0_0_1x-1_0_1
        next_a = s32[2,3] add(a, a)
      -> s32[2,3] { { 16, 32, 48 }, { 64, 80, 96 } }, s32[3,4] { { 3, 16, 3, 24 }, { 3, 3, 3, 3 }, { 3, 40, 3, 48 } }

      numbers along a dimension
      s32[2,3] constant({{0, 0, 0}, {0, 0, 0}})
      bf16[3] constant({0, 0, 0})
        rows = s32[2,3] iota(), iota_dimension=0
        columns = s32[2,3] iota(), iota_dimension=1
        ten = s32[2,3] multiply(rows, rows)
        x = s32[2,3] add(ten, columns)
        next_a = s32[2,3] add(a, x)
        y = bf16[3] iota(), iota_dimension=0
        next_b = bf16[3] add(b, y)
      -> s32[2,3] { { 0, 4, 8 }, { 4, 8, 12 } }, bf16[3] {0, 4, 8}

      a row read and a row written
      s32[4,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}})
      s32[4,2] constant({{0, 0}, {0, 0}, {0, 0}, {0, 0}})
        row = s32[1,2] dynamic-slice(a, i, zero), dynamic_slice_sizes={1,2}
        last = s32[] constant(3)
        j = s32[] subtract(last, i)
        next_b = s32[4,2] dynamic-update-slice(b, row, j, zero)
      -> s32[4,2] { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, s32[4,2] { { 7, 8 }, { 5, 6 }, { 3, 4 }, { 1, 2 } }

      a window that would reach beyond
      s32[5] constant({1, 2, 3, 4, 5})
      s32[3] constant({0, 0, 0})
        next_b = s32[3] dynamic-slice(a, i), dynamic_slice_sizes={3}
        x = s32[2] slice(b), slice={[0:2]}
        next_a = s32[5] dynamic-update-slice(a, x, i)
      -> s32[5] {0, 1, 0, 2, 4}, s32[3] {0, 3, 5}

      a part of an array moved within it
      s32[5] constant({1, 2, 3, 4, 5})
      s32[] constant(0)
        part = s32[4] slice(a), slice={[0:4]}
        next_a = s32[5] dynamic-update-slice(a, part, one)
      -> s32[5] {1, 1, 1, 1, 1}, s32[] 0

      what is read before it is overwritten
      s32[4] constant({1, 2, 3, 4})
      s32[4] constant({0, 0, 0, 0})
        twice = s32[4] add(a, a)
        v = s32[1] reshape(i)
        next_a = s32[4] dynamic-update-slice(a, v, i)
        next_b = s32[4] add(twice, b)
      -> s32[4] {0, 1, 2, 3}, s32[4] {2, 12, 22, 32}

      rows by number
      s32[3] constant({2, 0, 9})
      s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
        next_b = s32[3,2] gather(b, a), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
      -> s32[3] {2, 0, 9}, s32[3,2] { { 5, 6 }, { 5, 6 }, { 5, 6 } }

      windows by vectors of numbers
      u32[2,2] constant({{0, 1}, {4000000000, 0}})
      s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
        x = s32[2,1,2] gather(b, a), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,2}
        y = s32[2,2] reshape(x)
        column = s32[2,1] slice(y), slice={[0:2],[1:2]}
        next_b = s32[2,3] concatenate(y, column), dimensions={1}
      -> u32[2,2] { { 0, 1 }, { 4000000000, 0 } }, s32[2,3] { { 3, 3, 3 }, { 4, 5, 5 } }

      an element of each row
      s32[3] constant({1, 0, 1})
      s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
        x = s32[3] gather(b, a), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
        y = s32[3,2] broadcast(x), dimensions={0}
        next_b = s32[3,2] add(b, y)
      -> s32[3] {1, 0, 1}, s32[3,2] { { 31, 32 }, { 48, 49 }, { 95, 96 } }

      sums along either dimension
      add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
      f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
      f32[3] constant({0, 0, 0})
        none = f32[] constant(0.5)
        rows = f32[2] reduce(a, none), dimensions={1}, to_apply=add
        next_b = f32[3] reduce(a, none), dimensions={0}, to_apply=add
        x = f32[2,3] broadcast(rows), dimensions={0}
        next_a = f32[2,3] subtract(x, a)
      -> f32[2,3] { { 38.5, 39.5, 40.5 }, { 86.5, 87.5, 88.5 } }, f32[3] {65.5, 63.5, 61.5}

      the place of the greatest
      greater {
        x = s32[] parameter(0)
        k = s32[] parameter(1)
        y = s32[] parameter(2)
        l = s32[] parameter(3)
        p = pred[] compare(x, y), direction=GE
        m = s32[] select(p, x, y)
        n = s32[] select(p, k, l)
        ROOT r = (s32[], s32[]) tuple(m, n)
      }
      s32[2,3] constant({{3, 9, 9}, {-1, -5, -2}})
      s32[2] constant({0, 0})
        least = s32[] constant(-100)
        k = s32[2,3] iota(), iota_dimension=1
        pair = (s32[2], s32[2]) reduce(a, k, least, zero), dimensions={1}, to_apply=greater
        next_b = s32[2] get-tuple-element(pair), index=1
        m = s32[2] get-tuple-element(pair), index=0
        x = s32[2,3] broadcast(m), dimensions={0}
        y = s32[2,3] subtract(x, a)
        next_a = s32[2,3] multiply(y, k)
      -> s32[2,3] { { 0, 0, 0 }, { 0, 0, 8 } }, s32[2] {0, 1}

      a sum of all
      add { x = s32[] parameter(0) y = s32[] parameter(1) ROOT z = s32[] add(x, y) }
      s32[2,2] constant({{1, 2}, {3, 4}})
      s32[] constant(0)
        next_b = s32[] reduce(a, zero), dimensions={0,1}, to_apply=add
        x = s32[2,2] broadcast(next_b), dimensions={}
        next_a = s32[2,2] subtract(x, a)
      -> s32[2,2] { { 201, 202 }, { 203, 204 } }, s32[] 270

      matrices
      f32[2,2] constant({{1, 2}, {3, 4}})
      f32[2,2] constant({{0, 1}, {1, 0}})
        next_a = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        next_b = f32[2,2] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}
      -> f32[2,2] { { 100016, 62000 }, { 242000, 150016 } }, f32[2,2] { { 150016, 62000 }, { 242000, 100016 } }

      a vector times a matrix, of long integers
      s64[3] constant({1, 2, 3})
      s64[3,3] constant({{1, 0, 2}, {0, 1, 0}, {5, 0, 1}})
        next_a = s64[3] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      -> s64[3] {821, 2, 571}, s64[3,3] { { 1, 0, 2 }, { 0, 1, 0 }, { 5, 0, 1 } }

      a matrix of long rows
      s32[2] constant({1, 2})
      s32[2,9] constant({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1}})
        x = s32[9] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        next_a = s32[2] slice(x), slice={[0:9:8]}
      -> s32[2] {12952, 17048}, s32[2,9] { { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, { 9, 8, 7, 6, 5, 4, 3, 2, 1 } }

      batches of narrow floats, rounded once
      bf16[2] constant({0, 0})
      bf16[2,2] constant({{1, 2}, {3, 4}})
        c = bf16[2,2] constant({{256, 1}, {1, 256}})
        next_a = bf16[2] dot(b, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
      -> bf16[2] {258, 1024}, bf16[2,2] { { 1, 2 }, { 3, 4 } }

      arrays that come out of branches
      up {
        x = s32[3] parameter(0)
        ROOT y = s32[3] add(x, x)
      }
      turned {
        x = s32[3] parameter(0)
        ROOT y = s32[3] reverse(x), dimensions={0}
      }
      s32[3] constant({1, 2, 3})
      s32[] constant(0)
        odd = s32[] remainder(i, two)
        next_a = s32[3] conditional(odd, a, a), branch_computations={up, turned}
      -> s32[3] {4, 8, 12}, s32[] 0

      one array that is both results of a branch
      squares {
        x = s32[2,2] parameter(0)
        y = s32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        ROOT r = (s32[2,2], s32[2,2]) tuple(y, y)
      }
      others {
        x = s32[2,2] parameter(0)
        n = s32[2,2] negate(x)
        t = s32[2,2] transpose(x), dimensions={1,0}
        ROOT r = (s32[2,2], s32[2,2]) tuple(n, t)
      }
      s32[2,2] constant({{1, 1}, {0, 1}})
      s32[2,2] constant({{0, 0}, {0, 0}})
        odd = s32[] remainder(i, two)
        both = (s32[2,2], s32[2,2]) conditional(odd, a, a), branch_computations={squares, others}
        next_a = s32[2,2] get-tuple-element(both), index=0
        next_b = s32[2,2] get-tuple-element(both), index=1
      -> s32[2,2] { { -1, -4 }, { 0, -1 } }, s32[2,2] { { 1, 0 }, { 4, 1 } }

      a branch that overwrites what is still to be read
      put {
        p = (s32[3], s32[]) parameter(0)
        x = s32[3] get-tuple-element(p), index=0
        i = s32[] get-tuple-element(p), index=1
        v = s32[1] reshape(i)
        ROOT y = s32[3] dynamic-update-slice(x, v, i)
      }
      leave {
        p = (s32[3], s32[]) parameter(0)
        ROOT x = s32[3] get-tuple-element(p), index=0
      }
      s32[3] constant({7, 8, 9})
      s32[3] constant({0, 0, 0})
        twice = s32[3] add(a, a)
        odd = s32[] remainder(i, two)
        t = (s32[3], s32[]) tuple(a, i)
        next_a = s32[3] conditional(odd, t, t), branch_computations={leave, put}
        next_b = s32[3] add(b, twice)
      -> s32[3] {7, 1, 3}, s32[3] {56, 36, 72}

      a loop within over another array
      below {
        s = (s32[], s32[3]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        n = s32[] constant(2)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      double {
        s = (s32[], s32[3]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        x = s32[3] get-tuple-element(s), index=1
        one = s32[] constant(1)
        k = s32[] add(j, one)
        y = s32[3] add(x, x)
        ROOT r = (s32[], s32[3]) tuple(k, y)
      }
      s32[3] constant({1, 2, 3})
      s32[3] constant({0, 0, 0})
        t = (s32[], s32[3]) tuple(zero, a)
        w = (s32[], s32[3]) while(t), condition=below, body=double
        x = s32[3] get-tuple-element(w), index=1
        next_a = s32[3] subtract(x, a)
        next_b = s32[3] add(x, b)
      -> s32[3] {81, 162, 243}, s32[3] {160, 320, 480}

      types that are converted
      u8[3] constant({1, 200, 255})
      f32[3] constant({0.5, 1.5, -2.5})
        x = f32[3] convert(a)
        next_b = f32[3] add(b, x)
        y = s8[3] bitcast-convert(a)
        z = s8[3] negate(y)
        next_a = u8[3] bitcast-convert(z)
      -> u8[3] {1, 200, 255}, f32[3] {512.5, 513.5, 509.5}

      a reshape in between
      s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
      s32[] constant(0)
        x = s32[2,3] add(a, a)
        y = s32[3,2] reshape(x)
        next_a = s32[2,3] transpose(y), dimensions={1,0}
      -> s32[2,3] { { 16, 32, 48 }, { 64, 80, 96 } }, s32[] 0

      by 1 calls: a function that takes long, of a vector and what is left
      f32[18] constant({0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000})
      f32[18] constant({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
        x = f32[18] logistic(a)
        next_b = f32[18] add(b, x)
      -> f32[18] {0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000, 0, 1000, -1000}, f32[18] {3, 5, 1, 3, 5, 1, 3, 5, 1, 3, 5, 1, 3, 5, 1, 3, 5, 1}

      by 1 calls: a fusion of two results, with a scalar, of a row at a place that is computed
      fused {
        x = f32[4,16] parameter(0)
        j = s32[] parameter(1)
        k = f32[] parameter(2)
        zero = s32[] constant(0)
        row = f32[1,16] dynamic-slice(x, j, zero), dynamic_slice_sizes={1,16}
        t = f32[1,16] tanh(row)
        ks = f32[1,16] broadcast(k), dimensions={}
        y = f32[1,16] add(t, ks)
        flat = f32[16] reshape(y)
        n = f32[16] negate(flat)
        ROOT r = (f32[16], f32[16]) tuple(flat, n)
      }
      f32[4,16] constant({{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {-99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99}})
      f32[16] constant({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
        k = f32[] convert(i)
        f = (f32[16], f32[16]) fusion(a, i, k), kind=kLoop, calls=fused
        y = f32[16] get-tuple-element(f), index=0
        n = f32[16] get-tuple-element(f), index=1
        m = f32[16] multiply(n, y)
        next_b = f32[16] subtract(y, m)
      -> f32[4,16] { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { -99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99, -99, 99 } }, f32[16] {6, 20, 6, 20, 6, 20, 6, 20, 6, 20, 6, 20, 6, 20, 6, 20}

      by 1 calls: a product of a vector and a matrix
      f32[8] constant({0, 0, 0, 0, 0, 0, 0, 0})
      f32[8] constant({1, 1, 1, 1, 1, 1, 1, 1})
        numbers = f32[64,8] iota(), iota_dimension=1
        halves = f32[8,8] broadcast(b), dimensions={0}
        long = f32[64] reshape(halves)
        next_a = f32[8] dot(long, numbers), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        ones = f32[8] divide(b, b)
        next_b = f32[8] add(b, ones)
      -> f32[8] {0, 256, 512, 768, 1024, 1280, 1536, 1792}, f32[8] {5, 5, 5, 5, 5, 5, 5, 5}

      too much for single elements
      s32[5000] constant({...})
      s32[] constant(0)
        next_a = s32[5000] add(a, a)
      -> refused

      what has no code
      f32[2,2] constant({{4, 0}, {0, 9}})
      f32[] constant(0)
        next_a = f32[2,2] cholesky(a), lower=true
      -> refused
      """;

  @TestFactory
  Stream<DynamicTest> rows() {
    return LoopRows.of(ROWS);
  }
}
