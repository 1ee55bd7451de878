package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.DeviceGrid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices that wait for one that does not come are refused, with names, and never hang. */
@Timeout(60)
final class RendezvousTest {
  private static final HloInstruction X =
      HloInstruction.of("x", new Parameter(0, Shape.of(ElementType.S32)));
  private static final HloInstruction SUM = HloInstruction.of("sum", new Copy(), X);
  private static final List<Literal> ONE = List.of(Literal.of(1));

  private static List<List<Literal>> met(Rendezvous meeting, int device, Integer... group) {
    return meeting.meet(SUM, device, DeviceGroup.of(List.of(group)), ONE, all -> all);
  }

  @Test
  void theLastToRunIsRefused() {
    Rendezvous meeting = new Rendezvous(new DeviceGrid(2, 1));
    meeting.deregister();
    HloException refusal = assertThrows(HloException.class, () -> met(meeting, 0, 0, 1));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo("run: devices wait for others that do not come: device 0 at sum for device 1");
  }

  @Test
  void allWhoWaitAreRefusedWhenTheLastLeaves() throws InterruptedException {
    Rendezvous meeting = new Rendezvous(new DeviceGrid(3, 1));
    HloException[] refusals = new HloException[2];
    Thread[] threads = new Thread[2];
    for (int i = 0; i < 2; i++) {
      int device = i;
      threads[i] =
          Thread.ofPlatform()
              .start(() ->
                  refusals[device] =
                      assertThrows(HloException.class, () -> met(meeting, device, device, 2)));
    }
    while (threads[0].getState() != Thread.State.WAITING
        || threads[1].getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    meeting.deregister();
    for (Thread thread : threads) {
      thread.join();
    }
    for (HloException refusal : refusals) {
      assertThat(refusal)
          .hasMessageThat()
          .isEqualTo(
              "run: devices wait for others that do not come: device 0 at sum for device 2;"
                  + " device 1 at sum for device 2");
    }
  }

  /** The message stays short: of those who wait, and of those who are missing, it names eight. */
  @Test
  void ofManyDevicesSomeAreNamed() {
    Rendezvous meeting = new Rendezvous(new DeviceGrid(1, 1));
    Integer[] all = IntStream.range(0, 4096).boxed().toArray(Integer[]::new);
    assertThat(assertThrows(HloException.class, () -> met(meeting, 3, all)))
        .hasMessageThat()
        .isEqualTo(
            "run: devices wait for others that do not come: device 3 at sum for devices 0, 1, 2,"
                + " 4, 5, 6, 7, 8, …");
  }
}
