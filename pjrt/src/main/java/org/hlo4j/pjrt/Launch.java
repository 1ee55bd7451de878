package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Struct;

/** The arguments of one call of Execute. They are used again by the next run of the executable. */
final class Launch {
  private final int arguments;
  private final Call call;
  private final Struct<?> options;
  private final MemorySegment argumentList;
  private final MemorySegment resultList;
  private final MemorySegment events;
  private final MemorySegment kept;

  Launch(Api api, MemorySegment executable, int devices, int arguments, int results) {
    Arena arena = Arena.ofAuto();
    this.arguments = arguments;
    call = api.call("PJRT_LoadedExecutable_Execute");
    options = api.struct("PJRT_ExecuteOptions", arena);
    argumentList = arena.allocate(JAVA_LONG, (long) devices * arguments);
    resultList = arena.allocate(JAVA_LONG, (long) devices * results);
    events = arena.allocate(JAVA_LONG, devices);
    kept = arena.allocate(JAVA_LONG, arguments);
    call.set(executable)
        .set("options", options)
        .set("argument_lists", lists(arena, argumentList, devices, arguments))
        .set("num_devices", devices)
        .set("num_args", arguments)
        .set("output_lists", lists(arena, resultList, devices, results))
        .set("device_complete_events", events);
    keepAllBut(Set.of());
  }

  /** Returns a list of the lists of each device, which are parts of one. */
  private static MemorySegment lists(Arena arena, MemorySegment all, int devices, int each) {
    return arena.allocateFrom(
        JAVA_LONG,
        IntStream.range(0, devices)
            .mapToLong(i -> all.address() + (long) i * each * Long.BYTES)
            .toArray());
  }

  /** Says to which arguments the plugin may not write, though the program permit it. */
  private void keepAllBut(Set<Integer> donated) {
    int count = 0;
    for (int i = 0; i < arguments; i++) {
      if (!donated.contains(i)) {
        kept.setAtIndex(JAVA_LONG, count++, i);
      }
    }
    options.set("non_donatable_input_indices", kept, "num_non_donatable_input_indices", count);
  }

  int arguments() {
    return arguments;
  }

  /** Sets an argument; those of the first device come first. */
  void setArgument(int number, long buffer) {
    argumentList.setAtIndex(JAVA_LONG, number, buffer);
  }

  /** Runs the program. Arguments that are donated may be written to. */
  void run(Set<Integer> donated) {
    if (donated.isEmpty()) {
      call.invoke();
      return;
    }
    keepAllBut(donated);
    try {
      call.invoke();
    } finally {
      keepAllBut(Set.of());
    }
  }

  /** Returns a result; those of the first device come first. */
  long result(int number) {
    return resultList.getAtIndex(JAVA_LONG, number);
  }

  long event(int device) {
    return events.getAtIndex(JAVA_LONG, device);
  }
}
