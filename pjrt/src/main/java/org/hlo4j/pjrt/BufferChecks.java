package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.hlo4j.pjrt.CheckedPlugin.requireHolds;
import static org.hlo4j.pjrt.PluginChecks.MATRIX;
import static org.hlo4j.pjrt.PluginChecks.PLUS_ONE;
import static org.hlo4j.pjrt.PluginChecks.requireEqual;
import static org.hlo4j.pjrt.PluginChecks.requireRefused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.BufferTypes;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.HostMemory;

/** The checks of arrays on a plugin's devices, and of how they get there and back. */
final class BufferChecks {
  private BufferChecks() {}

  /** Checks that arrays of a type come back as they went. */
  static void transfer(CheckedPlugin on, ElementType type) {
    for (Shape.Array shape : List.of(Shape.of(type), Shape.of(type, 3), Shape.of(type, 2, 0))) {
      Literal array = array(shape);
      try (PjrtBuffer buffer = on.client().buffer(array, on.device())) {
        requireEqual(array, transferred(buffer));
      }
    }
  }

  private static Literal array(Shape.Array shape) {
    Object storage = LiteralBuilder.newStorage(shape);
    MemorySegment bytes = LiteralBuilder.segment(storage);
    boolean isNarrow = shape.elementType().bits() < Byte.SIZE;
    for (int i = 0; i < bytes.byteSize(); i++) {
      bytes.set(JAVA_BYTE, i, (byte) (isNarrow ? i % 2 : i + 1));
    }
    return Literal.unsafeOf(shape, storage);
  }

  /** Returns the elements as the plugin copies them; on CPUs, buffers are read in place else. */
  private static Literal transferred(PjrtBuffer buffer) {
    Shape.Array shape = buffer.shape();
    Object storage = LiteralBuilder.newStorage(shape);
    Layout layout = buffer.layout().orElse(Layout.rowMajor(shape.rank()));
    buffer.readTransferred(LiteralBuilder.segment(storage), layout);
    return Literal.unsafeOf(shape, storage);
  }

  /** The array is read from the host by columns. */
  static void strides(CheckedPlugin on) {
    PjrtClient client = on.client();
    Shape.Array shape = Shape.of(ElementType.F32, 2, 3);
    try (Arena arena = Arena.ofConfined();
        Call call = client.api.call("PJRT_Client_BufferFromHostBuffer")) {
      MemorySegment columns = arena.allocateFrom(JAVA_FLOAT, 1, 4, 2, 5, 3, 6);
      call.set(client.handle.pointer())
          .set("data", columns)
          .set("type", BufferTypes.number(ElementType.F32, client.api))
          .set("dims", Api.longs(new long[] {2, 3}, arena), "num_dims", 2)
          .set("byte_strides", Api.longs(new long[] {4, 8}, arena), "num_byte_strides", 2)
          .set("device", on.device().address())
          .invoke();
      Events.await(client.events.take(call.get("done_with_host_buffer"), "transfer"));
      try (PjrtBuffer buffer =
          new PjrtBuffer(on.device(), shape, call.get("buffer"), null, new AtomicReference<>())) {
        requireEqual(MATRIX, transferred(buffer));
      }
    }
  }

  static void layout(CheckedPlugin on) {
    Function asked = on.client().api.function("PJRT_Buffer_GetMemoryLayout");
    try (PjrtBuffer buffer = on.matrix()) {
      Layout layout =
          buffer
              .layout()
              .orElseThrow(() -> new HloException(Kind.UNSUPPORTED, asked.name() + ": strides"));
      long[] order = layout.minorToMajor().toArray();
      Arrays.sort(order);
      requireHolds(Arrays.equals(order, new long[] {0, 1}), layout, "a permutation of 0 and 1");
    }
  }

  static void references(CheckedPlugin on) {
    Api api = on.client().api;
    Function less = api.function("PJRT_Buffer_DecreaseExternalReferenceCount");
    try (PjrtBuffer buffer = on.matrix()) {
      buffer.await();
      long address = buffer.handle().address();
      api.function("PJRT_Buffer_IncreaseExternalReferenceCount").call(address);
      less.call(address);
      requireRefused(() -> less.call(address));
    }
  }

  static void raw(CheckedPlugin on) {
    try (Arena arena = Arena.ofConfined();
        PjrtBuffer buffer = on.matrix();
        Call call = on.client().api.call("PJRT_Buffer_CopyRawToHost")) {
      MemorySegment into = arena.allocate(JAVA_FLOAT, 2);
      call.set(buffer.handle().pointer())
          .set("dst", into)
          .set("offset", Float.BYTES)
          .set("transfer_size", into.byteSize())
          .invoke();
      Events.await(on.client().events.take(call.get("event"), "transfer"));
      requireEqual("[2.0, 3.0]", Arrays.toString(into.toArray(JAVA_FLOAT)));
    }
  }

  static void copyToDevice(CheckedPlugin on) {
    try (PjrtBuffer buffer = on.matrix()) {
      for (PjrtDevice device : on.client().devices()) {
        if (device != buffer.device()) {
          try (PjrtBuffer copy = buffer.copyTo(device)) {
            requireEqual(MATRIX, transferred(copy));
          }
        }
      }
    }
  }

  static void copyToMemory(CheckedPlugin on) {
    for (PjrtMemory memory : on.device().memories()) {
      try (PjrtBuffer buffer = on.matrix();
          Call call = on.client().api.call("PJRT_Buffer_CopyToMemory")) {
        call.set(buffer.handle().pointer()).set("dst_memory", memory.address()).invoke();
        try (PjrtBuffer copy =
            new PjrtBuffer(
                on.device(),
                buffer.shape(),
                call.get("dst_buffer"),
                null,
                new AtomicReference<>())) {
          requireEqual(MATRIX, transferred(copy));
        }
      }
    }
  }

  static void deleted(CheckedPlugin on) {
    try (PjrtBuffer buffer = on.matrix()) {
      buffer.await();
      on.client().api.function("PJRT_Buffer_Delete").call(buffer.handle().address());
      requireHolds(buffer.isDeleted(), "is_deleted 0", "1");
      requireRefused(() -> transferred(buffer));
    }
  }

  static void view(CheckedPlugin on) {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(6 * Float.BYTES, HostMemory.ALIGNMENT);
    memory.copyFrom(MATRIX.asMemorySegment());
    try (PjrtBuffer view =
            on.client().view(arena, memory, Shape.of(ElementType.F32, 2, 3), on.device());
        PjrtBuffer result = on.program().execute(List.of(view)).get(0)) {
      requireEqual(PLUS_ONE, result.toLiteral());
    }
    for (int i = 0; i < 500 && arena.scope().isAlive(); i++) {
      LockSupport.parkNanos(10_000_000); // the event comes on another thread
    }
    requireHolds(!arena.scope().isAlive(), "no event done_with_host_buffer", "it");
  }
}
