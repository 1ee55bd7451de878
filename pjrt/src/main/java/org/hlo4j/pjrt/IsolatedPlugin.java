package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.nio.file.Path;
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
  /** The option that has the file of the plugin; the others are those of its client. */
  private static final String PLUGIN = "plugin's file";

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
    return new ChildEvaluator.Settings(
        ChildCommand.of(system, isolation.environment(), isolation.javaOptions()),
        ImmutableMap.<String, Object>builder()
            .put(PLUGIN, plugin.toAbsolutePath().toString())
            .putAll(options.values())
            .buildOrThrow(),
        isolation.processes(),
        isolation.startDeadline(),
        isolation.deadline());
  }

  /** Returns the file of the plugin. */
  static Path file(ImmutableMap<String, Object> options) {
    return Path.of(requireNonNull(options.get(PLUGIN)).toString());
  }

  /** Returns the options of the client. */
  static PjrtOptions options(ImmutableMap<String, Object> options) {
    PjrtOptions given = PjrtOptions.DEFAULT;
    for (var option : Maps.filterKeys(options, name -> !name.equals(PLUGIN)).entrySet()) {
      given = given.with(option.getKey(), option.getValue());
    }
    return given;
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, Object> options) {
    PjrtClient made = PjrtPlugin.load(file(options), any -> {}).client(options(options));
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
