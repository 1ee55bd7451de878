package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import com.sun.source.tree.BindingPatternTree;
import com.sun.source.tree.CaseLabelTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConstantCaseLabelTree;
import com.sun.source.tree.DefaultCaseLabelTree;
import com.sun.source.tree.InstanceOfTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PatternCaseLabelTree;
import com.sun.source.tree.PatternTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The main code decides about every op, kind, element type and shape by name: no {@code default},
 * no pattern for all of them, no list of kinds that leaves some out, no long chain of {@code
 * instanceof}. So the compiler names each place that has to decide about a new one. Files are only
 * parsed: a switch is known by its labels.
 */
final class SwitchesTest {
  /** How many types of op one value may be asked for with {@code instanceof} in a method. */
  private static final int MAX_TYPES = 3;

  private static final ImmutableList<Class<? extends Enum<?>>> ENUMS =
      ImmutableList.of(Elementwise.Kind.class, ElementType.class, ElementType.Kind.class);

  private static final ImmutableSet<String> SHAPES =
      ImmutableSet.of("Shape.Array", "Shape.Tuple", "Shape.Token", "Shape.Opaque", "Shape.Buffer");

  private static final ImmutableSet<String> ALL =
      ImmutableSet.of("Op", "Shape", "ElementType", "Kind", "Elementwise.Kind", "ElementType.Kind");

  @Test
  void mainCodeNamesWhatItDecidesAbout() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> all = Files.walk(Path.of(".."))) {
      List<Path> sources =
          all.filter(path -> path.toString().matches("\\.\\./[a-z]+/src/main/java/.*\\.java"))
              .toList();
      assertThat(sources.size()).isAtLeast(500);
      assertThat(findings(files.getJavaFileObjectsFromPaths(sources))).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          switch (op) { case Slice s -> 1; default -> 0; }                 | 1: default
          switch (op) { case Slice s -> 1; case Op _ -> 0; }               | 1: case Op
          switch (op) { case Slice s -> 1; case Op o when f() -> 0; }      | 1: case Op
          switch (shape) { case Shape.Array a -> 1; default -> 0; }        | 1: default
          switch (kind) { case ADD, ABS -> 1; default -> 0; }              | 1: default
          switch (kind) { case ADD -> 1; case Elementwise.Kind _ -> 0; }   | 1: case Elementwise.Kind
          switch (type) { case BF16 -> 1; default -> 0; }                  | 1: default
          switch (op) { case Slice s -> 1; case Movement m -> 0; }         |
          switch (number) { case 1 -> 1; default -> 0; }                   |
          switch (text) { case String s -> 1; default -> 0; }              |
          a instanceof Slice || a instanceof Pad || a instanceof Iota      |
          a instanceof Slice || a instanceof Pad || a instanceof Iota || a instanceof Dot d | 1: a instanceof [Slice, Pad, Iota, Dot]
          """)
  void isFound(String expression, String finding) throws IOException {
    assertThat(findings(List.of(source("class A { Object f() { return " + expression + "; } }"))))
        .isEqualTo(finding == null ? List.of() : List.of("A.java:" + finding));
  }

  @Test
  void statementThatLeavesKindsOutIsFound() throws IOException {
    String code = "class A { void f() { switch (kind) { case PRED: g(); case FLOAT: h(); } } }";
    assertThat(findings(List.of(source(code))))
        .containsExactly("A.java:1: no case for [SIGNED, UNSIGNED, COMPLEX]");
  }

  private static JavaFileObject source(String code) {
    return new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return code;
      }
    };
  }

  private static List<String> findings(Iterable<? extends JavaFileObject> files)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task = (JavacTask) compiler.getTask(null, null, null, null, null, files);
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    List<String> findings = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) {
      new Scanner(unit, positions, findings).scan(unit, null);
    }
    return findings;
  }

  /** The class of an op or of a family of ops. */
  private static boolean isOp(String name) {
    try {
      return Op.class.isAssignableFrom(Class.forName("org.hlo4j.hlo.op." + name));
    } catch (ClassNotFoundException | LinkageError other) {
      return false;
    }
  }

  private static final class Scanner extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> findings;
    private SetMultimap<String, String> tests = LinkedHashMultimap.create();

    Scanner(CompilationUnitTree unit, SourcePositions positions, List<String> findings) {
      this.unit = unit;
      this.positions = positions;
      this.findings = findings;
    }

    private void find(Tree tree, String what) {
      long line = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
      findings.add(
          unit.getSourceFile().getName().replaceFirst("^/", "") + ":" + line + ": " + what);
    }

    @Override
    public Void visitSwitch(SwitchTree tree, Void unused) {
      Labels labels = Labels.of(tree.getCases());
      labels.check().forEach(what -> find(tree, what));
      labels.leftOut().forEach(what -> find(tree, what));
      return super.visitSwitch(tree, null);
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree tree, Void unused) {
      Labels.of(tree.getCases()).check().forEach(what -> find(tree, what));
      return super.visitSwitchExpression(tree, null);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
      tests = LinkedHashMultimap.create();
      super.visitMethod(tree, null);
      tests
          .asMap()
          .forEach((value, types) -> {
            if (types.size() > MAX_TYPES) {
              find(tree, value + " instanceof " + types);
            }
          });
      return null;
    }

    @Override
    public Void visitInstanceOf(InstanceOfTree tree, Void unused) {
      String type = tree.getType() == null ? type(tree.getPattern()) : tree.getType().toString();
      if (isOp(type)) {
        tests.put(tree.getExpression().toString(), type);
      }
      return super.visitInstanceOf(tree, null);
    }
  }

  private static String type(PatternTree pattern) {
    return pattern instanceof BindingPatternTree binding
        ? binding.getVariable().getType().toString()
        : "";
  }

  /** What a switch names. */
  private record Labels(Set<String> types, Set<String> constants, boolean hasDefault) {
    static Labels of(List<? extends CaseTree> cases) {
      Labels labels = new Labels(new LinkedHashSet<>(), new LinkedHashSet<>(), false);
      boolean hasDefault = false;
      for (CaseTree each : cases) {
        for (CaseLabelTree label : each.getLabels()) {
          hasDefault |= label instanceof DefaultCaseLabelTree;
          if (label instanceof PatternCaseLabelTree pattern) {
            labels.types.add(type(pattern.getPattern()));
          } else if (label instanceof ConstantCaseLabelTree constant) {
            labels.constants.add(constant.getConstantExpression().toString());
          }
        }
      }
      return new Labels(labels.types, labels.constants, hasDefault);
    }

    List<String> check() {
      boolean isWatched =
          types.stream().anyMatch(type -> isOp(type) || SHAPES.contains(type))
              || ENUMS.stream().anyMatch(this::isOf);
      Stream<String> whole = types.stream().filter(ALL::contains).map(type -> "case " + type);
      return isWatched && hasDefault ? List.of("default") : whole.toList();
    }

    private static List<String> names(Class<? extends Enum<?>> type) {
      return Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
    }

    /** Whether all constants are of an enum. */
    private boolean isOf(Class<? extends Enum<?>> type) {
      return !constants.isEmpty() && names(type).containsAll(constants);
    }

    /** What a statement, which the compiler does not ask to be complete, does not name. */
    List<String> leftOut() {
      return ENUMS.stream()
          .filter(type -> isOf(type) && types.isEmpty() && !hasDefault)
          .map(type -> names(type).stream().filter(name -> !constants.contains(name)).toList())
          .filter(left -> !left.isEmpty())
          .map(left -> "no case for " + left)
          .toList();
    }
  }
}
