package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Random;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Damaged protos are either read, or refused with the byte position of the damage. */
@Tag("thorough")
final class ProtoMutationTest {
  private static final int INPUTS = Boolean.getBoolean("hlo4j.test.nightly") ? 50_000 : 1_700;

  @Test
  void damagedModulesAreReadOrRefused() {
    Random random = new Random(7);
    ImmutableList<byte[]> seeds =
        ImmutableList.of(
            HloProtos.writeModule(Parser.parse(Modules.CALLS)),
            HloProtos.writeModule(Parser.parse(Modules.ATTRIBUTES)));
    int read = 0;
    for (int i = 0; i < INPUTS; i++) {
      byte[] damaged = damaged(seeds.get(i % seeds.size()), random);
      read += isRead(i, damaged) ? 1 : 0;
    }
    assertThat(read).isGreaterThan(INPUTS / 100);
    assertThat(read).isLessThan(INPUTS / 2);
  }

  private static boolean isRead(int input, byte[] damaged) {
    HloModule module;
    try {
      module = HloProtos.readModule(damaged);
    } catch (HloException refusal) {
      assertWithMessage("input %s", input)
          .that(refusal)
          .hasMessageThat()
          .startsWith("proto: at byte ");
      return false;
    }
    assertRewritten(input, module);
    return true;
  }

  /** A module that was read can be written and read again, unless a layout is malformed. */
  private static void assertRewritten(int input, HloModule module) {
    try {
      byte[] written = HloProtos.writeModule(module);
      HloModule again = HloProtos.readModule(written);
      assertWithMessage("input %s", input).that(HloProtos.writeModule(again)).isEqualTo(written);
      assertWithMessage("input %s", input)
          .that(withoutHeader(again))
          .isEqualTo(withoutHeader(module));
    } catch (HloException refusal) {
      assertWithMessage("input %s", input)
          .that(refusal)
          .hasMessageThat()
          .startsWith("layout got {");
    }
  }

  /**
   * Returns the text without its header, to which writing adds the entry layout if it was absent,
   * or a message if HLO text cannot hold a name.
   */
  private static String withoutHeader(HloModule module) {
    try {
      String text = Printer.print(module);
      return text.substring(text.indexOf('\n'));
    } catch (HloException refusal) {
      assertThat(refusal)
          .hasMessageThat()
          .startsWith("frontend_attributes: HLO text cannot hold the name ");
      return refusal.summary();
    }
  }

  private static byte[] damaged(byte[] seed, Random random) {
    byte[] bytes = seed.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes[at] = -1;
        case 3 -> bytes = Arrays.copyOf(bytes, at + 1);
        default -> {
          int length = random.nextInt(bytes.length - at);
          System.arraycopy(seed, random.nextInt(seed.length - length), bytes, at, length);
        }
      }
    }
    return bytes;
  }
}
