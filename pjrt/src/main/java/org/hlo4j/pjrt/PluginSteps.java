package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.pjrt.CheckedPlugin.requireHolds;

import com.google.common.base.Splitter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.HostMemory;
import org.hlo4j.pjrt.binding.NamedValues;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.form.ProgramForm;
import org.hlo4j.pjrt.form.Shards;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a check, with what they have made so far. A step is a word and what it is about:
 *
 * <ul>
 *   <li>{@code call [FUNCTION] OBJECT FIELD=VALUE …} calls the function of the row, or another. A
 *       value is a number, {@code *NAME}, a copy of an array in memory of the host, {@code $NAME},
 *       an object or what the last call gave in a field, or {@code @FIELD}, the number to which
 *       that points. {@code require FIELD WANT} and {@code array FIELD ARRAY} are about the last
 *       call.
 *   <li>{@code compile FORMAT PROGRAM [DEVICES]} makes the program that {@code run ARRAYS = ARRAYS}
 *       and {@code execute BUFFER BUFFER TIMES [donated]} run, which is x + 1 without it.
 *   <li>The buffers {@code x} and {@code y} are the matrix unless {@code take FIELD BUFFER} or a
 *       run has made them; {@code close BUFFER} ends one, {@code destroy} the client and all else.
 *   <li>{@code refused}, {@code repeat}, {@code threads} and {@code each} are about all steps after
 *       them.
 * </ul>
 */
final class PluginSteps implements AutoCloseable {
  private static final Pattern REQUIRE =
      Pattern.compile(
          "(\\w+)(?: (\\w+))? (anything|text|pointer|values|event|pointers|is .*|at least .*)");

  private final CheckedPlugin on;
  private final PluginCall row;
  private final PjrtScope made = new PjrtScope();
  private final Map<String, PjrtBuffer> buffers = new HashMap<>();
  private final Arena arena = Arena.ofAuto();
  private @Nullable PjrtExecutable program;
  private @Nullable Call last;
  private long each;

  PluginSteps(CheckedPlugin on, PluginCall row) {
    this.on = on;
    this.row = row;
  }

  void run(List<String> steps) {
    for (int i = 0; i < steps.size(); i++) {
      String step = steps.get(i);
      List<String> words = Splitter.on(' ').splitToList(step);
      List<String> rest = steps.subList(i + 1, steps.size());
      switch (words.get(0)) {
        case "refused" -> requireRefused(() -> run(rest));
        case "repeat" -> {
          for (int j = 0; j < Integer.parseInt(words.get(1)); j++) {
            run(rest);
          }
        }
        case "threads" -> onThreads(Integer.parseInt(words.get(1)), () -> run(rest));
        case "each" ->
            addresses(words.get(1))
                .forEach(address -> {
                  each = address;
                  run(rest);
                });
        default -> {
          perform(words.get(0), step.substring(step.indexOf(' ') + 1), words);
          continue;
        }
      }
      return;
    }
  }

  private void perform(String verb, String about, List<String> words) {
    switch (verb) {
      case "plugin" -> on.plugin();
      case "device" -> on.device();
      case "call" -> call(words.subList(1, words.size()));
      case "require" -> require(about);
      case "array" -> requireArray(words.get(1), (Literal) PluginCall.named(words.get(2)));
      case "has" -> require(last().get(about) != 0, "got events that are null: no waiting");
      case "take" -> buffers.put(words.get(2), taken(last().get(words.get(1))));
      case "read" ->
          requireEqual(PluginCall.named(words.get(2)), buffer(words.get(1)).transferred());
      case "compile" -> {
        int devices = words.size() == 4 ? Integer.parseInt(words.get(3)) : 1;
        program = made.add(compile(on.client(), words.get(1), words.get(2), devices));
      }
      case "load" -> program = made.add(on.client().load(serialized(words)));
      case "run" -> runs(about);
      case "execute" -> execute(words);
      case "launch" -> launch(words.subList(1, words.size()));
      case "transfer" -> transfer(ElementType.valueOf(about));
      case "layout" -> requireLayout(buffer(about));
      case "optimized" ->
          requireEqual(
              Collections.nCopies(2, matrix()),
              Shards.arrays(program().optimizedProgram().entry()));
      case "extensions" -> extensions();
      case "answer" -> answer(about);
      case "close" -> buffer(about).close();
      case "sum" -> sumOfDevices();
      case "destroy" -> on.close();
      default -> throw new AssertionError("no step " + verb);
    }
  }

  private static void onThreads(int threads, Runnable work) {
    try (ExecutorService pool = Executors.newCachedThreadPool()) {
      Stream.generate(() -> CompletableFuture.runAsync(work, pool))
          .limit(threads)
          .toList()
          .forEach(CompletableFuture::join);
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof HloException own ? own : failed;
    }
  }

  private static void requireRefused(Runnable call) {
    try {
      call.run();
    } catch (PjrtException refused) {
      boolean isExplained = refused.summary().matches(".*PJRT_\\w+: [A-Z_]+: .+");
      requireHolds(isExplained, refused.summary(), "a code and a message");
      return;
    }
    requireHolds(false, "no refusal", "one");
  }

  private static void requireEqual(Object want, Object got) {
    requireHolds(got.equals(want), got, want);
  }

  private static void require(boolean isThere, String lack) {
    HloException.require(isThere, Kind.UNSUPPORTED, "%s", lack);
  }

  /** Calls a function; what it gave can be read until the next call. */
  private void call(List<String> words) {
    boolean isOther = words.get(0).startsWith("PJRT_");
    Call call = on.plugin().api().call(isOther ? words.get(0) : row.function());
    for (String word : isOther ? words.subList(1, words.size()) : words) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        call.set(word.substring(0, equals), value(word.substring(equals + 1)));
      } else if (!word.equals("none")) {
        call.set(MemorySegment.ofAddress(object(word)));
      }
    }
    closeLast();
    last = call;
    call.invoke();
  }

  private Call last() {
    return requireNonNull(last);
  }

  private void closeLast() {
    if (last != null) {
      last.close();
    }
  }

  private long value(String text) {
    String name = text.substring(1);
    return switch (text.charAt(0)) {
      case '$' -> object(name);
      case '@' -> Api.memory(last().get(name), Integer.BYTES).get(JAVA_INT, 0);
      case '*' -> {
        MemorySegment elements = ((Literal) PluginCall.named(name)).asMemorySegment();
        yield arena
            .allocate(elements.byteSize(), HostMemory.ALIGNMENT)
            .copyFrom(elements)
            .address();
      }
      default -> Long.parseLong(text);
    };
  }

  /** Returns the address of an object by its name, or what the last call gave in a field. */
  private long object(String name) {
    return switch (name) {
      case "client" -> on.client().handle.address();
      case "device" -> on.device().address().address();
      case "description" -> given("PJRT_Device_GetDescription", "device", "device_description");
      case "memory" -> given("PJRT_Device_DefaultMemory", "device", "memory");
      case "topology" -> given("PJRT_Client_TopologyDescription", "client", "topology");
      case "loaded" -> program().handle().address();
      case "executable" -> {
        long owned = given("PJRT_LoadedExecutable_GetExecutable", "loaded", "executable");
        made.add(() -> on.client().api.function("PJRT_Executable_Destroy").call(owned));
        yield owned;
      }
      case "each" -> each;
      case "x", "y" -> buffer(name).handle().address();
      default -> last().get(name);
    };
  }

  private long given(String function, String object, String field) {
    MemorySegment of = MemorySegment.ofAddress(object(object));
    return on.client().ask(function, of, call -> call.get(field));
  }

  /** Returns the devices but the first, or the memories of that. */
  private LongStream addresses(String what) {
    return what.equals("memories")
        ? on.device().memories().stream().mapToLong(memory -> memory.address().address())
        : on.client().devices().stream().skip(1).mapToLong(other -> other.address().address());
  }

  /** Requires what must hold of what the last call gave in a field. */
  private void require(String about) {
    Matcher parts = REQUIRE.matcher(about);
    requireHolds(parts.matches(), about, REQUIRE);
    String field = parts.group(1);
    String more = parts.group(2);
    String want = parts.group(3);
    switch (want) {
      case "anything" -> last().get(field);
      case "text" -> requireHolds(!last().text(field).isBlank(), "none", want);
      case "pointer" -> requireHolds(last().get(field) != 0, "null", want);
      case "values" -> NamedValues.read(last(), field);
      case "event" -> Events.await(on.client().events.take(last().get(field), row.name()));
      case "pointers" -> {
        List<MemorySegment> all = last().pointers(field, more);
        boolean isFull = !all.isEmpty() && all.stream().allMatch(one -> one.address() != 0);
        requireHolds(isFull, all, "pointers that are not null");
      }
      default -> {
        String got =
            more == null ? "" + last().get(field) : Arrays.toString(last().longs(field, more));
        String number = want.substring(want.lastIndexOf(' ') + 1);
        boolean holds =
            want.startsWith("at least ")
                ? Long.parseLong(got) >= Long.parseLong(number)
                : got.equals(
                    number.startsWith("$") ? "" + value(number) : want.substring("is ".length()));
        requireHolds(holds, got, want);
      }
    }
  }

  private void requireArray(String field, Literal want) {
    require("event event");
    MemorySegment got = Api.memory(last().get(field), want.asMemorySegment().byteSize());
    requireEqual(want, Literal.of(want.shape(), got));
  }

  /** Returns a buffer, which is alive until the end, whatever a run makes of it. */
  private PjrtBuffer buffer(String name) {
    return buffers.computeIfAbsent(
        name,
        any -> {
          PjrtBuffer buffer = made.add(on.matrix());
          made.add(buffer.handle().hold()::release);
          buffer.await();
          return buffer;
        });
  }

  private PjrtBuffer taken(long address) {
    return made.add(new PjrtBuffer(on.device(), matrix(), address));
  }

  private static Shape.Array matrix() {
    return ((Literal) PluginCall.named("matrix")).arrayShape();
  }

  private PjrtExecutable program() {
    return program == null ? on.program() : program;
  }

  /** Compiles a program that has a name: as an artifact of the plugin's version, or as it is. */
  static PjrtExecutable compile(PjrtClient client, String format, String name, int devices) {
    String text = (String) PluginCall.named(name);
    PjrtCompileOptions options = PjrtCompileOptions.DEFAULT.withGrid(new DeviceGrid(devices, 1));
    if (format.equals("artifact")) {
      return client.compile(Parser.parse(text), options);
    }
    return client.compile(
        text.startsWith("HloModule")
            ? ProgramForm.unverified(Parser.parse(text))
            : new ProgramForm(format, text.getBytes(UTF_8), "check"),
        options);
  }

  private byte[] serialized(List<String> words) {
    return words.size() == 1
        ? program().serialize()
        : ((String) PluginCall.named(words.get(1))).getBytes(UTF_8);
  }

  private void runs(String about) {
    List<List<Literal>> sides =
        Splitter.on(" = ")
            .splitToStream(about)
            .map(side -> Splitter.on(' ').splitToStream(side))
            .map(names -> names.map(name -> (Literal) PluginCall.named(name)).toList())
            .toList();
    requireEqual(sides.get(1), program().run(sides.get(0).toArray(Literal[]::new)));
  }

  private void execute(List<String> words) {
    for (int i = 0; i < Integer.parseInt(words.get(3)); i++) {
      Set<Integer> donated = words.size() == 5 ? Set.of(0) : Set.of();
      List<PjrtBuffer> arguments = List.of(buffer(words.get(1)));
      buffers.put(words.get(2), made.addAll(program().execute(arguments, donated)).get(0));
    }
  }

  /** Runs the program with any arguments. */
  private void launch(List<String> arguments) {
    PjrtClient client = on.client();
    Launch launch = new Launch(client.api, program().handle().pointer(), 1, arguments.size(), 1);
    for (int i = 0; i < arguments.size(); i++) {
      launch.setArgument(i, object(arguments.get(i)));
    }
    launch.run(Set.of());
  }

  /** Arrays of a type, of which all bytes differ, come back as they went. */
  private void transfer(ElementType type) {
    for (Shape.Array shape : List.of(Shape.of(type), Shape.of(type, 3), Shape.of(type, 2, 0))) {
      Literal array = Literal.ofBits(shape, i -> 0x0807060504030201L * (i + 1));
      try (PjrtBuffer buffer = on.client().buffer(array, on.device())) {
        requireEqual(array, buffer.transferred());
      }
    }
  }

  private void requireLayout(PjrtBuffer buffer) {
    Function _ = on.client().api.function(row.function()); // refused if there is none
    Optional<Layout> layout = buffer.layout();
    require(layout.isPresent(), row.function() + ": strides");
    boolean isPermutation = layout.orElseThrow().minorToMajor().isPermutation();
    requireHolds(isPermutation, layout, "a permutation of 0 and 1");
  }

  private void extensions() {
    StructLayout base = Table.PJRT.struct("PJRT_Extension_Base");
    for (Api.Extension one : on.plugin().api().extensions().values()) {
      long size = base.field("struct_size").get(one.memory());
      requireHolds(
          size >= base.sizeof(), size + " bytes of " + one.name(), base.sizeof() + " or more");
    }
  }

  /** Lets Java answer a custom call. */
  private void answer(String target) {
    Literal answer = (Literal) PluginCall.named("answer");
    PjrtCustomCalls.register(on.plugin(), target, (call, operands) -> answer);
  }

  /** Each device has a number, and the sum of all. */
  private void sumOfDevices() {
    int count = on.client().devices().size();
    require(count > 1, "got one device, want two or more");
    HloModule sum = Parser.parse((String) PluginCall.named("sumOfDevices"));
    List<List<Literal>> numbers =
        IntStream.rangeClosed(1, count).mapToObj(i -> List.of(Literal.of((float) i))).toList();
    Literal want = Literal.of(count * (count + 1) / 2f);
    Pjrt.evaluator(on.client())
        .runOnDevices(sum, new DeviceGrid(count, 1), numbers)
        .forEach(got -> requireEqual(want, got));
  }

  @Override
  public void close() {
    closeLast();
    made.close();
  }
}
