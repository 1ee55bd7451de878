package org.hlo4j.pjrt;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.interpreter.child.ChildMain;
import org.hlo4j.pjrt.PluginCheck.Row;
import org.hlo4j.pjrt.PluginCheck.Verdict;
import org.hlo4j.pjrt.binding.FakePlugin;
import org.hlo4j.pjrt.binding.FakePlugin.Sizes;
import org.hlo4j.pjrt.binding.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of plugins: of XLA's for CPUs, of ones with faults, and of one that dies. */
final class PluginCheckTest {
  private static final Path NOWHERE = Path.of("/fake.so");

  private static ImmutableList<String> lines(PluginCheck check, Verdict verdict) {
    return check.rows().stream()
        .filter(row -> row.verdict() == verdict)
        .map(row -> row.name() + ": " + row.words())
        .collect(toImmutableList());
  }

  /** XLA's plugin for CPUs ignores that a program is deleted. */
  @Test
  void cpuPlugin() {
    List<Row> heard = new ArrayList<>();
    PluginCheck check = PluginCheck.of(CpuPlugin.file(), PjrtOptions.DEFAULT, heard::add);
    assertThat(lines(check, Verdict.FAILED)).containsExactly("deleted program: got 0, want is 1");
    assertThat(lines(check, Verdict.DIED)).isEmpty();
    assertThat(lines(check, Verdict.UNSUPPORTED))
        .containsExactly(
            "memory statistics: PJRT_Device_MemoryStats: UNIMPLEMENTED: GetAllocatorStats is not"
                + " supported",
            "transfer s1: pjrt: got elements of type s1, which plugins have since 0.94, want one"
                + " that version 0.81 has",
            "transfer u1: pjrt: got elements of type u1, which plugins have since 0.94, want one"
                + " that version 0.81 has",
            "memories of results: PJRT_Executable_OutputMemoryKinds: UNIMPLEMENTED:"
                + " GetOutputMemoryKinds is not supported.");
    assertThat(heard).isEqualTo(check.rows());
    assertThat(check.isPassed()).isFalse();
  }

  /** A plugin that ends its process in two of the checks. */
  static final class DyingPlugin extends CheckedPlugin {
    /** Serves it. */
    public static void main(String[] none) {
      ChildMain.serve(new DyingPlugin());
    }

    @Override
    public String answer(String question, byte[] data) {
      if (question.equals("check devices") || question.equals("check end")) {
        Runtime.getRuntime().halt(134);
      }
      return "";
    }
  }

  @Test
  void aPluginThatDiesIsARow() {
    PluginCheck check = PluginCheck.of(NOWHERE, PjrtOptions.DEFAULT, DyingPlugin.class, row -> {});
    assertThat(lines(check, Verdict.DIED))
        .containsExactly(
            "devices: child: ended with status 134 (SIGABRT) while being asked to check devices",
            "end: child: ended with status 134 (SIGABRT) while being asked to check end");
    assertThat(check.count(Verdict.PASSED)).isEqualTo(PluginCall.ALL.size() - 2);
    assertThat(check.isPassed()).isFalse();
  }

  /** What a plugin of any version lacks is unsupported, what is wrong failed. */
  @ParameterizedTest
  @CsvSource({"57, EXACTLY, 0", "81, AT_LEAST, 0", "114, EXACTLY, 0", "140, EXACTLY, 16"})
  void tableWithFaults(int minor, Sizes rule, long growth) {
    FakePlugin fake =
        PjrtPluginTest.pluginWithOneArray(
                minor, rule, growth, Arena.global().allocate(64, 64), new AtomicInteger())
            .with("PJRT_Client_BufferFromHostBuffer", call -> call.set("buffer", 101))
            .with(
                "PJRT_Buffer_ToHostBuffer",
                call -> {
                  throw new IllegalStateException("no way back");
                })
            .with("PJRT_Client_ProcessIndex", call -> call.set("process_index", -2))
            .with("PJRT_Client_PlatformVersion", call -> call.set("platform_version", " "))
            .with("PJRT_Client_TopologyDescription", call -> {})
            .with("PJRT_Client_LookupDevice", call -> call.set("device", 70))
            .with("PJRT_Device_IsAddressable", call -> call.set("is_addressable", 1))
            .with(
                "PJRT_Device_LocalHardwareId",
                call -> {
                  throw new IllegalStateException("no such device");
                });
    PluginCheck check = check(fake);
    assertThat(lines(check, Verdict.FAILED))
        .containsAtLeast(
            "attributes: PJRT_Plugin_Attributes: INVALID_ARGUMENT: no attributes",
            "platform version: got none, want text",
            "process index: got -2, want at least 0",
            "topology: got null, want pointer",
            "look-up of a device: got no refusal, want one",
            "local hardware id: PJRT_Device_LocalHardwareId: INVALID_ARGUMENT: no such device",
            "transfer f32: PJRT_Buffer_ToHostBuffer: INVALID_ARGUMENT: no way back")
        .inOrder();
    assertThat(lines(check, Verdict.UNSUPPORTED))
        .contains(
            "devices: PJRT_Client_Devices: got a plugin of version 0."
                + minor
                + " without it, want one that has it; it is there since 0.57");
    assertThat(passed(check))
        .containsAtLeast("load", "client", "platform name", "device id", "addressable device");
    assertThat(check.rows()).hasSize(PluginCall.ALL.size());
    assertThat(fake.liveErrors()).isEqualTo(0);
  }

  private static PluginCheck check(FakePlugin fake) {
    PjrtPlugin plugin = PjrtPlugin.of(NOWHERE, fake.table(), ImmutableList.builder());
    CheckedPlugin checked = new CheckedPlugin(plugin);
    return PluginCheck.of(question -> checked.answer(question, new byte[0]), row -> {});
  }

  private static ImmutableList<String> passed(PluginCheck check) {
    return check.rows().stream()
        .filter(row -> row.verdict() == Verdict.PASSED)
        .map(Row::name)
        .collect(toImmutableList());
  }

  @Test
  void withoutAClientNothingElseIsChecked() {
    FakePlugin fake =
        new FakePlugin(0, 81, Sizes.AT_LEAST, 0).with("PJRT_Plugin_Initialize", call -> {});
    PluginCheck check = check(fake);
    assertThat(check.rows()).hasSize(4);
    assertThat(check.rows().get(3).words())
        .isEqualTo(
            "PJRT_Client_Create: got a plugin of version 0.81 without it, want one that has it; it"
                + " is there since 0.57");
  }

  /** Each call is of a function that has such fields, each step one that there is. */
  @Test
  void rowsAreOfTheTable() {
    for (PluginCall call : PluginCall.ALL) {
      String function = call.function();
      for (String step : call.steps()) {
        List<String> words = Splitter.on(' ').splitToList(step);
        if (words.get(0).equals("call")) {
          function = words.get(1).startsWith("PJRT_") ? words.get(1) : call.function();
          words.stream()
              .filter(word -> word.contains("="))
              .map(word -> word.substring(0, word.indexOf('=')))
              .forEach(Table.PJRT.struct(function + "_Args")::field);
        }
        if (words.get(0).equals("require")) {
          assertWithMessage(call.name())
              .that(Table.PJRT.struct(function + "_Args").fields().keySet())
              .contains(words.get(1));
        }
      }
    }
    assertThat(PluginCall.ALL.stream().map(PluginCall::name).toList()).containsNoDuplicates();
  }
}
