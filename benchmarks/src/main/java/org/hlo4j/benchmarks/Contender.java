package org.hlo4j.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** A process that runs programs on request; see {@link Server} for the protocol. */
final class Contender implements AutoCloseable {
  private final String name;
  private final Process process;
  private final PrintWriter out;
  private final BufferedReader in;

  private Contender(String name, Process process) {
    this.name = name;
    this.process = process;
    this.out = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    this.in =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a process by a command. */
  static Contender start(String name, Map<String, String> environment, List<String> command)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(
        Boolean.getBoolean("hlo4j.bench.verbose")
            ? ProcessBuilder.Redirect.INHERIT
            : ProcessBuilder.Redirect.DISCARD);
    return new Contender(name, builder.start());
  }

  /** Starts a main class of this class path with options of the virtual machine. */
  static Contender java(String name, List<String> options, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    return start(name, Map.of(), command);
  }

  String name() {
    return name;
  }

  private String ask(String command) {
    try {
      out.println(command);
      String answer = in.readLine();
      return answer == null ? "no answer: the process has ended" : answer;
    } catch (IOException broken) {
      return "no answer: " + broken.getMessage();
    }
  }

  /** Loads a program; returns whether the process supports it. */
  boolean load(Path folder) {
    String answer = ask("load " + folder);
    if (!answer.equals("ok")) {
      System.err.println("  " + name + ": " + answer);
    }
    return answer.equals("ok");
  }

  /** Returns the number of bits of the vectors that the loaded program uses. */
  String vectorBits() {
    return ask("vectors");
  }

  /** Returns the median of some runs or compilations, in microseconds. */
  OptionalDouble time(boolean compiles, int samples) {
    String answer = ask((compiles ? "compile " : "time ") + samples);
    return answer.startsWith("no ")
        ? OptionalDouble.empty()
        : OptionalDouble.of(Double.parseDouble(answer));
  }

  @Override
  public void close() {
    out.close();
    process.destroy();
  }
}
