package org.hlo4j.pjrt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A java of its own, for what ends one. */
final class ForkedJava {
  private ForkedJava() {}

  /**
   * Runs a main class on the class path of this process.
   *
   * @param option an option of java
   * @return the exit code, a colon and a space, and what it printed
   */
  static String run(String option, String mainClass, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add(option);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + ": " + printed.strip();
  }
}
