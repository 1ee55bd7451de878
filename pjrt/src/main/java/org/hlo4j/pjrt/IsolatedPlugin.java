package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Longs;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.child.ChildCommand;
import org.hlo4j.interpreter.child.ChildEvaluator;
import org.hlo4j.interpreter.child.ChildMain;
import org.hlo4j.interpreter.child.ChildSystem;
import org.jspecify.annotations.Nullable;

/** A plugin as the system of a child process: its own client runs the programs there. */
final class IsolatedPlugin implements ChildSystem {
  private static final String PLUGIN = "plugin";
  private static final String COMPILE = "compile";

  /** A program that any plugin runs. */
  private static final HloModule NOTHING =
      Parser.parse("HloModule nothing\nENTRY e { ROOT c = s32[] constant(0) }");

  private @Nullable PjrtClient client;

  /** The main method of a child process. */
  public static void main(String[] none) {
    ChildMain.serve(new IsolatedPlugin());
  }

  /**
   * Tries whether a plugin takes flags of the environment: it ends the process if it does not.
   *
   * @throws HloException if it does
   */
  static void requireFlags(Path plugin, @Nullable String flags) {
    if (flags == null || flags.isBlank()) {
      return;
    }
    PjrtEvaluator.Isolation same =
        PjrtEvaluator.Isolation.DEFAULT.withEnvironment(PjrtPlugin.XLA_FLAGS, flags);
    try (ChildEvaluator child = evaluator(plugin, PjrtOptions.DEFAULT, same)) {
      child.run(NOTHING);
    } catch (HloException failure) {
      Throwable ended = failure.getCause() == null ? failure : failure.getCause();
      if (ended instanceof HloException end && end.kind() == HloException.Kind.ENDED) {
        throw end.prefixed("plugin: got XLA_FLAGS=" + flags + ", want flags that it knows; ");
      }
    }
  }

  /** Starts an evaluator in child processes. */
  static ChildEvaluator evaluator(
      Path plugin, PjrtOptions options, PjrtEvaluator.Isolation isolation) {
    return new ChildEvaluator(settings(plugin, options, isolation, IsolatedPlugin.class));
  }

  /** Returns how a system for a plugin is started in child processes. */
  static ChildEvaluator.Settings settings(
      Path plugin,
      PjrtOptions options,
      PjrtEvaluator.Isolation isolation,
      Class<? extends ChildSystem> system) {
    ImmutableMap.Builder<String, String> texts = ImmutableMap.builder();
    texts.put(PLUGIN, plugin.toAbsolutePath().toString());
    options.values().forEach((name, value) -> texts.put("option." + name, text(value)));
    return new ChildEvaluator.Settings(
        ChildCommand.of(system, isolation.environment(), isolation.javaOptions()),
        texts.buildOrThrow(),
        isolation.processes(),
        isolation.startDeadline(),
        isolation.deadline());
  }

  /** Writes the value of an option with its type. */
  private static String text(Object value) {
    return switch (value) {
      case long[] numbers -> "longs " + Longs.join(",", numbers);
      default -> value.getClass().getSimpleName() + " " + value;
    };
  }

  private static Object value(String text) {
    List<String> parts = Splitter.on(' ').limit(2).splitToList(text);
    String value = parts.get(1);
    return switch (parts.get(0)) {
      case "Long" -> Long.valueOf(value);
      case "Float" -> Float.valueOf(value);
      case "Boolean" -> Boolean.valueOf(value);
      case "longs" ->
          Splitter.on(',')
              .omitEmptyStrings()
              .splitToStream(value)
              .mapToLong(Long::parseLong)
              .toArray();
      default -> value;
    };
  }

  /** Returns the file of the plugin. */
  static Path file(ImmutableMap<String, String> texts) {
    return Path.of(texts.get(PLUGIN));
  }

  /** Returns the options of the client. */
  static PjrtOptions options(ImmutableMap<String, String> texts) {
    PjrtOptions given = PjrtOptions.DEFAULT;
    for (var option : texts.entrySet()) {
      if (option.getKey().startsWith("option.")) {
        given = given.with(option.getKey().substring("option.".length()), value(option.getValue()));
      }
    }
    return given;
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, String> texts) {
    PjrtClient made = PjrtPlugin.load(file(texts), any -> {}).client(options(texts));
    client = made;
    return Pjrt.evaluator(made);
  }

  /** Asks whether the plugin compiles a module that need not be valid. */
  static void requireCompiles(ChildEvaluator children, HloModule module) {
    children.answer(COMPILE + " " + module.name(), HloProtos.writeModule(module));
  }

  @Override
  public String answer(String question, byte[] program) {
    if (!question.startsWith(COMPILE)) {
      return ChildSystem.super.answer(question, program);
    }
    requireNonNull(client).compileUnverified(HloProtos.readModule(program)).close();
    return "";
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
