package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How a child is started: by the same Java, with the class path or module path of this process.
 *
 * @param words the command line
 * @param environment what the environment of this process lacks; never over what it has
 */
public record ChildCommand(ImmutableList<String> words, ImmutableMap<String, String> environment) {
  /** Options meant for this process, such as the port of a debugger. */
  private static final ImmutableList<String> NOT_PASSED_ON =
      ImmutableList.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private static final String PROPERTIES = "hlo4j.";

  /**
   * Returns the command of a child of this process.
   *
   * @param system the class of what runs programs, whose main method serves
   * @param environment what the environment of this process lacks
   * @param javaOptions further options of Java
   * @return the command
   */
  public static ChildCommand of(
      Class<? extends ChildSystem> system,
      Map<String, String> environment,
      List<String> javaOptions) {
    Module module = system.getModule();
    Module own = ChildMain.class.getModule();
    ImmutableList.Builder<String> words = ImmutableList.builder();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("-Xmx" + Runtime.getRuntime().maxMemory());
    words.add("-XX:+UseSerialGC", "-Xshare:auto");
    // What the virtual machine says when it dies is read from its standard error.
    words.add(
        "-XX:+DisplayVMOutputToStderr", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + nowhere());
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith(PROPERTIES))
        .sorted()
        .forEach(name -> words.add("-D" + name + "=" + System.getProperty(name)));
    words.addAll(javaOptions);
    if (module.isNamed()) {
      words.add("--enable-native-access=" + module.getName() + "," + own.getName());
      String path = System.getProperty("jdk.module.path");
      if (path != null) { // a runtime image has its modules in itself
        words.add("--module-path", path);
      }
      words.add("--module", module.getName() + "/" + system.getName());
    } else {
      words.add("--enable-native-access=ALL-UNNAMED");
      words.add("--class-path", System.getProperty("java.class.path"));
      words.add(system.getName());
    }
    return new ChildCommand(words.build(), ImmutableMap.copyOf(environment));
  }

  private static String nowhere() {
    return File.separatorChar == '/' ? "/dev/null" : "NUL";
  }

  WatchedProcess start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words);
    Map<String, String> variables = builder.environment();
    NOT_PASSED_ON.forEach(variables::remove);
    environment.forEach(variables::putIfAbsent);
    return new WatchedProcess(builder);
  }
}
