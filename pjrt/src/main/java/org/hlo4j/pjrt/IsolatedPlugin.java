package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.child.ChildCommand;
import org.hlo4j.interpreter.child.ChildEvaluator;
import org.hlo4j.interpreter.child.ChildMain;
import org.hlo4j.interpreter.child.ChildSystem;
import org.hlo4j.pjrt.form.ProgramForm;
import org.jspecify.annotations.Nullable;

/** A plugin as the system of a child process: its own client runs the programs there. */
class IsolatedPlugin implements ChildSystem {
  /** The option that has the file of the plugin; the others are those of its client. */
  private static final String PLUGIN = "plugin's file";

  /** The question whether the plugin compiles a module that need not be valid. */
  static final String COMPILE = "compile ";

  /** A program that any plugin runs. */
  private static final HloModule NOTHING =
      Parser.parse("HloModule nothing\nENTRY e { ROOT c = s32[] constant(0) }");

  /** The file of the plugin and the options of its client, of which neither is made yet. */
  ImmutableMap<String, Object> given = ImmutableMap.of();

  private final Supplier<PjrtPlugin> plugin;
  private final PjrtScope made = new PjrtScope();
  private Supplier<PjrtClient> client = Suppliers.memoize(this::madeClient);

  IsolatedPlugin() {
    plugin =
        Suppliers.memoize(() ->
            PjrtPlugin.load(Path.of(requireNonNull(given.get(PLUGIN)).toString()), any -> {}));
  }

  /** A plugin that is loaded already. */
  IsolatedPlugin(PjrtPlugin plugin) {
    this.plugin = () -> plugin;
  }

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

  final PjrtPlugin plugin() {
    return plugin.get();
  }

  final PjrtClient client() {
    return client.get();
  }

  private PjrtClient madeClient() {
    PjrtOptions options = PjrtOptions.DEFAULT;
    for (var option : Maps.filterKeys(given, name -> !name.equals(PLUGIN)).entrySet()) {
      options = options.with(option.getKey(), option.getValue());
    }
    return made.add(plugin().client(options));
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, Object> options) {
    given = options;
    return Pjrt.evaluator(client());
  }

  @Override
  public String answer(String question, byte[] program) {
    if (!question.startsWith(COMPILE)) {
      return ChildSystem.super.answer(question, program);
    }
    ProgramForm unverified = ProgramForm.unverified(HloProtos.readModule(program));
    client().compile(unverified, PjrtCompileOptions.DEFAULT).close();
    return "";
  }

  /** Closes the client; the next question makes another. */
  @Override
  public void close() {
    made.close();
    client = Suppliers.memoize(this::madeClient);
  }
}
