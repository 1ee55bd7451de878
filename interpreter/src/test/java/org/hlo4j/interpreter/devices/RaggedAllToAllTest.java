package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two devices; each of their rows is its operands, and then what comes out. */
@Timeout(60)
final class RaggedAllToAllTest {
  private static HloModule module(String updates) {
    return Parser.parse(
        """
        HloModule m, replica_count=2, num_partitions=1
        ENTRY e { x = s32[4,1] parameter(0)
          o = s32[6,1] parameter(1)
          from = s64[N] parameter(2)
          sent = s64[N] parameter(3)
          to = s64[N] parameter(4)
          received = s64[N] parameter(5)
          ragged = s32[6,1] ragged-all-to-all(x, o, from, sent, to, received),
            replica_groups={{0,1}}
          ROOT r = s32[6] reshape(ragged) }
        """
            .replace("[N]", "[" + updates + "]"));
  }

  private static List<Literal> device(String updates, int first, String... indices) {
    int[][] x = IntStream.range(0, 4).mapToObj(i -> new int[] {first + i}).toArray(int[][]::new);
    Stream<Literal> arrays = Stream.of(Literal.of(x), Literal.of(new int[6][1]));
    return Stream.concat(
            arrays,
            Arrays.stream(indices)
                .map(values -> Parser.parseLiteral("s64[" + updates + "] " + values)))
        .toList();
  }

  private static String run(String updates, List<Literal> first, List<Literal> second) {
    return Evaluators.both()
        .runOnDevices(module(updates), new DeviceGrid(2, 1), List.of(first, second))
        .stream()
        .map(Literal::toHloText)
        .collect(Collectors.joining(" "));
  }

  /** Device 0 keeps 1, 2 at rows 0, 1 and sends 3, 4 to rows 2 and 0 of device 1, and so on. */
  @Test
  void severalUpdatesForAPeer() {
    assertThat(
            run(
                "4",
                device("4", 1, "{0,1,2,3}", "{1,1,1,1}", "{0,1,2,0}", "{1,1,1,2}"),
                device("4", 10, "{0,1,2,3}", "{1,2,0,1}", "{2,3,1,5}", "{1,1,0,1}")))
        .isEqualTo("{1, 2, 10, 11, 12, 0} {4, 0, 3, 0, 0, 13}");
  }

  @Test
  void offsetsInAMatrixHaveARowForEachPeer() {
    assertThat(
            run(
                "2,2",
                device(
                    "2,2", 1, "{{0,1},{2,3}}", "{{1,1},{1,1}}", "{{0,1},{2,0}}", "{{1,1},{1,2}}"),
                device(
                    "2,2", 10, "{{0,1},{2,3}}", "{{1,2},{0,1}}", "{{2,3},{1,5}}", "{{1,1},{0,1}}")))
        .isEqualTo("{1, 2, 10, 11, 12, 0} {4, 0, 3, 0, 0, 13}");
  }

  /** Both devices send to row 0 of device 0: the later one's stays. */
  @Test
  void laterUpdatesStay() {
    assertThat(
            run(
                "2",
                device("2", 1, "{0,1}", "{1,1}", "{0,0}", "{1,1}"),
                device("2", 10, "{0,1}", "{1,1}", "{0,0}", "{1,1}")))
        .isEqualTo("{10, 0, 0, 0, 0, 0} {11, 0, 0, 0, 0, 0}");
  }

  @Test
  void sizesThatContradictAreRefused() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                run(
                    "2",
                    device("2", 1, "{0,1}", "{1,1}", "{0,0}", "{1,5}"),
                    device("2", 10, "{0,1}", "{1,1}", "{0,0}", "{1,1}")));
    assertThat(refusal.summary())
        .isEqualTo("run: ragged: recv_sizes got 5 rows of device 1, want the 1 of its send_sizes");
  }
}
