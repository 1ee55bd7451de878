import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks that every Java source is as google-java-format writes it; {@code fix} rewrites them. */
final class JavaFormat {
  private JavaFormat() {}

  public static void main(String[] args) throws Exception {
    boolean fix = args[0].equals("fix");
    List<Path> wrong = new ArrayList<>();
    Formatter formatter = new Formatter();
    for (Path file : sources()) {
      String source = Files.readString(file);
      String formatted =
          formatter.formatSourceAndFixImports(RemoveUnusedImports.removeUnusedImports(source));
      if (!formatted.equals(source)) {
        wrong.add(file);
        if (fix) {
          Files.writeString(file, formatted);
        }
      }
    }
    if (!fix && !wrong.isEmpty()) {
      wrong.forEach(file -> System.err.println("not formatted: " + file));
      System.err.println("to format: mvn -q -N validate exec:exec@format-check -Dformat=fix");
      System.exit(1);
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
