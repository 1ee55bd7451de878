package org.hlo4j.pjrt;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.child.ChildMain;
import org.hlo4j.interpreter.child.ChildSystem;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.NamedValues;
import org.jspecify.annotations.Nullable;

/**
 * A plugin under check, in a process of its own: it answers the question of each {@link
 * PluginCall}. What the questions are about, as a client and a buffer, is made when it is asked
 * for.
 */
class CheckedPlugin implements ChildSystem {
  private ImmutableMap<String, String> given = ImmutableMap.of();
  private @Nullable PjrtPlugin plugin;
  private @Nullable PjrtClient client;
  private @Nullable PjrtExecutable program;

  CheckedPlugin() {}

  /** The main method of a child process. */
  public static void main(String[] none) {
    ChildMain.serve(new CheckedPlugin());
  }

  /** Checks a plugin that is loaded already. */
  CheckedPlugin(PjrtPlugin plugin) {
    this.plugin = plugin;
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, String> options) {
    given = options; // loading is the first check, which may end the process
    return Interpreter.reference();
  }

  @Override
  public String answer(String question, byte[] nothing) {
    PluginCall call =
        PluginCall.ALL.stream()
            .filter(each -> each.question().equals(question))
            .findFirst()
            .orElseThrow(() -> new HloException("", question + ": is no check"));
    try {
      check(call);
      return "";
    } catch (HloException problem) {
      throw problem;
    } catch (RuntimeException | AssertionError foreign) {
      throw new HloException("", "got what the binding does not expect: " + foreign);
    }
  }

  private void check(PluginCall call) {
    switch (call.object()) {
      case PluginCall.CODE -> PluginChecks.method(call.fields()).accept(this);
      case PluginCall.TYPES -> BufferChecks.transfer(this, call.type());
      case "none" -> {
        try (Call asked = plugin().api().call(call.function())) {
          require(asked.invoke(), call);
        }
      }
      case "executable" ->
          program()
              .ask(
                  call.function(),
                  answer -> {
                    require(answer.invoke(), call);
                    return true;
                  });
      case "buffer" -> {
        try (PjrtBuffer buffer = matrix()) {
          require(call, buffer.handle().pointer());
          buffer.await();
        }
      }
      default -> require(call, object(call.object()));
    }
  }

  private MemorySegment object(String name) {
    return switch (name) {
      case "client" -> client().handle.pointer();
      case "device" -> device().address();
      case "description" ->
          pointer("PJRT_Device_GetDescription", device().address(), "device_description");
      case "memory" -> pointer("PJRT_Device_DefaultMemory", device().address(), "memory");
      case "topology" ->
          pointer("PJRT_Client_TopologyDescription", client().handle.pointer(), "topology");
      case "loaded" -> program().handle().pointer();
      default -> throw new HloException("", "check: got " + name + ", want an object");
    };
  }

  private MemorySegment pointer(String function, MemorySegment object, String field) {
    return client().ask(function, object, call -> call.pointer(field));
  }

  /** Calls a function of an object, and requires what must hold. */
  private void require(PluginCall row, MemorySegment object) {
    client()
        .ask(
            row.function(),
            object,
            call -> {
              require(call, row);
              return true;
            });
  }

  /** Requires what must hold of what a call gave. */
  private void require(Call call, PluginCall row) {
    List<String> fields = Splitter.on(' ').splitToList(row.fields());
    String field = fields.get(0);
    String want = row.want();
    switch (want) {
      case "anything" -> call.get(field);
      case "text" -> requireHolds(!call.text(field).isBlank(), "none", want);
      case "pointer" -> requireHolds(call.get(field) != 0, "null", want);
      case "values" -> NamedValues.read(call.pointer(field), call.get(fields.get(1)));
      case "event" -> Events.await(client().events.take(call.get(field), row.name()));
      case "pointers" -> {
        List<MemorySegment> all = call.pointers(field, fields.get(1));
        boolean isFull = !all.isEmpty() && all.stream().allMatch(each -> each.address() != 0);
        requireHolds(isFull, all, "pointers that are not null");
      }
      default -> {
        boolean isArray = fields.size() == 2;
        String got =
            isArray
                ? Arrays.toString(call.longs(field, fields.get(1)))
                : String.valueOf(call.get(field));
        String number = want.substring(want.lastIndexOf(' ') + 1);
        requireHolds(
            want.startsWith("is ")
                ? want.equals("is " + got)
                : Long.parseLong(got) >= Long.parseLong(number),
            got,
            want);
      }
    }
  }

  static void requireHolds(boolean holds, Object got, String want) {
    HloException.require(holds, Kind.ARGUMENT, "got %s, want %s", got, want);
  }

  PjrtPlugin plugin() {
    PjrtPlugin loaded = plugin;
    if (loaded == null) {
      loaded = PjrtPlugin.load(IsolatedPlugin.file(given), any -> {});
      plugin = loaded;
    }
    return loaded;
  }

  PjrtClient client() {
    PjrtClient made = client;
    if (made == null) {
      made = plugin().client(IsolatedPlugin.options(given));
      client = made;
    }
    return made;
  }

  PjrtDevice device() {
    requireHolds(!client().devices().isEmpty(), "no device", "one");
    return client().devices().get(0);
  }

  /** Returns x + 1 of f32[2,3]. */
  PjrtExecutable program() {
    PjrtExecutable compiled = program;
    if (compiled == null) {
      compiled = PluginChecks.plusOne(this, "2x3xf32");
      program = compiled;
    }
    return compiled;
  }

  /** Returns an array on the device, to be closed. */
  PjrtBuffer matrix() {
    return client().buffer(PluginChecks.MATRIX, device());
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
      client = null;
      program = null;
    }
  }
}
