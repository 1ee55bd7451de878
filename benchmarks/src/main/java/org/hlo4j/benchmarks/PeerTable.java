package org.hlo4j.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * A program that compares the time of each workload with those of the peers that are installed, and
 * prints a Markdown table:
 *
 * <pre>
 *   mvn -q -Ppeers -pl benchmarks -am compile exec:exec -Dmain=org.hlo4j.benchmarks.PeerTable \
 *     -Dbenchmark=RESULTS.md \
 *     -Dxla.python=/path/to/python/with/jax -Dopenblas=/path/to/libopenblas.so \
 *     -Dpjrt.plugin=/path/to/xla_cpu_pjrt.so
 * </pre>
 *
 * <p>The contenders are processes that alternate: in each round each of them is timed once, with
 * all processors of the machine. A cell is the median over the rounds. A ratio is the time of the
 * peer over that of the compiled evaluator with vectors, again the median over the rounds. {@code
 * -Donly=REGEX} selects rows by name; {@code programs} are the programs of a folder. Properties of
 * the virtual machine, for JDK_JAVA_OPTIONS: {@code -Dhlo4j.bench.rounds}, {@code warm} (seconds),
 * {@code programs} (the folder), {@code verbose}.
 */
public final class PeerTable {
  static final String OURS = "compiled";
  private static final String ONNX = "org.hlo4j.benchmarks.peers.OnnxServer";
  private static final int ROUNDS = Integer.getInteger("hlo4j.bench.rounds", 9);
  private static final int SAMPLES = 7;
  private static final long REST_MILLIS = 100;
  private static final List<String> VECTORS = List.of("--add-modules", "jdk.incubator.vector");

  private final List<Contender> contenders;
  private final Path folder;

  private PeerTable(List<Contender> contenders, Path folder) {
    this.contenders = contenders;
    this.folder = folder;
  }

  /**
   * Prints the table, and writes it to a file if one is named.
   *
   * @param args the file
   * @throws IOException if a process cannot be started or the file cannot be written
   */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createTempDirectory("hlo4j-bench");
    List<Contender> contenders = contenders(folder);
    try {
      String table = new PeerTable(contenders, folder).table();
      IO.println(table);
      if (args.length > 0 && args[0].endsWith(".md")) {
        Files.writeString(Path.of(args[0]), table);
      }
    } finally {
      contenders.forEach(Contender::close);
    }
  }

  // The contenders.

  private static List<Contender> contenders(Path folder) throws IOException {
    List<Contender> all = new ArrayList<>();
    String main = Hlo4jServer.class.getName();
    all.add(Contender.java(OURS, options(VECTORS), main, "compiled"));
    all.add(Contender.java("compiled, no vectors", options(List.of()), main, "compiled"));
    all.add(Contender.java("reference", options(List.of()), main, "reference"));
    if (PeerTable.class.getResource("/" + ONNX.replace('.', '/') + ".class") != null) {
      all.add(Contender.java("ONNX Runtime", options(List.of()), ONNX));
    }
    Optional<String> python = given("xla.python");
    if (python.isPresent()) {
      all.add(
          Contender.start("XLA:CPU", Map.of(), List.of(python.get(), script(folder).toString())));
    }
    Optional<String> plugin = given("pjrt.plugin");
    if (plugin.isPresent()) {
      List<String> options = List.of("--enable-native-access=ALL-UNNAMED");
      all.add(Contender.java("XLA:CPU by PJRT", options(options), main, plugin.get()));
    }
    Optional<String> blas = given("openblas");
    if (blas.isPresent()) {
      List<String> options = List.of("--enable-native-access=ALL-UNNAMED");
      all.add(Contender.java("OpenBLAS", options(options), BlasServer.class.getName(), blas.get()));
    }
    return all;
  }

  private static Optional<String> given(String property) {
    return Optional.ofNullable(System.getProperty(property)).filter(value -> !value.isEmpty());
  }

  private static List<String> options(List<String> more) {
    List<String> options = new ArrayList<>(List.of("-Xmx3g", "-Xms1g"));
    options.addAll(more);
    String warm = System.getProperty("hlo4j.bench.warm");
    if (warm != null) {
      options.add("-Dhlo4j.bench.warm=" + warm);
    }
    return options;
  }

  private static Path script(Path folder) throws IOException {
    Path script = folder.resolve("xla_peer.py");
    try (InputStream in = PeerTable.class.getResourceAsStream("xla_peer.py")) {
      Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
    }
    return script;
  }

  // The workloads.

  private String table() throws IOException {
    StringBuilder text = new StringBuilder(heading());
    text.append("| workload | ");
    contenders.forEach(contender -> text.append(contender.name()).append(" µs | "));
    text.append("best peer / compiled | goal |\n|---|").append("---:|".repeat(contenders.size()));
    text.append("---:|---:|\n");
    String only = System.getProperty("hlo4j.bench.only", ".*");
    for (Workload workload : Workload.all()) {
      if (workload.name().matches(only)) {
        Path program = Files.createDirectories(folder.resolve(workload.name()));
        Files.writeString(program.resolve("program.hlo.txt"), workload.hlo());
        text.append(new Row(workload, measured(workload, program)).line(contenders));
      }
    }
    return text.append(programs(only)).toString();
  }

  private static String heading() {
    return """
    # Results

    %s, %s
    Java %s, %s
    Times are medians of %d rounds that run all of them once, in microseconds; ratios are medians of
    the ratios of the rounds: the best peer's time over that of the compiled evaluator. f32,
    %d threads each. Arrays that result are used again by the next run, here and by the peers.

    """
        .formatted(
            java.time.LocalDate.now(),
            machine(),
            System.getProperty("java.vm.version"),
            System.getProperty("os.name") + " " + System.getProperty("os.version"),
            ROUNDS,
            Runtime.getRuntime().availableProcessors());
  }

  private static String machine() {
    int processors = Runtime.getRuntime().availableProcessors();
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      String model =
          lines.filter(line -> line.startsWith("model name")).findFirst().orElse("?: unknown");
      return processors + " processors " + model.substring(model.indexOf(':') + 2);
    } catch (IOException unknown) {
      return processors + " processors " + System.getProperty("os.arch");
    }
  }

  /** Returns the time of each round, for each contender that supports the program. */
  private Map<String, double[]> measured(Workload workload, Path program) {
    System.err.println(workload.name());
    List<Contender> able =
        contenders.stream()
            .filter(contender -> !contender.name().equals("reference") || workload.isSmall())
            .filter(contender -> contender.load(program))
            .toList();
    Map<String, double[]> times = new LinkedHashMap<>();
    able.forEach(contender -> times.put(contender.name(), new double[ROUNDS]));
    for (int round = 0; round < ROUNDS; round++) {
      for (Contender contender : able) {
        rest();
        OptionalDouble time = contender.time(workload.isCompilation(), SAMPLES);
        times.get(contender.name())[round] = time.orElse(Double.NaN);
      }
    }
    return times;
  }

  /**
   * Waits, since the threads of the previous contender may still spin: OpenBLAS's do so for some 30
   * ms.
   */
  private static void rest() {
    try {
      Thread.sleep(REST_MILLIS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the rows of the shared programs, and of their mean. */
  private String programs(String only) throws IOException {
    Path all = Path.of(System.getProperty("hlo4j.bench.programs", "../../shared/programs"));
    if (!Files.isDirectory(all) || !"programs".matches(only)) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    double logarithms = 0;
    int compared = 0;
    List<Path> folders;
    try (Stream<Path> list = Files.list(all)) {
      folders = list.filter(Files::isDirectory).sorted().toList();
    }
    for (Path program : folders) {
      if (Files.readString(program.resolve("meta.json")).contains("\"devices\": 1,")) {
        String name = program.getFileName().toString();
        Row row =
            new Row(
                new Workload(name, "program " + name, 1.0, ""),
                measured(new Workload(name, name, 1.0, ""), program.toAbsolutePath()));
        text.append(row.line(contenders));
        OptionalDouble ratio = row.ratio("XLA:CPU");
        logarithms += Math.log(ratio.orElse(1));
        compared += ratio.isPresent() ? 1 : 0;
      }
    }
    return compared == 0
        ? text.toString()
        : text
            + "\nProgram geometric mean against XLA:CPU: %.2f (%d programs)\n"
                .formatted(Math.exp(logarithms / compared), compared);
  }
}
