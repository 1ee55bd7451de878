package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.BufferLayouts;
import org.hlo4j.pjrt.binding.BufferTypes;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.HostArrays;
import org.jspecify.annotations.Nullable;

/**
 * An array on a device. What computes it may still be under way; reading it waits for that.
 *
 * <p>It is immutable, but for a run that it is donated to: then it cannot be used any more.
 */
public final class PjrtBuffer implements AutoCloseable {
  private final PjrtDevice device;
  private final Shape.Array shape;
  private final Handle handle;

  /** Completed once the elements are there; null if nobody asked the plugin yet. */
  private volatile @Nullable CompletableFuture<Void> ready;

  /** How the device keeps the elements; null if nobody asked the plugin yet. */
  private volatile @Nullable Optional<Layout> layout;

  PjrtBuffer(
      PjrtDevice device,
      Shape.Array shape,
      long address,
      @Nullable CompletableFuture<Void> ready,
      @Nullable Optional<Layout> layout) {
    PjrtClient client = device.client();
    Function destroy = client.bufferDestroy();
    this.device = device;
    this.shape = shape;
    this.ready = ready;
    this.layout = layout;
    handle =
        client
            .made()
            .take(
                this,
                address,
                destroy,
                client.bufferDestroyed(),
                "buffer",
                HostArrays.deviceBytes(shape));
  }

  /** Copies an array to a device: from the heap to memory that is free again on return. */
  static PjrtBuffer copyOf(Literal literal, PjrtDevice device) {
    Shape.Array shape = literal.arrayShape();
    PjrtClient client = device.client();
    long size = HostArrays.bytes(shape);
    MemorySegment staging = client.hostMemory().take(size + Shape.MAX_RANK * Long.BYTES);
    try {
      MemorySegment data = staging.asSlice(0, size);
      HostArrays.copy(literal.asMemorySegment(), data, shape, Layout.rowMajor(shape.rank()));
      MemorySegment dims = staging.asSlice(staging.byteSize() - Shape.MAX_RANK * Long.BYTES);
      return copyOf(shape, data, dims, device);
    } finally {
      client.hostMemory().give(staging);
    }
  }

  private static PjrtBuffer copyOf(
      Shape.Array shape, MemorySegment data, MemorySegment dims, PjrtDevice device) {
    Api api = device.client().api();
    for (int i = 0; i < shape.rank(); i++) {
      dims.setAtIndex(JAVA_LONG, i, shape.size(i));
    }
    try (Call call = api.call("PJRT_Client_BufferFromHostBuffer")) {
      call.set("client", device.client().handle().address())
          .set("data", data)
          .set("type", BufferTypes.number(shape.elementType(), api))
          .set("dims", dims, "num_dims", shape.rank())
          .set("device", device.address())
          .invoke();
      device.client().events().take(call.get("done_with_host_buffer"), "transfer");
      return new PjrtBuffer(device, shape, call.get("buffer"), null, null);
    }
  }

  /**
   * Returns the shape.
   *
   * @return element type and sizes, without a layout
   */
  public Shape.Array shape() {
    return shape;
  }

  /**
   * Returns where it is.
   *
   * @return the device
   */
  public PjrtDevice device() {
    return device;
  }

  /**
   * Returns how the device keeps the elements.
   *
   * @return the layout; empty if the plugin does not say
   * @throws HloException if the buffer is closed
   */
  public Optional<Layout> layout() {
    Optional<Layout> known = layout;
    if (known == null) {
      handle.hold();
      try {
        known = BufferLayouts.of(device.client().api(), handle.pointer(), shape);
      } finally {
        handle.release();
      }
      layout = known;
    }
    return known;
  }

  /**
   * Waits until the elements are there.
   *
   * @throws PjrtException if what computes them failed
   * @throws HloException if the buffer is closed, or the thread is interrupted
   */
  public void await() {
    Events.await(ready());
  }

  private CompletableFuture<Void> ready() {
    CompletableFuture<Void> known = ready;
    if (known == null) {
      handle.hold();
      try (Call call = device.client().api().call("PJRT_Buffer_ReadyEvent")) {
        call.set("buffer", handle.address()).invoke();
        known = device.client().events().take(call.get("event"), "buffer");
      } finally {
        handle.release();
      }
      ready = known;
    }
    return known;
  }

  /**
   * Copies the elements to the host.
   *
   * @return the array
   * @throws PjrtException if what computes them failed
   * @throws HloException if the buffer is closed, the layout of the device has tiles, or the thread
   *     is interrupted
   */
  public Literal toLiteral() {
    Object storage = LiteralBuilder.newStorage(shape);
    read(HostArrays.segment(storage));
    return Literal.unsafeOf(shape, storage);
  }

  /**
   * Copies the elements to memory of the host: row-major, each as wide as its type, or a byte if
   * that is narrower.
   *
   * @param into as large as the array, on the heap or outside
   * @throws PjrtException if what computes them failed
   * @throws HloException if the size is another, the buffer is closed, the layout of the device has
   *     tiles, or the thread is interrupted
   */
  public void copyTo(MemorySegment into) {
    HloException.require(
        into.byteSize() == HostArrays.bytes(shape),
        "",
        "copyTo: got %s bytes, want the %s of %s",
        into.byteSize(),
        HostArrays.bytes(shape),
        shape);
    read(into);
  }

  private void read(MemorySegment into) {
    Layout order = layout().orElse(Layout.rowMajor(shape.rank()));
    HostArrays.isRowMajor(order, shape); // refuses tiles
    PjrtClient client = device.client();
    client.made().drain();
    MemorySegment staging = client.hostMemory().take(into.byteSize());
    CompletableFuture<Void> done = transfer(staging, into.byteSize());
    done.whenComplete((nothing, failure) -> handle.release());
    // Until the event, the plugin may write to it, whether somebody waits or not.
    try {
      Events.await(done);
      HostArrays.copy(staging.asSlice(0, into.byteSize()), into, shape, order);
    } finally {
      done.whenComplete((nothing, failure) -> client.hostMemory().give(staging));
    }
  }

  /** Begins to copy to the host; the buffer is held until the end. */
  private CompletableFuture<Void> transfer(MemorySegment into, long size) {
    handle.hold();
    try (Call call = device.client().api().call("PJRT_Buffer_ToHostBuffer")) {
      call.set("src", handle.address());
      if (shape.elementType().bits() < Byte.SIZE) {
        requireSize(call.invoke().get("dst_size"), size);
      }
      call.set("dst", into).set("dst_size", size).invoke();
      return device.client().events().take(call.get("event"), "transfer");
    } catch (HloException refused) {
      handle.release();
      throw refused;
    }
  }

  private void requireSize(long got, long want) {
    HloException.require(
        got == want,
        Kind.UNSUPPORTED,
        "pjrt: got %s of %s bytes on the host, want %s, one for each element",
        shape,
        got,
        want);
  }

  /** Frees the memory on the device once no run uses it. Does nothing the second time. */
  @Override
  public void close() {
    handle.close();
  }

  Handle handle() {
    return handle;
  }

  /** Returns the shape and the device. */
  @Override
  public String toString() {
    return shape + " on " + device;
  }
}
