package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Simplifications as rows of text. Each row has the body of a computation, an arrow, and the body
 * after one pass; the parameters {@code x y i p k} precede each body. A row without an arrow is not
 * simplified.
 */
final class SimplificationTest {
  private static final String PARAMETERS =
      """
      x = f32[2,3] parameter(0)
      y = f32[3] parameter(1)
      i = s32[2,3] parameter(2)
      p = pred[2,3] parameter(3)
      k = s32[] parameter(4)
      """;

  private static final String ROWS =
      """
      transposes cancel
        t = f32[3,2] transpose(x), dimensions={1,0}
        ROOT r = f32[2,3] transpose(t), dimensions={1,0}
      -> ROOT x

      parts of what is put together, if its NaNs are those of an op
        a = f32[3] add(y, y)
        c = c64[3] complex(a, y)
        b = f32[3] real(c)
        ROOT r = f32[3] negate(b)
      -> a = f32[3] add(y, y)
        ROOT r = f32[3] negate(a)

      parts of what is put together from anything
        c = c64[3] complex(y, y)
        ROOT r = f32[3] imag(c)

      transpose to the order it has
        ROOT r = f32[2,3] transpose(x), dimensions={0,1}
      -> ROOT x

      transpose of dimensions of size 1
        a = f32[1,3] reshape(y)
        ROOT r = f32[3,1] transpose(a), dimensions={1,0}
      ->
        ROOT r = f32[3,1] reshape(y)

      transpose of a broadcast
        b = f32[2,3] broadcast(y), dimensions={1}
        ROOT r = f32[3,2] transpose(b), dimensions={1,0}
      ->
        ROOT r = f32[3,2] broadcast(y), dimensions={0}

      transpose of pieces of one
        a = f32[1,3] reshape(y)
        c = f32[2,3] concatenate(a, a), dimensions={0}
        ROOT r = f32[3,2] transpose(c), dimensions={1,0}
      ->
        a = f32[1,3] reshape(y)
        transpose = f32[3,1] transpose(a), dimensions={1,0}
        transpose.1 = f32[3,1] transpose(a), dimensions={1,0}
        ROOT r = f32[3,2] concatenate(transpose, transpose.1), dimensions={1}

      reshapes are one
        a = f32[6] reshape(x)
        ROOT r = f32[3,2] reshape(a)
      ->
        ROOT r = f32[3,2] reshape(x)

      reshape there and back
        a = f32[6] reshape(x)
        ROOT r = f32[2,3] reshape(a)
      -> ROOT x

      broadcasts are one
        a = f32[2,3] broadcast(y), dimensions={1}
        ROOT r = f32[4,2,3] broadcast(a), dimensions={1,2}
      ->
        ROOT r = f32[4,2,3] broadcast(y), dimensions={2}

      broadcast of what a reshape gave dimensions of size 1
        a = f32[1,3] reshape(y)
        ROOT r = f32[4,1,3] broadcast(a), dimensions={1,2}
      ->
        ROOT r = f32[4,1,3] broadcast(y), dimensions={2}

      broadcast that only permutes
        ROOT r = f32[3,2] broadcast(x), dimensions={1,0}
      ->
        ROOT r = f32[3,2] transpose(x), dimensions={1,0}

      broadcast with dimensions out of order
        ROOT r = f32[3,4,2] broadcast(x), dimensions={2,0}
      ->
        transpose = f32[3,2] transpose(x), dimensions={1,0}
        ROOT r = f32[3,4,2] broadcast(transpose), dimensions={0,2}

      slices are one
        a = f32[2,2] slice(x), slice={[0:2], [1:3]}
        ROOT r = f32[1,1] slice(a), slice={[1:2], [1:2]}
      ->
        ROOT r = f32[1,1] slice(x), slice={[1:2], [2:3]}

      broadcast of a reshape that may refuse the size it gets
        d = f32[<=3] parameter(5)
        a = f32[3] reshape(d)
        ROOT r = f32[2,3] broadcast(a), dimensions={1}

      slices with strides are one
        z = f32[20] iota(), iota_dimension=0
        a = f32[7] slice(z), slice={[1:20:3]}
        ROOT r = f32[3] slice(a), slice={[2:7:2]}
      ->
        z = f32[20] iota(), iota_dimension=0
        ROOT r = f32[3] slice(z), slice={[7:20:6]}

      slice of one piece of a concatenation
        a = f32[2,9] concatenate(x, x, x), dimensions={1}
        ROOT r = f32[1,2] slice(a), slice={[1:2], [4:6]}
      ->
        ROOT r = f32[1,2] slice(x), slice={[1:2], [1:3]}

      slice of two pieces of a concatenation
        a = f32[2,9] concatenate(x, x, x), dimensions={1}
        ROOT r = f32[1,2] slice(a), slice={[1:2], [2:4]}

      slice of a broadcast
        a = f32[4,2,3] broadcast(y), dimensions={2}
        ROOT r = f32[1,2,2] slice(a), slice={[3:4], [0:2], [1:3]}
      ->
        slice = f32[2] slice(y), slice={[1:3]}
        ROOT r = f32[1,2,2] broadcast(slice), dimensions={2}

      slice of a broadcast that takes all of what was broadcast
        a = f32[4,3] broadcast(y), dimensions={1}
        ROOT r = f32[2,3] slice(a), slice={[2:4], [0:3]}
      ->
        ROOT r = f32[2,3] broadcast(y), dimensions={1}

      slice of one number
        a = s32[4,2] iota(), iota_dimension=0
        ROOT r = s32[1,2] slice(a), slice={[3:4], [0:2]}
      ->
        constant = s32[] constant(3)
        ROOT r = s32[1,2] broadcast(constant), dimensions={}

      slice of several numbers
        a = s32[4] iota(), iota_dimension=0
        ROOT r = s32[2] slice(a), slice={[2:4]}

      slice of a number that is rounded
        a = bf16[400] iota(), iota_dimension=0
        ROOT r = bf16[1] slice(a), slice={[301:302]}

      slice of everything
        ROOT r = f32[2,3] slice(x), slice={[0:2], [0:3]}
      -> ROOT x

      reverses cancel where they meet
        a = f32[2,3] reverse(x), dimensions={0,1}
        ROOT r = f32[2,3] reverse(a), dimensions={1}
      ->
        ROOT r = f32[2,3] reverse(x), dimensions={0}

      reverse of no dimension
        ROOT r = f32[2,3] reverse(x), dimensions={}
      -> ROOT x

      pad with nothing
        zero = f32[] constant(0)
        ROOT r = f32[2,3] pad(x, zero), padding=0_0x0_0
      -> ROOT x

      concatenation of one
        ROOT r = f32[2,3] concatenate(x), dimensions={0}
      -> ROOT x

      slice of what was padded
        zero = f32[] constant(0)
        a = f32[4,7] pad(x, zero), padding=1_1x2_0_1
        ROOT r = f32[1,2] slice(a), slice={[2:3], [4:7:2]}
      ->
        ROOT r = f32[1,2] slice(x), slice={[1:2], [1:3]}

      slice of the padding
        a = f32[] parameter(5)
        b = f32[2,5] pad(x, a), padding=0_0x2_0
        ROOT r = f32[2,2] slice(b), slice={[0:2], [0:2]}
      ->
        a = f32[] parameter(5)
        ROOT r = f32[2,2] broadcast(a), dimensions={}

      pad that cuts off
        zero = f32[] constant(0)
        ROOT r = f32[1,3] pad(x, zero), padding=-1_0x0_0

      reverse of what was broadcast along it
        a = f32[2,3] broadcast(y), dimensions={1}
        ROOT r = f32[2,3] reverse(a), dimensions={0}
      ->
        ROOT a = f32[2,3] broadcast(y), dimensions={1}

      dynamic slice of a broadcast from constant indices
        a = s32[] constant(7)
        b = s32[] constant(1)
        c = f32[2,3] broadcast(y), dimensions={1}
        ROOT r = f32[2,2] dynamic-slice(c, a, b), dynamic_slice_sizes={2,2}
      ->
        slice = f32[2] slice(y), slice={[1:3]}
        ROOT r = f32[2,2] broadcast(slice), dimensions={1}

      dynamic slice from constant indices
        a = s32[] constant(7)
        b = s32[] constant(1)
        ROOT r = f32[1,2] dynamic-slice(x, a, b), dynamic_slice_sizes={1,2}
      ->
        ROOT r = f32[1,2] slice(x), slice={[1:2], [1:3]}

      dynamic slice from an index that is not known
        a = s32[] constant(7)
        ROOT r = f32[1,2] dynamic-slice(x, a, k), dynamic_slice_sizes={1,2}

      gather by one index vector
        v = s32[1] reshape(k)
        ROOT r = f32[3] gather(x, v), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={1,3}
      ->
        v = s32[1] reshape(k)
        reshape = s32[] reshape(v)
        constant = s32[] constant(0)
        dynamic-slice = f32[1,3] dynamic-slice(x, reshape, constant), dynamic_slice_sizes={1,3}
        ROOT r = f32[3] reshape(dynamic-slice)

      gather by two
        v = s32[2] constant({0, 1})
        ROOT r = f32[2,3] gather(x, v), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}

      twice the negative
        a = f32[2,3] negate(x)
        ROOT r = f32[2,3] negate(a)
      -> ROOT x

      not not
        a = pred[2,3] not(p)
        ROOT r = pred[2,3] not(a)
      -> ROOT p

      absolute of absolute
        a = f32[2,3] abs(x)
        ROOT r = f32[2,3] abs(a)
      ->
        ROOT a = f32[2,3] abs(x)

      times one, of an integer
        one = s32[] constant(1)
        ones = s32[2,3] broadcast(one), dimensions={}
        ROOT r = s32[2,3] multiply(ones, i)
      -> ROOT i

      times zero, of an integer
        zero = s32[] constant(0)
        zeros = s32[2,3] broadcast(zero), dimensions={}
        ROOT r = s32[2,3] multiply(i, zeros)
      ->
        zero = s32[] constant(0)
        ROOT zeros = s32[2,3] broadcast(zero), dimensions={}

      times one, of a float that may be another NaN
        one = f32[] constant(1)
        ones = f32[2,3] broadcast(one), dimensions={}
        ROOT r = f32[2,3] multiply(x, ones)

      times one, of a float that is computed
        one = f32[] constant(1)
        ones = f32[2,3] broadcast(one), dimensions={}
        a = f32[2,3] add(x, x)
        ROOT r = f32[2,3] multiply(a, ones)
      ->
        ROOT a = f32[2,3] add(x, x)

      plus zero makes 0 of -0
        zero = f32[] constant(0)
        zeros = f32[2,3] broadcast(zero), dimensions={}
        a = f32[2,3] add(x, x)
        ROOT r = f32[2,3] add(a, zeros)

      plus negative zero
        zero = f32[] constant(-0)
        zeros = f32[2,3] broadcast(zero), dimensions={}
        a = f32[2,3] add(x, x)
        ROOT r = f32[2,3] add(a, zeros)
      ->
        ROOT a = f32[2,3] add(x, x)

      minus zero
        zero = f32[] constant(0)
        zeros = f32[2,3] broadcast(zero), dimensions={}
        a = f32[2,3] add(x, x)
        ROOT r = f32[2,3] subtract(a, zeros)
      ->
        ROOT a = f32[2,3] add(x, x)

      divided by a power of two
        eight = f32[] constant(8)
        eights = f32[2,3] broadcast(eight), dimensions={}
        ROOT r = f32[2,3] divide(x, eights)
      ->
        constant = f32[] constant(0.125)
        broadcast = f32[2,3] broadcast(constant), dimensions={}
        ROOT r = f32[2,3] multiply(x, broadcast)

      divided by three
        three = f32[] constant(3)
        threes = f32[2,3] broadcast(three), dimensions={}
        ROOT r = f32[2,3] divide(x, threes)

      and with true
        yes = pred[] constant(true)
        all = pred[2,3] broadcast(yes), dimensions={}
        ROOT r = pred[2,3] and(all, p)
      -> ROOT p

      select with a constant
        no = pred[] constant(false)
        all = pred[2,3] broadcast(no), dimensions={}
        a = f32[2,3] negate(x)
        ROOT r = f32[2,3] select(all, x, a)
      ->
        ROOT a = f32[2,3] negate(x)

      select between the same
        ROOT r = f32[2,3] select(p, x, x)
      -> ROOT x

      convert to the type it has, of an integer
        ROOT r = s32[2,3] convert(i)
      -> ROOT i

      convert of a float to its type makes NaNs quiet
        ROOT r = f32[2,3] convert(x)

      elements of a tuple
        t = (f32[2,3], s32[2,3]) tuple(x, i)
        ROOT r = s32[2,3] get-tuple-element(t), index=1
      -> ROOT i

      a constant that is the same everywhere
        ROOT c = f32[2,2] constant({{5, 5}, {5, 5}})
      ->
        constant = f32[] constant(5)
        ROOT c = f32[2,2] broadcast(constant), dimensions={}

      broadcasts of scalars are computed once
        a = f32[] parameter(5)
        b = f32[2,3] broadcast(a), dimensions={}
        ROOT r = f32[2,3] exponential(b)
      ->
        a = f32[] parameter(5)
        exponential = f32[] exponential(a)
        ROOT r = f32[2,3] broadcast(exponential), dimensions={}

      dimensions of size 1 are added at the end
        a = f32[3,1] reshape(y)
        two = f32[] constant(2)
        twos = f32[3,1] broadcast(two), dimensions={}
        ROOT r = f32[3,1] power(a, twos)
      ->
        two = f32[] constant(2)
        broadcast = f32[3] broadcast(two), dimensions={}
        power = f32[3] power(y, broadcast)
        ROOT r = f32[3,1] reshape(power)

      gather from what is converted
        v = s32[4,1] parameter(5)
        z = f16[9,3] parameter(6)
        a = f32[9,3] convert(z)
        ROOT r = f32[4,3] gather(a, v), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
      ->
        v = s32[4,1] parameter(5)
        z = f16[9,3] parameter(6)
        gather = f16[4,3] gather(z, v), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
        ROOT r = f32[4,3] convert(gather)

      gather of as many elements from what is converted
        v = s32[2,1] parameter(5)
        a = f32[2,3] convert(i)
        ROOT r = f32[2,3] gather(a, v), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}

      gather from what others read in whole
        v = s32[1,1] parameter(5)
        a = f32[2,3] convert(i)
        b = f32[1,3] gather(a, v), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
        ROOT r = (f32[2,3], f32[1,3]) tuple(a, b)
      ->
        v = s32[1,1] parameter(5)
        a = f32[2,3] convert(i)
        reshape = s32[] reshape(v)
        constant = s32[] constant(0)
        dynamic-slice = f32[1,3] dynamic-slice(a, reshape, constant), dynamic_slice_sizes={1,3}
        ROOT r = (f32[2,3], f32[1,3]) tuple(a, dynamic-slice)

      broadcast to no elements of what is converted
        a = f32[] convert(k)
        ROOT r = f32[0] broadcast(a), dimensions={}

      dynamic slice of a multiple
        s = f32[] parameter(5)
        z = f32[9,3] parameter(6)
        b = f32[9,3] broadcast(s), dimensions={}
        a = f32[9,3] multiply(b, z)
        ROOT r = f32[1,3] dynamic-slice(a, k, k), dynamic_slice_sizes={1,3}
      ->
        s = f32[] parameter(5)
        z = f32[9,3] parameter(6)
        broadcast = f32[1,3] broadcast(s), dimensions={}
        dynamic-slice = f32[1,3] dynamic-slice(z, k, k), dynamic_slice_sizes={1,3}
        ROOT r = f32[1,3] multiply(broadcast, dynamic-slice)

      slice of the negative, with another user
        a = f32[3] negate(y)
        b = f32[2] slice(a), slice={[1:3]}
        ROOT r = (f32[3], f32[2]) tuple(a, b)
      ->
        a = f32[3] negate(y)
        slice = f32[2] slice(y), slice={[1:3]}
        b = f32[2] negate(slice)
        ROOT r = (f32[3], f32[2]) tuple(a, b)

      slice of a sum of two arrays, and of what takes long
        b = f32[3] exponential(y)
        c = f32[2,3] broadcast(y), dimensions={1}
        d = f32[2,3] add(x, c)
        e = f32[1,3] slice(d), slice={[1:2], [0:3]}
        f = f32[2] slice(b), slice={[1:3]}
        ROOT r = (f32[1,3], f32[2]) tuple(e, f)
      ->
        b = f32[3] exponential(y)
        c = f32[2,3] broadcast(y), dimensions={1}
        d = f32[2,3] add(x, c)
        e = f32[1,3] slice(d), slice={[1:2], [0:3]}
        f = f32[2] slice(b), slice={[1:3]}
        ROOT r = (f32[1,3], f32[2]) tuple(e, f)

      slice of a constant that is converted
        c = s32[3] constant({1, 2, 3})
        a = f32[3] convert(c)
        ROOT r = f32[2] slice(a), slice={[1:3]}

      dot of transposes
        a = f32[3,2] transpose(x), dimensions={1,0}
        b = f32[3,2] transpose(x), dimensions={1,0}
        ROOT r = f32[3,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      ->
        ROOT r = f32[3,3] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}

      dot of a transpose that moves free dimensions
        z = f32[4,5,6] iota(), iota_dimension=0
        v = f32[6] iota(), iota_dimension=0
        a = f32[5,4,6] transpose(z), dimensions={1,0,2}
        ROOT r = f32[5,4] dot(a, v), lhs_contracting_dims={2}, rhs_contracting_dims={0}
      """;

  @Test
  void mapIsInlined() {
    assertThat(
            Rewrites.entry(
                new Simplification(),
                """
                apply {
                  a = f32[] parameter(0)
                  b = f32[] parameter(1)
                  two = f32[] constant(2)
                  twice = f32[] multiply(b, two)
                  ROOT c = f32[] subtract(twice, a)
                }
                """,
                """
                v = f32[3] parameter(0)
                w = f32[3] parameter(1)
                ROOT m = f32[3] map(v, w), dimensions={0}, to_apply=apply
                """))
        .isEqualTo(
            lines(
                """
                v = f32[3] parameter(0)
                w = f32[3] parameter(1)
                constant = f32[] constant(2)
                broadcast = f32[3] broadcast(constant), dimensions={}
                multiply = f32[3] multiply(w, broadcast)
                ROOT subtract = f32[3] subtract(multiply, v)
                """));
  }

  @Test
  void scatterOfOneWindowIsADynamicUpdateSlice() {
    assertThat(
            Rewrites.entry(
                new Simplification(),
                """
                last {
                  a = f32[] parameter(0)
                  ROOT b = f32[] parameter(1)
                }
                """,
                """
                x = f32[7,3,2] parameter(0)
                i = s32[1] parameter(1)
                y = f32[3,2] parameter(2)
                ROOT s = f32[7,3,2] scatter(x, i, y), update_window_dims={0,1}, \
                inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, \
                to_apply=last
                """))
        .isEqualTo(
            lines(
                """
                x = f32[7,3,2] parameter(0)
                i = s32[1] parameter(1)
                y = f32[3,2] parameter(2)
                reshape = s32[] reshape(i)
                constant = s32[] constant(0)
                constant.1 = s32[] constant(0)
                dynamic-slice = f32[1,3,2] dynamic-slice(x, reshape, constant, constant.1), dynamic_slice_sizes={1,3,2}
                reshape.1 = f32[1,3,2] reshape(y)
                constant.2 = s32[] constant(0)
                constant.3 = s32[] constant(6)
                clamp = s32[] clamp(constant.2, reshape, constant.3)
                compare = pred[] compare(reshape, clamp), direction=EQ
                broadcast = pred[1,3,2] broadcast(compare), dimensions={}
                select = f32[1,3,2] select(broadcast, reshape.1, dynamic-slice)
                ROOT s = f32[7,3,2] dynamic-update-slice(x, select, reshape, constant, constant.1)
                """));
  }

  @Test
  void otherScattersStay() {
    String calling =
        """
        add {
          a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT c = f32[] add(a, b)
        }

        called {
          d = f32[] parameter(0)
          e = f32[] parameter(1)
          ROOT f = f32[] call(d, e), to_apply=add
        }
        """;
    String scatter =
        """
        x = f32[7,3] parameter(0)
        i = s32[COUNT] parameter(1)
        y = f32[COUNT,3] parameter(2)
        ROOT s = f32[7,3] scatter(x, i, y), update_window_dims={1}, inserted_window_dims={0}, \
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=BODY
        """;
    String two = scatter.replace("COUNT", "2").replace("BODY", "add");
    assertThat(Rewrites.entry(new Simplification(), calling, two)).contains("scatter(");
    String one = scatter.replace("COUNT", "1").replace("BODY", "called");
    assertThat(Rewrites.entry(new Simplification(), calling, one)).contains("scatter(");
  }

  @Test
  void scatterOfOneElementIsADynamicUpdateSlice() {
    assertThat(
            Rewrites.entry(
                new Simplification(),
                """
                subtract {
                  a = f32[] parameter(0)
                  b = f32[] parameter(1)
                  ROOT c = f32[] subtract(a, b)
                }
                """,
                """
                x = f32[300] parameter(0)
                i = s8[] parameter(1)
                y = f32[] parameter(2)
                ROOT s = f32[300] scatter(x, i, y), update_window_dims={}, \
                inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, \
                to_apply=subtract
                """))
        .isEqualTo(
            lines(
                """
                x = f32[300] parameter(0)
                i = s8[] parameter(1)
                y = f32[] parameter(2)
                dynamic-slice = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
                reshape = f32[] reshape(dynamic-slice)
                c.1 = f32[] subtract(reshape, y)
                constant = s8[] constant(0)
                constant.1 = s8[] constant(127)
                clamp = s8[] clamp(constant, i, constant.1)
                compare = pred[] compare(i, clamp), direction=EQ
                select = f32[] select(compare, c.1, reshape)
                reshape.1 = f32[1] reshape(select)
                ROOT s = f32[300] dynamic-update-slice(x, reshape.1, i)
                """));
  }

  @TestFactory
  Stream<DynamicTest> rows() {
    return Splitter.on("\n\n").splitToStream(ROWS).map(SimplificationTest::row);
  }

  private static DynamicTest row(String row) {
    List<String> lines = Splitter.on('\n').limit(2).splitToList(row);
    List<String> parts = Splitter.on("->").splitToList(lines.get(1));
    return DynamicTest.dynamicTest(
        lines.get(0), () -> check(lines.get(0), parts.get(0), parts.get(parts.size() - 1)));
  }

  private static void check(String name, String before, String after) {
    String got = Rewrites.entry(new Simplification(), PARAMETERS + before);
    String want = lines(PARAMETERS + after);
    if (after.startsWith(" ROOT ")) {
      String root = after.strip().substring(5);
      want = lines(PARAMETERS.replace("\n" + root + " =", "\nROOT " + root + " ="));
      want = want.startsWith(root + " =") ? "ROOT " + want : want;
    }
    assertWithMessage(name).that(got).isEqualTo(want);
  }
}
