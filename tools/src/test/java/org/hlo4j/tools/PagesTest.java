package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Splitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks README.md and the pages under docs/: links resolve, Java compiles and runs, commands run,
 * HLO verifies, each block prints the {@code text} block right after it, and the expressions in
 * tables give the results beside them.
 *
 * <p>A {@code java} block with a main method is a program. The others of a page are one program
 * together: a block sees what those above it declare.
 */
@Isolated // the pages print to System.out
@Tag("slow")
final class PagesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs/markdown");
  private static final Path PLUGIN = ROOT.resolve("target/pjrt/xla_cpu_pjrt.so");
  private static final char END_OF_BLOCK = '\u001e';
  private static final Pattern LINK = Pattern.compile("\\]\\((?<to>[^)\\s]+)\\)");

  /** The command of the tutorial on upgrades. */
  private static final String UPGRADED = "python3 new_backend.py";

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** Keeps the class path open from one page to the next. */
  private static final StandardJavaFileManager FILES =
      COMPILER.getStandardFileManager(null, null, null);

  private static final Pattern FILE = Pattern.compile("(?<=[ '=]|^)examples/[\\w./-]*");

  static Stream<Page> pages() throws IOException {
    List<Page> pages = new ArrayList<>();
    pages.add(Page.read(ROOT.resolve("README.md")));
    try (Stream<Path> files = Files.walk(DOCS)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".md")).sorted().toList()) {
        pages.add(Page.read(file));
      }
    }
    return pages.stream();
  }

  // Links.

  @ParameterizedTest
  @MethodSource("pages")
  void linksResolve(Page page) throws IOException {
    List<String> broken = new ArrayList<>();
    Matcher link = LINK.matcher(page.prose());
    while (link.find()) {
      String to = link.group("to");
      if (!to.startsWith("https://") && !leadsSomewhere(page, to)) {
        broken.add(to);
      }
    }
    assertWithMessage(page.file().toString()).that(broken).isEmpty();
  }

  private static boolean leadsSomewhere(Page page, String to) throws IOException {
    String[] parts = to.split("#", 2);
    Path target =
        parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
    boolean inside = target.startsWith(DOCS) || page.file().startsWith(ROOT.resolve("README.md"));
    return inside && Files.exists(target) && (parts.length == 1 || hasHeading(target, parts[1]));
  }

  private static boolean hasHeading(Path file, String heading) throws IOException {
    return Files.readString(file)
        .lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceAll("^#+ |`", "").replace(' ', '-'))
        .anyMatch(heading::equalsIgnoreCase);
  }

  @Test
  void menuListsEveryPage() throws IOException {
    String menu = Files.readString(ROOT.resolve("docs/site.xml"));
    List<String> missing =
        pages()
            .map(Page::file)
            .filter(file -> file.startsWith(DOCS))
            .map(file -> DOCS.relativize(file).toString().replace(".md", ".html"))
            .filter(name -> !menu.contains("href=\"" + name + "\""))
            .toList();
    assertThat(missing).isEmpty();
  }

  // Java.

  @ParameterizedTest
  @MethodSource("pages")
  void javaPrintsDocumentedOutput(Page page, @TempDir Path classes) throws Exception {
    for (Page.Block whole : page.blocks("java").stream().filter(PagesTest::isProgram).toList()) {
      compile(withPlugin(withRoot(whole.body())), page, classes);
      if (Files.exists(PLUGIN) || !usesPlugin(whole)) {
        assertWithMessage("%s:%s", page.file(), whole.line())
            .that(run(classes))
            .isEqualTo(page.outputOf(whole));
      }
    }
    List<Page.Block> blocks =
        page.blocks("java").stream().filter(block -> !isProgram(block)).toList();
    if (!blocks.isEmpty()) {
      compile(program(blocks), page, classes);
      List<String> printed = Splitter.on(END_OF_BLOCK).splitToList(run(classes));
      for (int i = 0; i < blocks.size(); i++) {
        assertWithMessage("%s:%s", page.file(), blocks.get(i).line())
            .that(printed.get(i))
            .isEqualTo(page.outputOf(blocks.get(i)));
      }
    }
    assumeTrue(
        Files.exists(PLUGIN) || page.blocks("java").stream().noneMatch(PagesTest::usesPlugin),
        "no CPU plugin: .ci/pjrt-plugin fetches it");
  }

  private static boolean usesPlugin(Page.Block block) {
    return block.body().contains("PjrtPlugin");
  }

  private static String withPlugin(String java) {
    return java.replace("(\"cpu\")", "(\"" + PLUGIN + "\")");
  }

  /** A typo in the start-up file of jshell would be one more message before the prompt. */
  @Test
  void importsOfJshellCompile(@TempDir Path classes) throws Exception {
    Path startUp = ROOT.resolve("bin/hlo4j.jsh");
    compile(
        Files.readString(startUp) + "void main() {}",
        new Page(startUp, "", List.of(), List.of()),
        classes);
  }

  /**
   * A table whose last column is {@code result} has a Java expression in the column before, whose
   * value it is, with the declarations of the page's blocks; {@code b} is their builder.
   */
  @ParameterizedTest
  @MethodSource("pages")
  void expressionsGiveDocumentedResults(Page page, @TempDir Path classes) throws Exception {
    List<Page.Row> rows = page.results();
    if (rows.isEmpty()) {
      return;
    }
    String all = rows.stream().map(Page.Row::java).collect(joining(",\n"));
    String run =
        "IO.print(\"\\u001e\");\nInterpreter.reference().run(b.build(b.tuple("
            + all
            + "))).elements().forEach(IO::println);\n";
    List<Page.Block> blocks = new ArrayList<>(page.blocks("java"));
    blocks.removeIf(PagesTest::isProgram);
    blocks.add(new Page.Block("java", run, 0));
    compile(program(blocks), page, classes);
    String printed = Splitter.on(END_OF_BLOCK).splitToList(run(classes)).get(blocks.size());
    assertWithMessage("%s", page.file())
        .that(printed.replaceAll("/\\*.*?\\*/ ", "").lines().toList()) // without indices
        .containsExactlyElementsIn(rows.stream().map(Page.Row::result).toList())
        .inOrder();
  }

  private static boolean isProgram(Page.Block block) {
    return block.body().contains("void main(");
  }

  /** The imports of all blocks, and a main method of the rest. */
  private static String program(List<Page.Block> blocks) {
    String imports =
        blocks.stream()
            .flatMap(block -> block.body().lines())
            .filter(PagesTest::isImport)
            .distinct()
            .collect(joining("\n"));
    String body =
        blocks.stream()
            .map(block ->
                block.body().lines().filter(line -> !isImport(line)).collect(joining("\n"))
                    + "\nIO.print(\"\\u001e\");\n")
            .collect(joining());
    return imports + "\nvoid main() throws Exception {\n" + withRoot(body) + "}\n";
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }

  private static String withRoot(String java) {
    return java.replace("Path.of(\"examples/", "Path.of(\"" + ROOT + "/examples/");
  }

  private static void compile(String source, Page page, Path classes) {
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Model.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    StringWriter problems = new StringWriter();
    List<String> options =
        List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-nowarn");
    boolean compiled = COMPILER.getTask(problems, FILES, null, options, null, List.of(file)).call();
    assertWithMessage("%s: %s\n%s", page.file(), problems, source).that(compiled).isTrue();
  }

  private static String run(Path classes) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    URL[] place = {classes.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(place, PagesTest.class.getClassLoader())) {
      System.setOut(new PrintStream(bytes, true, UTF_8));
      Constructor<?> model = loader.loadClass("Model").getDeclaredConstructor();
      model.setAccessible(true);
      Method main = model.getDeclaringClass().getDeclaredMethod("main");
      main.setAccessible(true);
      main.invoke(model.newInstance());
    } finally {
      System.setOut(console);
    }
    return bytes.toString(UTF_8);
  }

  // HLO.

  @ParameterizedTest
  @MethodSource("pages")
  void hloIsVerified(Page page) {
    for (Page.Block block : page.blocks("hlo")) {
      String verdict = page.outputOf(block);
      assertWithMessage("%s:%s", page.file(), block.line())
          .that(verdict(block.body()))
          .isEqualTo(verdict.isEmpty() ? "ok" : verdict.strip());
    }
  }

  private static String verdict(String text) {
    try {
      Verifier.strict().verify(Parser.parse(text));
      return "ok";
    } catch (HloException refusal) {
      return refusal.getMessage().strip();
    }
  }

  // The command.

  /** A console block has commands after {@code $}, each followed by its output. */
  @ParameterizedTest
  @MethodSource("pages")
  void commandsPrintDocumentedOutput(Page page, @TempDir Path out) {
    for (Page.Block block : page.blocks("console")) {
      StringBuilder session = new StringBuilder();
      for (String line : block.body().lines().toList()) {
        if (line.startsWith("$ hlo4j ")) {
          session.append(line).append('\n').append(ran(line.substring(8), out));
        }
      }
      assertWithMessage("%s:%s", page.file(), block.line())
          .that(session.toString())
          .isEqualTo(block.body());
    }
  }

  /** Runs a command. What one writes with {@code -o} is in a folder, where the next finds it. */
  private static String ran(String command, Path out) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    List<String> words = new ArrayList<>();
    Matcher word = Pattern.compile("'([^']*)'|\\S+").matcher(command);
    while (word.find()) {
      String plain = word.group(1) == null ? word.group() : word.group(1);
      boolean written = !words.isEmpty() && words.get(words.size() - 1).matches("-o|--output");
      words.add(
          written || (plain.contains(".") && Files.exists(out.resolve(plain)))
              ? out.resolve(plain).toString()
              : FILE.matcher(plain.replace(UPGRADED, UpgradedSystem.command()))
                  .replaceAll(file -> ROOT + "/" + file.group()));
    }
    Hlo4j.execute(printed, printed, words.toArray(String[]::new));
    return printed
        .toString(UTF_8)
        .replace(ROOT + "/", "")
        .replace(out + "/", "")
        .replaceAll("[\\d.]+ s\n", "1.2 s\n");
  }
}
