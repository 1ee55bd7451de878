package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.NamedValues;
import org.hlo4j.pjrt.binding.NativeLibrary;
import org.hlo4j.pjrt.binding.NativeThread;
import org.hlo4j.pjrt.binding.SignalHandlers;
import org.hlo4j.pjrt.ffi.CustomCallRegistry;
import org.hlo4j.pjrt.form.ProgramReader;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * A PJRT plugin: a shared library that compiles and runs programs on a kind of device. It stays
 * loaded until the process ends.
 *
 * <p>A plugin is native code, which the JVM must permit by {@code --enable-native-access}. It may
 * end the process where it fails: a failed check in it is an abort, which no Java program can
 * catch.
 */
public final class PjrtPlugin {
  /** A variable of the environment, which XLA reads with its first client. */
  static final String XLA_FLAGS = "XLA_FLAGS";

  private static final Map<Path, PjrtPlugin> LOADED = new HashMap<>();

  private final Path path;
  private final Api api;
  private final ImmutableMap<String, Object> attributes;
  private final ImmutableList<Integer> changedSignals;
  private final CustomCallRegistry customCalls;

  private PjrtPlugin(
      Path path,
      Api api,
      ImmutableMap<String, Object> attributes,
      ImmutableList<Integer> changedSignals) {
    this.path = path;
    this.api = api;
    this.attributes = attributes;
    this.changedSignals = changedSignals;
    this.customCalls = new CustomCallRegistry(api);
  }

  /** Initializes the plugin, and returns what it says of itself. */
  private static ImmutableMap<String, Object> initialized(Api api) {
    try (Call call = api.call("PJRT_Plugin_Initialize")) {
      call.invoke();
    }
    try (Call call = api.call("PJRT_Plugin_Attributes")) {
      return NamedValues.read(call.invoke(), "attributes");
    } catch (HloException unimplemented) {
      return ImmutableMap.of(); // some plugins have none
    }
  }

  /**
   * Loads a plugin, once for each file: the second call returns what the first did. If {@code
   * XLA_FLAGS} is set, the plugin is tried in a process of its own before, since a flag that it
   * does not know ends the process.
   *
   * @param library the shared library
   * @return the plugin
   * @throws HloException if the file cannot be read, is no library for this machine, is no PJRT
   *     plugin, or has a version of the interface before 0.57 or of another major version; if it
   *     does not take {@code XLA_FLAGS}
   */
  public static PjrtPlugin load(Path library) {
    return load(library, file -> IsolatedPlugin.requireFlags(file, System.getenv(XLA_FLAGS)));
  }

  /** Loads a plugin after a trial, unless it is loaded. */
  static PjrtPlugin load(Path library, Consumer<Path> trial) {
    Path file;
    try {
      file = library.toRealPath();
    } catch (IOException e) {
      throw new HloException(Kind.IO, "plugin: got " + library + ", which is no file, want one");
    }
    NativeLibrary.requireNativeAccess();
    synchronized (LOADED) {
      return LOADED.computeIfAbsent(
          file,
          any -> {
            trial.accept(file);
            return NativeThread.run("load", () -> loaded(file), late -> {});
          });
    }
  }

  private static PjrtPlugin loaded(Path file) {
    NativeLibrary.setEnvironment("TF_CPP_MIN_LOG_LEVEL", "2");
    ImmutableList.Builder<Integer> changed = ImmutableList.builder();
    MemorySegment table = SignalHandlers.keeping(() -> NativeLibrary.load(file), changed);
    return of(file, table, changed);
  }

  /** Returns a plugin of which the table of functions is known: one that tests make. */
  static PjrtPlugin of(Path path, MemorySegment table, ImmutableList.Builder<Integer> changed) {
    Api api = new Api(table, path.toString());
    ImmutableMap<String, Object> attributes =
        SignalHandlers.keeping(() -> initialized(api), changed);
    return new PjrtPlugin(path, api, attributes, changed.build());
  }

  /**
   * Loads the plugin of a platform. It is looked for in these places, and the first is taken:
   *
   * <ol>
   *   <li>the environment variable {@code HLO4J_PJRT_PLUGINS}, a list with commas of {@code
   *       NAME:FILE} and of folders;
   *   <li>{@code PJRT_NAMES_AND_LIBRARY_PATHS}, JAX's list of {@code NAME:FILE};
   *   <li>the folder {@code .hlo4j/pjrt} of the user;
   *   <li>the packages {@code xla_plugins}, {@code jax_plugins} and {@code libtpu} of Python: those
   *       of the active environment ({@code VIRTUAL_ENV}, {@code CONDA_PREFIX}), of the user
   *       ({@code .local}), and of {@code /usr/local}.
   * </ol>
   *
   * @param name {@code cpu}, {@code cuda}, {@code tpu} or another, or the path of a file
   * @return the plugin
   * @throws HloException if there is none; as {@link #load}
   */
  public static PjrtPlugin find(String name) {
    return load(locate(name));
  }

  /**
   * Returns the file of the plugin that {@link #find} would load.
   *
   * @param name {@code cpu}, {@code cuda}, {@code tpu} or another, or the path of a file
   * @return the file
   * @throws HloException if there is none; the places are facts
   */
  public static Path locate(String name) {
    return new PluginFiles(System::getenv, Path.of(System.getProperty("user.home"))).locate(name);
  }

  /**
   * Creates a client with the plugin's own settings.
   *
   * @return the client, to be closed
   * @throws PjrtException if the plugin refuses, as where there is no device
   */
  public PjrtClient client() {
    return client(PjrtOptions.DEFAULT);
  }

  /**
   * Creates a client. A process should have one for each plugin: each has threads of its own, and
   * takes memory of the devices.
   *
   * @param options settings such as {@code cpu_device_count}
   * @return the client, to be closed
   * @throws HloException if an option is not one of this platform's
   * @throws PjrtException if the plugin refuses, as where there is no device
   */
  public PjrtClient client(PjrtOptions options) {
    ImmutableMap<String, Object> values = options.checked(PluginFiles.platform(path), api.minor());
    return NativeThread.run(
        "client",
        () ->
            SignalHandlers.keeping(
                () -> PjrtClient.create(this, options, values), ImmutableList.builder()),
        PjrtClient::close);
  }

  /**
   * Returns the file.
   *
   * @return its real path
   */
  public Path path() {
    return path;
  }

  /**
   * Returns the version of PJRT's C API that the plugin was built with.
   *
   * @return as {@code 0.81}
   */
  public String apiVersion() {
    return api.version();
  }

  /**
   * Returns what the plugin says of itself.
   *
   * @return values of type String, Long, {@code long[]}, Float or Boolean by name
   */
  public ImmutableMap<String, Object> attributes() {
    return attributes;
  }

  /**
   * Returns the version of StableHLO that the plugin reads.
   *
   * @return as {@code 1.13.3}; empty if it does not say
   * @throws HloException if it says something else than three numbers
   */
  public Optional<String> stableHloVersion() {
    return ProgramReader.of(attributes).stableHlo().map(Version::toString);
  }

  /**
   * Returns the extensions of the interface that the plugin has.
   *
   * @return their names, such as {@code FFI}; numbers of those that hlo4j does not know
   */
  public ImmutableList<String> extensions() {
    return api.extensions().values().stream()
        .map(Api.Extension::name)
        .sorted()
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the functions of the interface, as of version 0.114, that the plugin does not have.
   *
   * @return their names
   */
  public ImmutableList<String> missingFunctions() {
    return api.missing();
  }

  /**
   * Returns the signals whose handlers the plugin replaced when it was loaded, and which were put
   * back: the JVM needs its own. If it is not enough, start Java with {@code
   * LD_PRELOAD=libjsig.so}.
   *
   * @return numbers, as 11 for SIGSEGV
   */
  public ImmutableList<Integer> changedSignals() {
    return changedSignals;
  }

  Api api() {
    return api;
  }

  CustomCallRegistry customCalls() {
    return customCalls;
  }

  /** Returns the path and the version. */
  @Override
  public String toString() {
    return path + " (PJRT C API " + apiVersion() + ")";
  }
}
