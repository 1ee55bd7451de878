package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.primitives.Longs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Struct;

/** The arguments of one call of Execute. They are used again by the next run of the executable. */
final class Launch {
  private final int devices;
  private final int arguments;
  private final int results;
  private final Call call;
  private final Struct options;
  private final MemorySegment argumentList;
  private final MemorySegment resultList;
  private final MemorySegment events;
  private final MemorySegment kept;

  Launch(Api api, MemorySegment executable, int devices, int arguments, int results) {
    Arena arena = Arena.ofAuto();
    this.devices = devices;
    this.arguments = arguments;
    this.results = results;
    call = api.call("PJRT_LoadedExecutable_Execute");
    options = api.struct("PJRT_ExecuteOptions", arena);
    argumentList = list(arena, devices * arguments);
    resultList = list(arena, devices * results);
    events = list(arena, devices);
    kept = list(arena, arguments);
    call.set("executable", executable)
        .set("options", options)
        .set("argument_lists", lists(arena, argumentList, devices, arguments))
        .set("num_devices", devices)
        .set("num_args", arguments)
        .set("output_lists", lists(arena, resultList, devices, results))
        .set("device_complete_events", events);
    keepAll();
  }

  private static MemorySegment list(Arena arena, int count) {
    return arena.allocate(Math.max(1, count) * JAVA_LONG.byteSize(), Long.BYTES);
  }

  /** Returns a list of the lists of each device, which are parts of one. */
  private static MemorySegment lists(Arena arena, MemorySegment all, int devices, int each) {
    MemorySegment lists = list(arena, devices);
    for (int i = 0; i < devices; i++) {
      lists.setAtIndex(JAVA_LONG, i, all.address() + (long) i * each * Long.BYTES);
    }
    return lists;
  }

  /** No argument may be written to, which is what the plugin does where the program permits it. */
  private void keepAll() {
    keep(IntStream.range(0, arguments).toArray());
  }

  private void keep(int[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      kept.setAtIndex(JAVA_LONG, i, numbers[i]);
    }
    options.set(
        "non_donatable_input_indices", kept, "num_non_donatable_input_indices", numbers.length);
  }

  void setArgument(int device, int number, long buffer) {
    argumentList.setAtIndex(JAVA_LONG, (long) device * arguments + number, buffer);
  }

  /** Runs the program. Arguments that are donated may be written to. */
  void run(Set<Integer> donated) {
    if (!donated.isEmpty()) {
      keep(IntStream.range(0, arguments).filter(each -> !donated.contains(each)).toArray());
    }
    try {
      call.invoke();
    } finally {
      if (!donated.isEmpty()) {
        keepAll();
      }
    }
  }

  long result(int device, int number) {
    return resultList.getAtIndex(JAVA_LONG, (long) device * results + number);
  }

  long event(int device) {
    return events.getAtIndex(JAVA_LONG, device);
  }

  @Override
  public String toString() {
    return Longs.join(", ", devices, arguments, results);
  }
}
