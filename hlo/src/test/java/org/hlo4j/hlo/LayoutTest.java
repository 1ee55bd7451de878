package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of elements that layouts give. */
final class LayoutTest {
  private static Dims dims(String text) {
    return Dims.of(
        Splitter.on(' ')
            .omitEmptyStrings()
            .splitToStream(text)
            .mapToLong(Long::parseLong)
            .toArray());
  }

  private static byte[] bytes(String text) {
    byte[] all = new byte[text.length()];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) text.charAt(i);
    }
    return all;
  }

  /** The letters are the elements, in the order of the layout and row-major. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 3   | 1 0   | abcdef       | abcdef",
        "2 3   | 0 1   | adbecf       | abcdef",
        "1 3   | 0 1   | abc          | abc",
        "0 3   | 0 1   | ''           | ''",
        "''    | ''    | a            | a",
        "2 3 2 | 2 1 0 | abcdefghijkl | abcdefghijkl",
        "2 3 2 | 1 2 0 | acebdfgikhjl | abcdefghijkl",
        "2 3 2 | 0 1 2 | agciekbhdjfl | abcdefghijkl",
        "2 3 2 | 0 2 1 | agbhcidjekfl | abcdefghijkl",
        "2 3 2 | 2 0 1 | abghcdijefkl | abcdefghijkl",
      })
  void orders(String sizes, String minorToMajor, String stored, String rows) {
    Layout layout = new Layout(dims(minorToMajor), "T(2,128)");
    Shape.Array shape = Shape.of(ElementType.U8, dims(sizes));
    byte[] read = new byte[rows.length()];
    layout.toRowMajor(MemorySegment.ofArray(bytes(stored)), MemorySegment.ofArray(read), shape);
    assertThat(read).isEqualTo(bytes(rows));
    byte[] written = new byte[stored.length()];
    layout.fromRowMajor(MemorySegment.ofArray(bytes(rows)), MemorySegment.ofArray(written), shape);
    assertThat(written).isEqualTo(bytes(stored));
    assertThat(layout.hasOrderOf(Layout.rowMajor(shape.rank()), shape))
        .isEqualTo(stored.equals(rows));
  }

  /** Elements of each width, on the heap and beside it, at any address. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16})
  void widths(int width) {
    Layout columns = new Layout(Dims.of(0, 1), "");
    byte[] stored = new byte[6 * width];
    byte[] want = new byte[6 * width];
    for (int i = 0; i < 6; i++) { // element i of the columns is in row i % 2
      for (int j = 0; j < width; j++) {
        stored[i * width + j] = (byte) (i * 16 + j);
        want[(i % 2 * 3 + i / 2) * width + j] = (byte) (i * 16 + j);
      }
    }
    MemorySegment into = MemorySegment.ofArray(new byte[6 * width + 1]).asSlice(1);
    columns.toRowMajor(MemorySegment.ofArray(stored), into, Shape.of(ElementType.U8, 2, 3));
    assertThat(into.toArray(JAVA_BYTE)).isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4 1 3 | 2 1 0 | 1 2 0 | true",
        "4 1 3 | 2 1 0 | 0 2 1 | false",
        "1 1   | 0 1   | 1 0   | true",
        "2 2   | 0 1   | 1 0   | false",
      })
  void dimensionsOfSizeOneMayBeAnywhere(String sizes, String left, String right, boolean isSame) {
    Shape.Array shape = Shape.of(ElementType.F32, dims(sizes));
    assertThat(new Layout(dims(left), "").hasOrderOf(new Layout(dims(right), "S(1)"), shape))
        .isEqualTo(isSame);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 3 | 0 1 | 6 | 7 | layout: got 6 and 7 bytes for u8[2,3], want as many for each element",
        "2 3 | 0 1 | 7 | 7 | layout: got 7 and 7 bytes for u8[2,3], want as many for each element",
        "2 3 | 0 0 | 6 | 6 | layout: got {0,0}, want a permutation of the dimensions of u8[2,3]",
        "2 3 | 0   | 6 | 6 | layout: got {0}, want a permutation of the dimensions of u8[2,3]",
      })
  void refusals(String sizes, String order, int from, int into, String want) {
    Layout layout = new Layout(dims(order), "");
    Shape.Array shape = Shape.of(ElementType.U8, dims(sizes));
    MemorySegment source = MemorySegment.ofArray(new byte[from]);
    MemorySegment target = MemorySegment.ofArray(new byte[into]);
    for (Executable copy :
        new Executable[] {
          () -> layout.toRowMajor(source, target, shape),
          () -> layout.fromRowMajor(source, target, shape)
        }) {
      assertThat(assertThrows(HloException.class, copy)).hasMessageThat().isEqualTo(want);
    }
  }
}
