package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
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
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.binding.HostMemory;
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

  /**
   * How the device keeps the elements; null if nobody asked the plugin yet. All results of a
   * program at one place share it.
   */
  private final AtomicReference<@Nullable Optional<Layout>> layout;

  /** How many copy the elements from where they are. */
  private final AtomicInteger reads = new AtomicInteger();

  private volatile boolean isDonating;
  private boolean isView;
  private boolean isAlias;

  PjrtBuffer(
      PjrtDevice device,
      Shape.Array shape,
      long address,
      @Nullable CompletableFuture<Void> ready,
      AtomicReference<@Nullable Optional<Layout>> layout) {
    this.device = device;
    this.shape = shape;
    this.ready = ready;
    this.layout = layout;
    PjrtClient client = device.client();
    handle =
        client.made.take(this, address, client.bufferDestroy, shape, HostArrays.deviceBytes(shape));
  }

  PjrtBuffer(PjrtDevice device, Shape.Array shape, long address) {
    this(device, shape, address, null, new AtomicReference<>());
  }

  /** Copies an array to a device: from the heap to memory that is free again on return. */
  static PjrtBuffer copyOf(Literal literal, PjrtDevice device, Optional<PjrtMemory> where) {
    Shape.Array shape = literal.arrayShape();
    HostMemory host = device.client().hostMemory;
    MemorySegment staging = host.take(HostArrays.bytes(shape));
    try {
      MemorySegment data = staging.asSlice(0, HostArrays.bytes(shape));
      HostArrays.copy(literal.asMemorySegment(), data, shape, Layout.rowMajor(shape.rank()));
      return upload(data, shape, device, where, ONLY_DURING_CALL, () -> {});
    } finally {
      host.give(staging);
    }
  }

  /** Makes memory of the host a buffer; the arena is closed when the plugin is done with it. */
  static PjrtBuffer viewOf(
      Arena arena, MemorySegment memory, Shape.Array shape, PjrtDevice device) {
    HloException.require(
        memory.byteSize() == HostArrays.bytes(shape) && shape.elementType().bits() >= Byte.SIZE,
        "",
        "view: got %s bytes for %s, want %s, and elements of at least 8 bits",
        memory.byteSize(),
        shape,
        HostArrays.bytes(shape));
    HloException.require(
        memory.isNative() && memory.address() % HostMemory.ALIGNMENT == 0,
        "",
        "view: got memory %s, want it outside of the heap at a multiple of %s",
        memory.isNative() ? "at " + memory.address() : "on the heap",
        HostMemory.ALIGNMENT);
    HloException.require(
        memory.isAccessibleBy(new Thread()),
        "",
        "view: got memory of an arena of one thread, want Arena.ofShared()");
    Runnable whenDone = () -> close(arena, memory);
    PjrtBuffer view = upload(memory, shape, device, Optional.empty(), ZERO_COPY, whenDone);
    view.isView = true;
    view.isAlias = view.pointer() == memory.address();
    return view;
  }

  private static void close(Arena arena, MemorySegment memory) {
    try {
      arena.close();
    } catch (UnsupportedOperationException neverClosed) {
      // The global arena, or an automatic one.
    } finally {
      Reference.reachabilityFence(memory);
    }
  }

  /** Semantics of host memory: it is read during the call, or as long as the buffer lives. */
  private static final int ONLY_DURING_CALL = 0;

  private static final int ZERO_COPY = 2;

  /** Makes a buffer of memory; something is run when the plugin does not read that any more. */
  private static PjrtBuffer upload(
      MemorySegment data,
      Shape.Array shape,
      PjrtDevice device,
      Optional<PjrtMemory> where,
      int semantics,
      Runnable whenDone) {
    PjrtClient client = device.client();
    try (Arena arena = Arena.ofConfined();
        Call call = client.api.call("PJRT_Client_BufferFromHostBuffer")) {
      MemorySegment dims = arena.allocateFrom(JAVA_LONG, shape.sizes().toArray());
      call.set(client.handle.pointer())
          .set("data", data)
          .set("type", BufferTypes.number(shape.elementType(), client.api))
          .set("dims", dims, "num_dims", shape.rank())
          .set("host_buffer_semantics", semantics)
          .set("device", where.isPresent() ? MemorySegment.NULL : device.address())
          .set("memory", where.map(PjrtMemory::address).orElse(MemorySegment.NULL))
          .invoke();
      Events.after(client.events.take(call.get("done_with_host_buffer"), "transfer"), whenDone);
      return new PjrtBuffer(device, shape, call.get("buffer"));
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
    Optional<Layout> known = layout.get();
    if (known == null) {
      known = handle.using(() -> BufferLayouts.of(device.client().api, handle.pointer()));
      layout.set(known);
    }
    return known;
  }

  /**
   * Returns in which memory it is.
   *
   * @return the memory
   * @throws HloException if the buffer is closed
   */
  public PjrtMemory memory() {
    return new PjrtMemory(
        device.client(), asking("PJRT_Buffer_Memory", call -> call.pointer("memory")));
  }

  /**
   * Returns whether it is memory of the host itself and no copy, as {@link PjrtClient#view} makes
   * it where the plugin can.
   *
   * @return whether it is
   */
  public boolean isAlias() {
    return isAlias;
  }

  /** Returns whether it may read memory of the user, to which no run may write. */
  boolean isView() {
    return isView;
  }

  private long pointer() {
    try {
      return asking("PJRT_Buffer_UnsafePointer", call -> call.get("buffer_pointer"));
    } catch (HloException unimplemented) {
      return 0;
    }
  }

  /** Returns what a function gives of the buffer. */
  private <T> T asking(String function, java.util.function.Function<Call, T> answer) {
    return handle.using(() -> device.client().ask(function, handle.pointer(), answer));
  }

  /**
   * Copies the array to another device, without the host in between where the plugin can.
   *
   * @param to a device of the same client
   * @return the copy, to be closed
   * @throws HloException if the device is one of another client, or the buffer is closed
   * @throws PjrtException if the plugin refuses
   */
  public PjrtBuffer copyTo(PjrtDevice to) {
    HloException.require(
        to.client() == device.client(),
        "",
        "copyTo: got a device of another client, want one of %s",
        device.client());
    return device.client().using(() -> handle.using(() -> copiedTo(to)));
  }

  private PjrtBuffer copiedTo(PjrtDevice to) {
    try (Call call = device.client().api.call("PJRT_Buffer_CopyToDevice")) {
      call.set(handle.pointer()).set("dst_device", to.address()).invoke();
      return new PjrtBuffer(to, shape, call.get("dst_buffer"));
    }
  }

  /**
   * Returns whether the elements are there, so that reading them does not wait.
   *
   * @return whether they are; also if what computes them failed
   * @throws HloException if the buffer is closed
   */
  public boolean isReady() {
    return ready().isDone();
  }

  /** Returns whether the plugin has given the elements up, as after a donation. */
  boolean isDeleted() {
    return asking("PJRT_Buffer_IsDeleted", call -> call.get("is_deleted") != 0);
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
      long event = asking("PJRT_Buffer_ReadyEvent", call -> call.get("event"));
      known = device.client().events.take(event, "buffer");
      ready = known;
    }
    return known;
  }

  /**
   * Copies the elements to the host.
   *
   * @return the array
   * @throws PjrtException if what computes them failed
   * @throws HloException if the buffer is closed, or the thread is interrupted
   */
  public Literal toLiteral() {
    return filled(this::read);
  }

  /** Returns the elements as the plugin's own function copies them, wherever they are. */
  Literal transferred() {
    return filled(this::readTransferred);
  }

  private Literal filled(Consumer<MemorySegment> read) {
    Object storage = LiteralBuilder.newStorage(shape);
    read.accept(LiteralBuilder.segment(storage));
    return Literal.unsafeOf(shape, storage);
  }

  /**
   * Copies the elements to memory of the host: row-major, each as wide as its type, or a byte if
   * that is narrower.
   *
   * @param into as large as the array, on the heap or outside
   * @throws PjrtException if what computes them failed
   * @throws HloException if the size is another, the buffer is closed, or the thread is interrupted
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
    if (!readInPlace(into)) {
      readTransferred(into);
    }
  }

  private Layout order() {
    return layout().orElse(Layout.rowMajor(shape.rank()));
  }

  /**
   * Copies the elements from where they are, which is possible on CPUs and takes a tenth of the
   * time of a short transfer. A run that they are donated to waits for the end.
   */
  private boolean readInPlace(MemorySegment into) {
    Layout order = order();
    boolean isBytes = shape.elementType() == ElementType.PRED || shape.elementType().bits() >= 8;
    boolean isTiled = !order.details().isEmpty();
    if (!device.client().platform().equals("cpu") || !isBytes || isTiled) {
      return false;
    }
    await();
    return handle.using(() -> {
      reads.incrementAndGet();
      try {
        long address = isDonating ? 0 : pointer();
        if (address != 0) {
          HostArrays.copy(Api.memory(address, into.byteSize()), into, shape, order);
        }
        return address != 0;
      } finally {
        reads.decrementAndGet();
      }
    });
  }

  /** Waits for those who read the elements in place; who comes later transfers them. */
  void stopReads() {
    isDonating = true;
    while (reads.get() > 0) {
      Thread.onSpinWait();
    }
  }

  /** Copies the elements by the plugin's own function. */
  private void readTransferred(MemorySegment into) {
    Layout order = order();
    PjrtClient client = device.client();
    MemorySegment staging = client.hostMemory.take(into.byteSize());
    CompletableFuture<Void> done = transfer(staging, into.byteSize(), order);
    Events.after(done, handle::release);
    // Until the event, the plugin may write to it, whether somebody waits or not.
    try {
      Events.await(done);
      HostArrays.copy(staging.asSlice(0, into.byteSize()), into, shape, order);
    } finally {
      Events.after(done, () -> client.hostMemory.give(staging));
    }
  }

  /**
   * Begins to copy to the host, in the order of the device, without its tiles; the buffer is held
   * until the end.
   */
  private CompletableFuture<Void> transfer(MemorySegment into, long size, Layout order) {
    Api api = device.client().api;
    handle.hold();
    try (Arena arena = Arena.ofConfined();
        Call call = api.call("PJRT_Buffer_ToHostBuffer")) {
      call.set(handle.pointer());
      if (!order.details().isEmpty()) {
        call.set("host_layout", BufferLayouts.untiled(order, api, arena));
      }
      if (shape.elementType().bits() < Byte.SIZE) {
        requireSize(call.invoke().get("dst_size"), size);
      }
      call.set("dst", into).set("dst_size", size).invoke();
      return device.client().events.takeSoon(call.get("event"), "transfer");
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
