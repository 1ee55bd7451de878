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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.api.BeforeAll;
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
  private static final String PARTS = "parts";
  private static final String RESULTS = "results";
  private static final char END_OF_BLOCK = '\u001e';
  private static final Pattern LINK = Pattern.compile("\\]\\((?<to>[^)\\s]+)\\)");

  /** The command of the tutorial on upgrades. */
  private static final String UPGRADED = "python3 new_backend.py";

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** Keeps the class path open from one page to the next. */
  private static final StandardJavaFileManager FILES =
      COMPILER.getStandardFileManager(null, null, null);

  /** The classes of the programs. */
  @TempDir static Path classes;

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

  /** Compiles the programs of all pages at once, which takes a third of the time. */
  @BeforeAll
  static void compilePages() throws IOException {
    Map<String, String> programs = new LinkedHashMap<>();
    for (Page page : pages().toList()) {
      for (Page.Block block : page.blocks("java")) {
        if (isProgram(block)) {
          programs.put(name(page, block.line()), withPlugin(withRoot(block.body())));
        }
      }
      if (!parts(page).isEmpty()) {
        programs.put(name(page, PARTS), program(parts(page)));
      }
      if (!page.results().isEmpty()) {
        programs.put(name(page, RESULTS), program(withResults(page)));
      }
    }
    compile(programs, classes);
  }

  /** Returns the name of a program's class: where it is. */
  private static String name(Page page, Object where) {
    return ROOT.relativize(page.file()).toString().replaceAll("\\W", "_") + "_" + where;
  }

  /** Returns the blocks that are one program together. */
  private static List<Page.Block> parts(Page page) {
    return page.blocks("java").stream().filter(block -> !isProgram(block)).toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void javaPrintsDocumentedOutput(Page page) throws Exception {
    for (Page.Block whole : page.blocks("java").stream().filter(PagesTest::isProgram).toList()) {
      if (Files.exists(PLUGIN) || !usesPlugin(whole)) {
        assertWithMessage("%s:%s", page.file(), whole.line())
            .that(run(name(page, whole.line())))
            .isEqualTo(page.outputOf(whole));
      }
    }
    List<Page.Block> blocks = parts(page);
    if (!blocks.isEmpty()) {
      List<String> printed = Splitter.on(END_OF_BLOCK).splitToList(run(name(page, PARTS)));
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
  void importsOfJshellCompile(@TempDir Path jshell) throws Exception {
    String startUp = Files.readString(ROOT.resolve("bin/hlo4j.jsh"));
    compile(Map.of("hlo4j_jsh", startUp + "void main() {}"), jshell);
  }

  /**
   * A table whose last column is {@code result} has a Java expression in the column before, whose
   * value it is, with the declarations of the page's blocks; {@code b} is their builder.
   */
  @ParameterizedTest
  @MethodSource("pages")
  void expressionsGiveDocumentedResults(Page page) throws Exception {
    List<Page.Row> rows = page.results();
    if (rows.isEmpty()) {
      return;
    }
    String printed =
        Splitter.on(END_OF_BLOCK).splitToList(run(name(page, RESULTS))).get(parts(page).size() + 1);
    assertWithMessage("%s", page.file())
        .that(printed.replaceAll("/\\*.*?\\*/ ", "").lines().toList()) // without indices
        .containsExactlyElementsIn(rows.stream().map(Page.Row::result).toList())
        .inOrder();
  }

  /** Returns the blocks of a page, and one that prints the results of its tables. */
  private static List<Page.Block> withResults(Page page) {
    String all = page.results().stream().map(Page.Row::java).collect(joining(",\n"));
    String run =
        "IO.print(\"\\u001e\");\nInterpreter.reference().run(b.build(b.tuple("
            + all
            + "))).elements().forEach(IO::println);\n";
    List<Page.Block> blocks = new ArrayList<>(parts(page));
    blocks.add(new Page.Block("java", run, 0));
    return blocks;
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

  /** Compiles programs, given by the names of their classes. */
  private static void compile(Map<String, String> programs, Path to) {
    List<JavaFileObject> files = new ArrayList<>();
    programs.forEach((name, source) -> files.add(new Source(name, source)));
    StringWriter problems = new StringWriter();
    List<String> options =
        List.of("-d", to.toString(), "-cp", System.getProperty("java.class.path"), "-nowarn");
    boolean compiled = COMPILER.getTask(problems, FILES, null, options, null, files).call();
    assertWithMessage("%s", problems).that(compiled).isTrue();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static String run(String name) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    URL[] place = {classes.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(place, PagesTest.class.getClassLoader())) {
      System.setOut(new PrintStream(bytes, true, UTF_8));
      Constructor<?> model = loader.loadClass(name).getDeclaredConstructor();
      model.setAccessible(true);
      Method main = model.getDeclaringClass().getDeclaredMethod("main");
      main.setAccessible(true);
      main.invoke(model.newInstance());
    } finally {
      System.setOut(console);
    }
    return bytes.toString(UTF_8).replace(name + ".java", "Model.java");
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
