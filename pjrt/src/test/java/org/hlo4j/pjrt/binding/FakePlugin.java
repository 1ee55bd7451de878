package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The table of functions of a plugin that is written in Java: of any version, with its rule for the
 * sizes of structs.
 */
public final class FakePlugin {
  /** What a plugin does with a struct of another size than its own. */
  public enum Sizes {
    /** XLA's rule: longer ones are taken. */
    AT_LEAST,
    /** Neuron's rule. */
    EXACTLY
  }

  /** The arguments of a call. */
  public record Arguments(StructLayout layout, MemorySegment memory) {
    /** Returns an integer or an address. */
    public long get(String field) {
      return layout.field(field).get(memory);
    }

    /** Sets an integer or an address. */
    public void set(String field, long value) {
      layout.field(field).set(memory, value);
    }

    /** Sets a text and its size. */
    public void set(String field, String value) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      set(field, Arena.global().allocateFrom(JAVA_BYTE, bytes).address());
      set(field + "_size", bytes.length);
    }
  }

  private final int minor;
  private final Sizes rule;
  private final long growth;
  private final MemorySegment table;
  private final Map<Long, String> errors = new HashMap<>();

  /**
   * A plugin without functions but those of errors.
   *
   * @param growth how many bytes longer structs are than the table says for the version
   */
  public FakePlugin(int major, int minor, Sizes rule, long growth) {
    this.minor = minor;
    this.rule = rule;
    this.growth = growth;
    StructLayout api = Table.PJRT.struct("PJRT_Api");
    table = Arena.global().allocate(api.sizeof() + 512, 8).fill((byte) 0);
    table.set(JAVA_LONG, 0, tableSize());
    MemorySegment version = table.asSlice(api.field("pjrt_api_version").offset());
    StructLayout versions = Table.PJRT.struct("PJRT_Api_Version");
    versions.field("major_version").set(version, major);
    versions.field("minor_version").set(version, minor);
    with(
        "PJRT_Error_GetCode",
        call -> call.set("code", code(requireNonNull(errors.get(call.get("error"))))));
    with(
        "PJRT_Error_Message",
        call -> call.set("message", requireNonNull(errors.get(call.get("error")))));
    with("PJRT_Error_Destroy", call -> errors.remove(call.get("error")));
  }

  /** Returns the code of an error, by how its message begins. */
  private static int code(String message) {
    return message.startsWith("full") ? 8 : message.startsWith("no programs") ? 12 : 3;
  }

  private long tableSize() {
    long size = 0;
    for (Table.Function each : Table.PJRT.functions()) {
      size = each.since() <= minor ? Math.max(size, each.offset() + Long.BYTES) : size;
    }
    return minor > Table.NEWEST ? size + 8L * Long.BYTES : size;
  }

  /** Returns the address of the table. */
  public MemorySegment table() {
    return MemorySegment.ofAddress(table.address());
  }

  /** Returns how many errors were not freed. */
  public int liveErrors() {
    return errors.size();
  }

  /** Sets the list of extensions. */
  public FakePlugin extensions(MemorySegment first) {
    table.set(ADDRESS, Table.PJRT.struct("PJRT_Api").field("extension_start").offset(), first);
    return this;
  }

  private record Stub(FakePlugin plugin, String name, Consumer<Arguments> body) {
    @SuppressWarnings("UnusedMethod") // called by native code
    long call(long address) {
      StructLayout layout = Table.PJRT.struct(name + "_Args");
      MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(layout.sizeof() + 256);
      try {
        plugin.checkSize(layout, memory);
        body.accept(new Arguments(layout, memory));
        return 0;
      } catch (RuntimeException refusal) {
        return plugin.error(String.valueOf(refusal.getMessage()));
      }
    }
  }

  private synchronized long error(String message) {
    long number = 1000L + errors.size();
    errors.put(number, message);
    return number;
  }

  /** Refuses a struct of the wrong size in XLA's words. */
  public void checkSize(StructLayout layout, MemorySegment memory) {
    long want = wanted(layout);
    long got = memory.get(JAVA_LONG, 0);
    if (rule == Sizes.EXACTLY ? got != want : got < want) {
      throw new IllegalArgumentException(
          "Unexpected "
              + layout.name()
              + " size: expected "
              + want
              + ", got "
              + got
              + ". Check installed software versions.");
    }
  }

  private long wanted(StructLayout layout) {
    int known = Math.max(minor, layout.sizes().firstKey());
    return requireNonNull(layout.sizes().floorEntry(known)).getValue()
        + (layout.name().startsWith("PJRT_Error") ? 0 : growth);
  }

  /** Adds a function. */
  public FakePlugin with(String function, Consumer<Arguments> body) {
    try {
      MethodHandle stub =
          MethodHandles.lookup()
              .findVirtual(Stub.class, "call", MethodType.methodType(long.class, long.class))
              .bindTo(new Stub(this, function, body));
      table.set(
          ADDRESS,
          Table.PJRT.function(function).offset(),
          Linker.nativeLinker()
              .upcallStub(stub, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), Arena.global()));
      return this;
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(function, impossible);
    }
  }
}
