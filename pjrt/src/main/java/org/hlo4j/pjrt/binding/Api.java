package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.pjrt.PjrtException;

/**
 * The table of functions that a plugin gives, and the one way to call them. What the plugin does
 * not have is refused by name and version.
 */
public final class Api {
  /** XLA's refusal of a struct that is shorter than its own, Neuron's of one of another size. */
  private static final Pattern SIZE =
      Pattern.compile("Unexpected (PJRT_\\w+) size: expected (\\d+), got \\d+");

  /** Where the version is in {@code PJRT_Api}, in all versions. */
  private static final StructLayout VERSION = Table.PJRT.struct("PJRT_Api_Version");

  /** An end of lists that a fault has made a circle. */
  private static final int MAX_EXTENSIONS = 256;

  /**
   * An extension of the interface.
   *
   * @param type its number in {@code PJRT_Extension_Type}
   * @param name the constant's name without that of its enum; the number if it is unknown
   * @param memory the struct, as long as the plugin says
   */
  public record Extension(int type, String name, MemorySegment memory) {}

  private final MemorySegment table;
  private final int minor;
  private final ConcurrentMap<String, Function> functions = new ConcurrentHashMap<>();

  /** The sizes of structs that the plugin named when it refused ours. */
  private final ConcurrentMap<String, Long> sizes = new ConcurrentHashMap<>();

  private final ImmutableMap<Integer, Extension> extensions;

  /**
   * Reads what {@code GetPjrtApi} returned.
   *
   * @param address the address of a {@code PJRT_Api}
   * @param from where it comes from, for messages
   */
  public Api(MemorySegment address, String from) {
    HloException.require(address.address() != 0, "", "%s: GetPjrtApi returned null", from);
    StructLayout layout = Table.PJRT.struct("PJRT_Api");
    long at = layout.field("pjrt_api_version").offset();
    MemorySegment version = address.reinterpret(at + VERSION.sizeof()).asSlice(at);
    long major = VERSION.field("major_version").get(version);
    minor = (int) VERSION.field("minor_version").get(version);
    HloException.require(
        major == 0 && minor >= Table.OLDEST,
        Kind.UNSUPPORTED,
        "%s: got version %s.%s of the PJRT C API, want 0.%s or later of major version 0",
        from,
        major,
        minor,
        Table.OLDEST);
    table = address.reinterpret(address.reinterpret(Long.BYTES).get(JAVA_LONG, 0));
    extensions = extensions(table.get(JAVA_LONG, layout.field("extension_start").offset()));
  }

  private static ImmutableMap<Integer, Extension> extensions(long first) {
    StructLayout base = Table.PJRT.struct("PJRT_Extension_Base");
    ImmutableMap.Builder<Integer, Extension> all = ImmutableMap.builder();
    long next = first;
    for (int count = 0; next != 0 && count < MAX_EXTENSIONS; count++) {
      MemorySegment head = MemorySegment.ofAddress(next).reinterpret(base.sizeof());
      int type = (int) base.field("type").get(head);
      long size = Math.max(base.sizeof(), base.field("struct_size").get(head));
      String name = Table.PJRT.constant("PJRT_Extension_Type", type);
      all.put(type, new Extension(type, name, head.reinterpret(size)));
      next = base.field("next").get(head);
    }
    return all.buildKeepingLast();
  }

  /** {@return the minor version of the plugin} */
  public int minor() {
    return minor;
  }

  /** {@return the version of the plugin, as 0.81} */
  public String version() {
    return "0." + minor;
  }

  /** {@return the extensions that the plugin has, by type, unknown ones included} */
  public ImmutableMap<Integer, Extension> extensions() {
    return extensions;
  }

  /** {@return the names of the functions that the plugin lacks: beyond its table, or null} */
  public ImmutableList<String> missing() {
    return Table.PJRT.functions().stream()
        .filter(each -> address(each) == 0)
        .map(Table.Function::name)
        .collect(ImmutableList.toImmutableList());
  }

  private long address(Table.Function function) {
    return function.offset() + Long.BYTES > table.byteSize()
        ? 0
        : table.get(JAVA_LONG, function.offset());
  }

  /** {@return whether the plugin has a function} */
  public boolean has(String name) {
    return address(Table.PJRT.function(name)) != 0;
  }

  /**
   * {@return a function of the plugin}
   *
   * @param name as {@code PJRT_Client_Compile}
   * @throws HloException if the plugin lacks it
   */
  public Function function(String name) {
    Function known = functions.get(name);
    return known != null ? known : functions.computeIfAbsent(name, this::resolved);
  }

  private Function resolved(String name) {
    Table.Function function = Table.PJRT.function(name);
    long address = address(function);
    HloException.require(
        address != 0,
        Kind.UNSUPPORTED,
        "%s: got a plugin of version %s without it, want one that has it; it is there since 0.%s",
        name,
        version(),
        function.since());
    return new Function(
        this,
        name,
        MemorySegment.ofAddress(address),
        Table.PJRT.struct(name + "_Args"),
        new ConcurrentLinkedQueue<>());
  }

  /** {@return the arguments of a call of a function, zeroed} To be closed after the call. */
  public Call call(String name) {
    return function(name).open();
  }

  /**
   * {@return a struct of the interface, zeroed}
   *
   * @param name as {@code PJRT_Program}
   * @param allocator where its memory comes from
   */
  public Struct<?> struct(String name, SegmentAllocator allocator) {
    return struct(Table.PJRT.struct(name), allocator);
  }

  /** {@return a struct of a layout of this or another table, zeroed} */
  public Struct<?> struct(StructLayout layout, SegmentAllocator allocator) {
    return new Struct<>(layout, allocator.allocate(room(layout), Long.BYTES), this);
  }

  /** {@return memory that the plugin gave, which may be null where it has no size} */
  public static MemorySegment memory(long address, long size) {
    return size == 0 || address == 0
        ? MemorySegment.NULL
        : MemorySegment.ofAddress(address).reinterpret(size);
  }

  private static long room(StructLayout layout) {
    return layout.sizeof() + 2 * StructLayout.GROWTH;
  }

  /** Returns the size to write into a struct; -1 if it has none. */
  long sizeOf(StructLayout layout) {
    return sizes.isEmpty()
        ? layout.sizeFor(minor)
        : sizes.getOrDefault(layout.name(), layout.sizeFor(minor));
  }

  /** Returns whether the plugin has named sizes that it wants. */
  boolean hasNamedSizes() {
    return !sizes.isEmpty();
  }

  /** Returns whether the plugin has a field. */
  boolean knows(StructLayout.Field field) {
    return field.since() <= minor;
  }

  /** Returns a field that the plugin has. */
  StructLayout.Field requireKnown(StructLayout.Field field) {
    if (knows(field)) { // the texts are not made for each field of each call
      return field;
    }
    String want = "want 0." + field.since() + " or later";
    String got = ": got a plugin of version " + version() + ", ";
    throw new HloException(Kind.UNSUPPORTED, field.name() + got + want);
  }

  /** Takes an error of the plugin, which it frees. */
  PjrtException error(long address, String call) {
    MemorySegment error = MemorySegment.ofAddress(address);
    try (Call code = call("PJRT_Error_GetCode");
        Call message = call("PJRT_Error_Message");
        Call destroy = call("PJRT_Error_Destroy")) {
      boolean isReadable = code.set(error).error() == 0;
      long _ = Call.invoke(function("PJRT_Error_Message").address(), message.set(error).memory());
      String text = message.text("message");
      long _ = Call.invoke(function("PJRT_Error_Destroy").address(), destroy.set(error).memory());
      int number = isReadable ? (int) code.get("code") : 0;
      return new PjrtException(PjrtException.Code.of(number), call, text);
    }
  }

  /**
   * Returns whether a refusal names the size that the plugin wants of a struct, which is kept: then
   * the call can be tried again.
   */
  boolean learnsSize(PjrtException refusal) {
    Matcher named = SIZE.matcher(refusal.summary());
    if (!named.find() || !Table.PJRT.hasStruct(named.group(1))) {
      return false;
    }
    long size = Long.parseLong(named.group(2));
    StructLayout layout = Table.PJRT.struct(named.group(1));
    boolean isNews = size <= room(layout) && size != sizeOf(layout);
    if (isNews) {
      sizes.put(layout.name(), size);
    }
    return isNews;
  }
}
