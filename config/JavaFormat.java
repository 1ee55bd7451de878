import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks that every Java source is as google-java-format writes it; {@code fix} rewrites them. */
final class JavaFormat {
  private JavaFormat() {}

  public static void main(String[] args) throws Exception {
    boolean fix = args[0].equals("fix");
    List<Path> wrong = sources().parallelStream().filter(file -> isWrong(file, fix)).toList();
    if (!fix && !wrong.isEmpty()) {
      wrong.forEach(file -> System.err.println("not formatted: " + file));
      System.err.println("to format: mvn -q -N -Plint validate -Dformat=fix");
      System.exit(1);
    }
  }

  private static boolean isWrong(Path file, boolean fix) {
    try {
      String source = Files.readString(file);
      String imported = RemoveUnusedImports.removeUnusedImports(source);
      String formatted = new Formatter().formatSourceAndFixImports(imported);
      boolean wrong = !formatted.equals(source);
      if (wrong && fix) {
        Files.writeString(file, formatted);
      }
      return wrong;
    } catch (IOException | FormatterException problem) {
      throw new IllegalStateException(file.toString(), problem);
    }
  }

  private static List<Path> sources() throws Exception {
    try (var files = Files.walk(Path.of("."))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.toString().contains("target"))
          .sorted()
          .toList();
    }
  }
}
