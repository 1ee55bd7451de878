package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;

import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
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

    /** Defines a class with a static method {@code f} that negates an op. */
    Class<?> negating(String name) {
      ClassDesc op = ClassDesc.of(XlaOp.class.getName());
      byte[] bytes =
          ClassFile.of()
              .build(
                  ClassDesc.of(name),
                  c ->
                      c.with(SourceFileAttribute.of(name.replaceAll(".*\\.", "") + ".java"))
                          .withMethodBody(
                              "f",
                              MethodTypeDesc.of(op, op),
                              ACC_PUBLIC | ACC_STATIC,
                              code ->
                                  code.lineNumber(7)
                                      .aload(0)
                                      .invokevirtual(op, "neg", MethodTypeDesc.of(op))
                                      .areturn()));
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private static String source(String className) throws ReflectiveOperationException {
    XlaOp x = new XlaBuilder("t").parameter(0, Shape.of(ElementType.F32), "x");
    XlaOp op = (XlaOp) new Loader().negating(className).getMethod("f", XlaOp.class).invoke(null, x);
    return op.instruction().metadata().source().map(Object::toString).orElse("none");
  }

  @Test
  void jshellSnippetsHaveNoSourceLine() throws ReflectiveOperationException {
    assertThat(source("demo.Main")).isEqualTo("Main.java:7");
    assertThat(source("REPL.$JShell$5")).isEqualTo("none");
    assertThat(source("REPL.$JShell$5B$Layer")).isEqualTo("none");
  }

  @Test
  void builderPrintsNameAndSize() {
    XlaBuilder b = new XlaBuilder("t");
    assertThat(b.toString()).isEqualTo("XlaBuilder t, 0 ops");
    assertThat(b.constant(1f).toString()).isEqualTo("%constant = f32[] constant(1)");
    assertThat(b.toString()).isEqualTo("XlaBuilder t, 1 op");
  }
}
