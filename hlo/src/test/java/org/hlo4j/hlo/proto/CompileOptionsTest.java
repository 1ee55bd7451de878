package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.Test;

/** The bytes of CompileOptionsProto; the numbers of fields are those of compile_options.proto. */
final class CompileOptionsTest {
  private static final String NO_DEVICE = "08ffffffffffffffffff01"; // device_ordinal -1

  private static String hex(
      int replicas,
      int partitions,
      ImmutableList<ImmutableList<Integer>> ids,
      boolean isShardy,
      ImmutableMap<String, Object> flags) {
    return BaseEncoding.base16()
        .lowerCase()
        .encode(HloProtos.writeCompileOptions(replicas, partitions, ids, isShardy, flags));
  }

  /** A plugin that finds no number of replicas ends the process. */
  @Test
  void replicasAndPartitionsAreAlwaysThere() {
    assertThat(hex(1, 1, ImmutableList.of(), false, ImmutableMap.of()))
        .isEqualTo("1a11" + NO_DEVICE + "2001" + "2801" + "3000");
  }

  @Test
  void partitionsByShardy() {
    assertThat(hex(1, 4, ImmutableList.of(), true, ImmutableMap.of()))
        .isEqualTo("1a14" + NO_DEVICE + "2001" + "2804" + "3001" + "980101");
  }

  /** Two replicas of one partition: for each partition the devices of all replicas. */
  @Test
  void assignedDevices() {
    assertThat(
            hex(
                2,
                1,
                ImmutableList.of(ImmutableList.of(7), ImmutableList.of(5)),
                false,
                ImmutableMap.of()))
        .isEqualTo(
            "1a1d" + NO_DEVICE + "2002" + "2801" + "3000" + "4a0a" + "0802" + "1001" + "1a04"
                + "0a02" + "0705");
    assertThat(
            assertThrows(
                HloException.class,
                () -> hex(2, 1, ImmutableList.of(ImmutableList.of(7)), false, ImmutableMap.of())))
        .hasMessageThat()
        .isEqualTo("pjrt: the device assignment got [[7]], want 2 lists of 1 ids");
  }

  @Test
  void flagsOfEachType() {
    String options = "1a11" + NO_DEVICE + "2001" + "2801" + "3000";
    ImmutableMap<String, Object> flags = ImmutableMap.of("a", "x", "b", true, "c", 3L, "d", 0.5);
    assertThat(hex(1, 1, ImmutableList.of(), false, flags))
        .isEqualTo(
            options
                + "3a08"
                + "0a0161"
                + "1203"
                + "0a0178"
                + "3a07"
                + "0a0162"
                + "1202"
                + "1001"
                + "3a07"
                + "0a0163"
                + "1202"
                + "1803"
                + "3a0e"
                + "0a0164"
                + "1209"
                + "21000000000000e03f");
    assertThat(
            assertThrows(
                HloException.class,
                () -> hex(1, 1, ImmutableList.of(), false, ImmutableMap.of("a", 1.5f))))
        .hasMessageThat()
        .isEqualTo("pjrt: the flag a got 1.5 of Float, want a String, Boolean, Long or Double");
  }

  /** A flag that is off is another one than none. */
  @Test
  void zerosAreWritten() {
    ImmutableMap<String, Object> flags = ImmutableMap.of("a", "", "b", false, "c", 0L, "d", 0.0);
    assertThat(hex(1, 1, ImmutableList.of(), false, flags))
        .endsWith(
            "0a0161"
                + "1202"
                + "0a00"
                + "3a07"
                + "0a0162"
                + "1202"
                + "1000"
                + "3a07"
                + "0a0163"
                + "1202"
                + "1800"
                + "3a0e"
                + "0a0164"
                + "1209"
                + "210000000000000000");
  }
}
