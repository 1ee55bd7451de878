package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.pjrt.CpuPlugin.refusal;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.pjrt.binding.FakePlugin;
import org.hlo4j.pjrt.binding.FakePlugin.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be loaded, where it is found, and with which options a client is made. */
final class PjrtPluginTest {
  @TempDir private Path folder;

  @Test
  void whatThePluginSaysOfItself() {
    PjrtPlugin plugin = CpuPlugin.plugin();
    assertThat(plugin.apiVersion()).isEqualTo("0.81");
    assertThat(plugin.stableHloVersion()).hasValue("1.13.3");
    assertThat(plugin.extensions())
        .containsExactly("FFI", "Layouts", "MemoryDescriptions", "PhaseCompile");
    assertThat(plugin.missingFunctions()).hasSize(20);
    assertThat(plugin.missingFunctions()).contains("PJRT_Client_CreateErrorBuffer");
    assertThat(CpuPlugin.client().platform()).isEqualTo("cpu");
    assertThat(CpuPlugin.client().devices()).hasSize(4);
    assertThat(CpuPlugin.client().devices().get(2).id()).isEqualTo(2);
    assertThat(CpuPlugin.client().devices().get(2).localHardwareId()).isEqualTo(2);
    assertThat(CpuPlugin.client().devices().get(2).kind()).isEqualTo("cpu");
    assertThat(CpuPlugin.client().devices().get(2).memoryStatistics()).isEmpty();
  }

  @Test
  void filesThatAreNoPlugin() throws IOException {
    Path text =
        Files.writeString(folder.resolve("text.so"), "no library at all, but text\n".repeat(9));
    assertThat(refusal(() -> PjrtPlugin.load(folder.resolve("missing.so"))))
        .isEqualTo("plugin: got " + folder.resolve("missing.so") + ", which is no file, want one");
    assertThat(refusal(() -> PjrtPlugin.load(text)))
        .isEqualTo(text + ": got a library that cannot be loaded: invalid ELF header");
    assertThat(refusal(() -> PjrtPlugin.load(folder)))
        .isEqualTo(
            folder
                + ": got a library that cannot be loaded: cannot read file data: Is a directory");
    Path jsig = Path.of(System.getProperty("java.home"), "lib/libjsig.so");
    assertThat(refusal(() -> PjrtPlugin.load(jsig)))
        .isEqualTo(jsig + ": got a library without GetPjrtApi, want a PJRT plugin");
  }

  @Test
  void libraryOfAnotherProcessor() throws IOException {
    boolean isArm = System.getProperty("os.arch").equals("aarch64");
    Path other = library("other.so", isArm ? 62 : 183, "libc.so.6");
    assertThat(refusal(() -> PjrtPlugin.load(other)))
        .matches(
            other
                + ": got a library that cannot be loaded: .*\\(Possible cause: can't load (AARCH64"
                + " .so on a AMD 64|AMD 64 .so on a AARCH64) platform\\)");
  }

  /** The loader's own words name what is missing; of another C library it is said. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "libcudart.so.99 | ''",
        "libc.musl-x86_64.so.1 | ', the library of a Linux with musl; want a plugin for glibc'",
        "ld-linux-x86-64-none.so.2 | ', of glibc, in a version that this system does not have;"
            + " want a plugin for it'"
      })
  void libraryThatNeedsAnother(String needed, String hint) throws IOException {
    int machine = System.getProperty("os.arch").equals("aarch64") ? 183 : 62;
    Path file = library("plugin.so", machine, needed);
    assertThat(refusal(() -> PjrtPlugin.load(file)))
        .isEqualTo(
            file
                + ": got a library that cannot be loaded: "
                + needed
                + ": cannot open shared object file: No such file or directory"
                + hint);
  }

  /** Writes the smallest ELF library that needs another: headers, a dynamic section, its names. */
  private Path library(String name, int machine, String needed) throws IOException {
    byte[] names = ("\0" + needed + "\0").getBytes(UTF_8);
    int dynamic = 64 + 3 * 56;
    int strings = dynamic + 5 * 16;
    ByteBuffer file = ByteBuffer.allocate(strings + names.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}).position(16);
    file.putShort((short) 3).putShort((short) machine).putInt(1).putLong(0).putLong(64).putLong(0);
    file.putInt(0)
        .putShort((short) 64)
        .putShort((short) 56)
        .putShort((short) 3)
        .putShort((short) 64);
    file.position(64);
    segment(file, 1, 0, file.capacity(), 0x1000);
    segment(file, 2, dynamic, 5 * 16, 8);
    segment(file, 0x6474e551, 0, 0, 16); // the stack is not executable
    file.putLong(1).putLong(1); // DT_NEEDED: the name at 1
    file.putLong(5).putLong(strings); // DT_STRTAB
    file.putLong(10).putLong(names.length); // DT_STRSZ
    file.putLong(6).putLong(strings); // DT_SYMTAB
    file.putLong(0).putLong(0).put(names);
    return Files.write(folder.resolve(name), file.array());
  }

  private static void segment(ByteBuffer file, int type, long offset, long size, long alignment) {
    file.putInt(type).putInt(6).putLong(offset).putLong(offset).putLong(offset);
    file.putLong(size).putLong(size).putLong(alignment);
  }

  @Test
  void jvmThatDeniesNativeAccess() throws Exception {
    assertThat(
            ForkedJava.run(
                "--illegal-native-access=deny",
                LoadMain.class.getName(),
                System.getProperty("java.home") + "/lib/libjsig.so"))
        .isEqualTo(
            "0: plugin: got a JVM that denies native access, want java"
                + " --enable-native-access=org.hlo4j.pjrt (on the class path: ALL-UNNAMED)");
  }

  /** Loads the file it is given and prints the refusal. */
  public static final class LoadMain {
    private LoadMain() {}

    /** Prints the refusal of a file. */
    public static void main(String[] args) {
      System.out.println(refusal(() -> PjrtPlugin.load(Path.of(args[0]))));
    }
  }

  /** The first place that has one wins. */
  @Test
  void placesOfPlugins() throws IOException {
    Path home = Files.createDirectories(folder.resolve("home"));
    Path mine = touch("home/.hlo4j/pjrt/xla_cpu_pjrt.so");
    Path pip = touch("venv/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    Path user = touch("home/.local/lib/python3.11/site-packages/libtpu/libtpu.so");
    Path listed = touch("lists/pjrt_c_api_cpu_plugin.so");
    Map<String, String> environment =
        ImmutableMap.of("VIRTUAL_ENV", folder.resolve("venv").toString());
    PluginFiles files = new PluginFiles(environment::get, home);
    assertThat(files.locate("cpu")).isEqualTo(mine);
    assertThat(files.locate("cuda")).isEqualTo(pip);
    assertThat(files.locate("gpu")).isEqualTo(pip);
    assertThat(files.locate("tpu")).isEqualTo(user);
    assertThat(files.locate("./a.so")).isEqualTo(Path.of("./a.so"));
    for (String variable : new String[] {"HLO4J_PJRT_PLUGINS", "PJRT_NAMES_AND_LIBRARY_PATHS"}) {
      String list = "mine:/a/b.so,cpu:" + listed + ",cuda:/c.so";
      assertThat(new PluginFiles(Map.of(variable, list)::get, home).locate("cpu"))
          .isEqualTo(listed);
      assertThat(new PluginFiles(Map.of(variable, list)::get, home).locate("mine"))
          .isEqualTo(Path.of("/a/b.so"));
    }
    String folders = requireNonNull(listed.getParent()).toString();
    assertThat(new PluginFiles(Map.of("HLO4J_PJRT_PLUGINS", folders)::get, home).locate("cpu"))
        .isEqualTo(listed);
  }

  private Path touch(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }

  @Test
  void pluginThatIsNowhere() {
    PluginFiles none = new PluginFiles(name -> null, folder);
    assertThat(refusal(() -> none.locate("rocm")))
        .startsWith(
            "plugin: got rocm, which was not found, want a file, or a name that HLO4J_PJRT_PLUGINS"
                + " has\n"
                + "  HLO4J_PJRT_PLUGINS\n"
                + "  PJRT_NAMES_AND_LIBRARY_PATHS\n"
                + "  "
                + folder
                + "/.hlo4j/pjrt");
  }

  /** P11: a type that the plugin does not expect ends the process; P47: names are swallowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cpu_device_count=two  | option cpu_device_count: got two of type String, want Long",
        "cpu_device_count=true | option cpu_device_count: got true of type Boolean, want Long",
        "cpu_device_count=0    | option cpu_device_count: got 0, want at least 1",
        "cpu_devices=2         | option: got cpu_devices, want one of the cpu plugin of version"
            + " 0.81: cpu_device_count",
        "asynchronous=true     | option: got asynchronous, want one of the cpu plugin of version"
            + " 0.81: cpu_device_count",
        "preallocate=false     | option: got preallocate, want one of the cpu plugin of version"
            + " 0.81: cpu_device_count",
        "=1                    | option: got =1, want NAME=VALUE",
        "cpu_device_count      | option: got cpu_device_count, want NAME=VALUE",
      })
  void optionsThatAreRefused(String option, String message) {
    assertThat(refusal(() -> PjrtOptions.DEFAULT.with(option).checked("cpu", 81)))
        .isEqualTo(message);
  }

  @Test
  void optionsOfText() {
    PjrtOptions options =
        PjrtOptions.DEFAULT
            .with("memory_fraction=1")
            .with("visible_devices=0+2")
            .with("allocator=bfc")
            .with("preallocate=true")
            .with("node_id=3");
    ImmutableMap<String, Object> values = options.checked("cuda", 81);
    assertThat(values.get("memory_fraction")).isEqualTo(1f);
    assertThat((long[]) values.get("visible_devices")).isEqualTo(new long[] {0, 2});
    assertThat(values.get("allocator")).isEqualTo("bfc");
    assertThat(values.get("preallocate")).isEqualTo(true);
    assertThat(values.get("node_id")).isEqualTo(3L);
    assertThat(refusal(() -> PjrtOptions.DEFAULT.with("x", new int[] {1})))
        .isEqualTo(
            "option x: got a value of type int[], want String, Long, long[], Float or Boolean");
  }

  /** P40: the memory of a GPU is not taken in advance. */
  @Test
  void memoryIsNotPreallocated() {
    assertThat(PjrtOptions.DEFAULT.checked("cuda", 81)).containsExactly("preallocate", false);
    assertThat(PjrtOptions.DEFAULT.checked("tpu", 81)).isEmpty();
    assertThat(PjrtOptions.DEFAULT.with("any", "thing").checked("tpu", 81)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void deviceCount(int count) {
    try (PjrtClient client =
        CpuPlugin.plugin().client(PjrtOptions.DEFAULT.with("cpu_device_count", count))) {
      assertThat(client.devices()).hasSize(count);
    }
  }

  /**
   * P25: events that are null have happened, and attributes may be unimplemented. The plugin of
   * each version keeps one array and gives it back.
   */
  @ParameterizedTest
  @CsvSource({"57, EXACTLY, 0", "81, AT_LEAST, 0", "114, EXACTLY, 0", "140, EXACTLY, 16"})
  void transfersOfAPluginWithoutEvents(int minor, Sizes rule, long growth) {
    MemorySegment kept = Arena.global().allocate(64, 64);
    AtomicInteger live = new AtomicInteger();
    FakePlugin fake = pluginWithOneArray(minor, rule, growth, kept, live);
    PjrtPlugin plugin = PjrtPlugin.of(folder, fake.table(), ImmutableList.builder());
    assertThat(plugin.attributes()).isEmpty();
    assertThat(plugin.stableHloVersion()).isEmpty();
    try (PjrtClient client = plugin.client();
        PjrtBuffer buffer = client.buffer(Literal.of(new float[] {1, 2}))) {
      assertThat(client.toString()).isEqualTo("fake of " + plugin + ": [device 7]");
      assertThat(buffer.isReady()).isTrue();
      assertThat(buffer.layout()).isEmpty();
      assertThat(buffer.toLiteral()).isEqualTo(Literal.of(new float[] {1, 2}));
    }
    assertThat(live.get()).isEqualTo(0);
    assertThat(fake.liveErrors()).isEqualTo(0);
  }

  /** P41: before a refusal is believed, forgotten buffers are freed; then it names the largest. */
  @Test
  void memoryThatIsFull() {
    AtomicInteger live = new AtomicInteger();
    MemorySegment kept = Arena.global().allocate(64, 64);
    FakePlugin fake = pluginWithOneArray(81, Sizes.AT_LEAST, 0, kept, live);
    fake.with(
        "PJRT_Client_BufferFromHostBuffer",
        call -> {
          if (live.get() > 3) {
            throw new IllegalStateException("full: no memory for 8 bytes");
          }
          call.set("buffer", 100 + live.incrementAndGet());
        });
    Literal two = Literal.of(new float[] {1, 2});
    PjrtOptions options = PjrtOptions.DEFAULT.with("any", "thing");
    try (PjrtClient client =
        PjrtPlugin.of(folder, fake.table(), ImmutableList.builder()).client(options)) {
      for (int i = 0; i < 20; i++) {
        var _ = client.buffer(two);
      }
      assertThat(live.get()).isAtMost(4);
      List<PjrtBuffer> used = new ArrayList<>();
      PjrtException full =
          assertThrows(
              PjrtException.class,
              () -> {
                while (true) {
                  used.add(client.buffer(two));
                }
              });
      assertThat(used).hasSize(3);
      assertThat(full.getMessage())
          .isEqualTo(
              "PJRT_Client_BufferFromHostBuffer: RESOURCE_EXHAUSTED: full: no memory for 8 bytes\n"
                  + "  24 bytes are in 3 buffers and executables\n"
                  + "  8 bytes: buffer f32[2]\n".repeat(3)
                  + "  options: {any=thing}");
      assertThat(full.kind()).isEqualTo(HloException.Kind.LIMIT);
    }
    assertThat(live.get()).isEqualTo(0);
  }

  /** Returns a plugin of one device that keeps one array. */
  static FakePlugin pluginWithOneArray(
      int minor, Sizes rule, long growth, MemorySegment kept, AtomicInteger live) {
    MemorySegment devices = Arena.global().allocate(8, 8);
    devices.set(ValueLayout.JAVA_LONG, 0, 70);
    return new FakePlugin(0, minor, rule, growth)
        .with("PJRT_Plugin_Initialize", call -> {})
        .with(
            "PJRT_Plugin_Attributes",
            call -> {
              throw new IllegalStateException("no attributes");
            })
        .with("PJRT_Client_Create", call -> call.set("client", live.incrementAndGet()))
        .with("PJRT_Client_Destroy", call -> live.decrementAndGet())
        .with("PJRT_Client_PlatformName", call -> call.set("platform_name", "fake"))
        .with(
            "PJRT_Client_AddressableDevices",
            call -> {
              call.set("addressable_devices", devices.address());
              call.set("num_addressable_devices", 1);
            })
        .with("PJRT_Device_GetDescription", call -> call.set("device_description", 71))
        .with("PJRT_DeviceDescription_Id", call -> call.set("id", 7))
        .with("PJRT_DeviceDescription_ToString", call -> call.set("to_string", "device 7"))
        .with(
            "PJRT_Client_BufferFromHostBuffer",
            call -> {
              kept.copyFrom(MemorySegment.ofAddress(call.get("data")).reinterpret(8));
              call.set("buffer", 100 + live.incrementAndGet());
            })
        .with("PJRT_Buffer_Destroy", call -> live.decrementAndGet())
        .with("PJRT_Buffer_ReadyEvent", call -> {})
        .with(
            "PJRT_Buffer_ToHostBuffer",
            call ->
                MemorySegment.ofAddress(call.get("dst"))
                    .reinterpret(8)
                    .copyFrom(kept.asSlice(0, 8)))
        .with("PJRT_Event_IsReady", call -> {})
        .with("PJRT_Event_Error", call -> {})
        .with("PJRT_Event_Destroy", call -> {});
  }
}
