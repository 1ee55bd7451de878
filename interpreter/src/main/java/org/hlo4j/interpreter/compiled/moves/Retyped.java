package org.hlo4j.interpreter.compiled.moves;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;

/**
 * {@link FloatCells} for the other primitive arrays: the same bytecode, each {@code float} in it
 * replaced. That works because nothing there computes with one.
 */
final class Retyped {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private final TypeKind kind;
  private final ClassDesc type;

  private Retyped(Class<?> component) {
    this.kind = TypeKind.from(component);
    this.type = component.describeConstable().orElseThrow();
  }

  /** The loops over arrays of a primitive type. */
  static Cells cells(Class<?> component) {
    ClassDesc name = ClassDesc.of(Retyped.class.getPackageName(), component + "Cells");
    ClassFile files = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);
    ClassTransform typing =
        ClassTransform.transformingMethodBodies(new Retyped(component)::replace);
    byte[] bytes = files.transformClass(files.parse(template()), name, typing);
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClass(bytes, true);
      MethodType constructor = MethodType.methodType(void.class);
      return (Cells) made.findConstructor(made.lookupClass(), constructor).invoke();
    } catch (Throwable problem) {
      throw new AssertionError("loops over " + component + " do not load", problem);
    }
  }

  private static byte[] template() {
    try (InputStream in = FloatCells.class.getResourceAsStream("FloatCells.class")) {
      return Objects.requireNonNull(in).readAllBytes();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private void replace(CodeBuilder code, CodeElement element) {
    switch (element) {
      case ArrayLoadInstruction load when load.typeKind() == TypeKind.FLOAT -> code.arrayLoad(kind);
      case ArrayStoreInstruction store when store.typeKind() == TypeKind.FLOAT ->
          code.arrayStore(kind);
      case NewPrimitiveArrayInstruction made when made.typeKind() == TypeKind.FLOAT ->
          code.newarray(kind);
      case TypeCheckInstruction cast -> code.checkcast(replaced(cast.type().asSymbol()));
      case InvokeInstruction call ->
          code.invoke(
              call.opcode(),
              call.owner().asSymbol(),
              call.name().stringValue(),
              replaced(call.typeSymbol()),
              call.isInterface());
      default -> code.with(element);
    }
  }

  private MethodTypeDesc replaced(MethodTypeDesc method) {
    ClassDesc[] parameters =
        method.parameterList().stream().map(this::replaced).toArray(ClassDesc[]::new);
    return MethodTypeDesc.of(replaced(method.returnType()), parameters);
  }

  private ClassDesc replaced(ClassDesc described) {
    if (described.isArray()) {
      return replaced(described.componentType()).arrayType();
    }
    return described.equals(ConstantDescs.CD_float) ? type : described;
  }
}
