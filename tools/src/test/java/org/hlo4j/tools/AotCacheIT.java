package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/aot-cache} with a program of one class. */
@Tag("nightly")
class AotCacheIT {
  private static final String SCRIPT =
      Path.of("../bin/aot-cache").toAbsolutePath().normalize().toString();
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();

  @TempDir Path folder;

  @BeforeEach
  void shell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
  }

  /** Writes lib/app.jar, whose program prints a word and its arguments. */
  private void compile(String word) throws Exception {
    String code =
        "void main(String[] args) { System.out.println(\"WORD \" + String.join(\" \", args)); }";
    Path source = Files.writeString(folder.resolve("App.java"), code.replace("WORD", word));
    Path classes = folder.resolve("classes");
    tool("javac", "-d", classes.toString(), source.toString());
    Files.createDirectories(folder.resolve("lib"));
    tool("jar", "-c", "-f", folder.resolve("lib/app.jar").toString(), "-C", classes + "", ".");
  }

  private static void tool(String name, String... arguments) {
    int status = ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, arguments);
    assertThat(status).isEqualTo(0);
  }

  /** Returns what a run of the script prints on both streams, and its status as the last line. */
  private List<String> run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh", SCRIPT));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    int status =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start()
            .waitFor();
    List<String> lines = new ArrayList<>(Files.readAllLines(out, UTF_8));
    lines.add("status " + status);
    return lines;
  }

  private List<String> runApp(String argument) throws Exception {
    return run("cache", JAVA, "-cp", "lib/*", "App", argument);
  }

  private long caches() throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
      return files.filter(file -> file.toString().endsWith(".aot")).count();
    }
  }

  @Test
  void aCacheIsMadeForTheJarsAsTheyAre() throws Exception {
    compile("one");
    assertThat(runApp("a")).containsAtLeast("one a", "status 0");
    assertThat(runApp("b")).containsExactly("one b", "status 0");
    assertThat(caches()).isEqualTo(1);
    compile("two");
    assertThat(runApp("c")).containsAtLeast("two c", "status 0");
    assertThat(runApp("d")).containsExactly("two d", "status 0");
    assertThat(caches()).isEqualTo(2);
  }

  @Test
  void refusals() throws Exception {
    assertThat(run("cache"))
        .containsExactly("usage: aot-cache FOLDER java OPTIONS MAIN ARGUMENTS", "status 2");
    assertThat(run("cache", "no-java", "App"))
        .containsExactly("aot-cache: no no-java found, want a java", "status 1");
  }
}
