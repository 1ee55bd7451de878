package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** Source lines of ops built in classes such as jshell generates for its snippets. */
final class JshellTest {
  private static final class Loader extends ClassLoader {
    Loader() {
      super(JshellTest.class.getClassLoader());
    }

    /** Defines a class with a static method that negates an op. */
    Method negating(String name, String method, boolean hasFile) throws NoSuchMethodException {
      ClassDesc op = ClassDesc.of(XlaOp.class.getName());
      byte[] bytes =
          ClassFile.of()
              .build(
                  ClassDesc.of(name),
                  c -> {
                    if (hasFile) {
                      c.with(SourceFileAttribute.of(name.replaceAll(".*\\.", "") + ".java"));
                    }
                    c.withMethodBody(
                        method,
                        MethodTypeDesc.of(op, op),
                        ACC_PUBLIC | ACC_STATIC,
                        code ->
                            code.lineNumber(7)
                                .aload(0)
                                .invokevirtual(op, "neg", MethodTypeDesc.of(op))
                                .areturn());
                  });
      return defineClass(name, bytes, 0, bytes.length).getMethod(method, XlaOp.class);
    }
  }

  private static String source(String className, String method, boolean hasFile)
      throws ReflectiveOperationException {
    XlaOp x = new XlaBuilder("t").parameter(0, Shape.of(ElementType.F32), "x");
    XlaOp op = (XlaOp) new Loader().negating(className, method, hasFile).invoke(null, x);
    return op.instruction().metadata().source().map(Object::toString).orElse("none");
  }

  @Test
  void placesOfSnippets() throws ReflectiveOperationException {
    assertThat(source("demo.Main", "f", true)).isEqualTo("Main.java:7");
    assertThat(source("REPL.$JShell$5", "do_it$", true)).isEqualTo("$JShell$5");
    assertThat(source("REPL.$JShell$5", "lambda$do_it$$0", true)).isEqualTo("$JShell$5");
    assertThat(source("REPL.$JShell$5", "layer", true)).isEqualTo("$JShell$5.layer");
    assertThat(source("REPL.$JShell$5", "lambda$layer$0", true)).isEqualTo("$JShell$5.layer");
    assertThat(source("REPL.$JShell$5B$Layer", "f", true)).isEqualTo("$JShell$5B$Layer.f");
  }

  /** As in notebooks, and of classes that were compiled without debug information. */
  @Test
  void placesWithoutAFile() throws ReflectiveOperationException {
    assertThat(source("REPL.$JShell$17", "do_it$", false)).isEqualTo("$JShell$17");
    assertThat(source("demo.Main", "layer", false)).isEqualTo("demo.Main.layer");
  }

  @Test
  void refusalsNameTheSnippet() throws ReflectiveOperationException {
    XlaOp x = new XlaBuilder("t").parameter(0, Shape.of(ElementType.PRED), "x");
    Method negate = new Loader().negating("REPL.$JShell$7", "layer", false);
    InvocationTargetException thrown =
        assertThrows(InvocationTargetException.class, () -> negate.invoke(null, x));
    assertThat(thrown.getCause()).hasMessageThat().endsWith("\n  at $JShell$7.layer");
  }

  @Test
  void builderPrintsNameAndSize() {
    XlaBuilder b = new XlaBuilder("t");
    assertThat(b.toString()).isEqualTo("XlaBuilder t, 0 ops");
    assertThat(b.constant(1f).toString()).isEqualTo("%constant = f32[] constant(1)");
    assertThat(b.toString()).isEqualTo("XlaBuilder t, 1 op");
  }
}
