package org.hlo4j.interpreter.compiled.codegen;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.util.Arrays;
import java.util.Objects;

/**
 * The specialization of a class of loops over {@code float[]} to arrays of another primitive type:
 * the bytecode is copied, with each {@code float} in it replaced. The template has no float fields,
 * no lambdas and no float constants except zero, and it neither converts nor compares floats. Where
 * it depends on the element type, it calls a method that has an overload for each type.
 */
public final class PrimitiveSpecializer {
  private static final ClassFile FILES = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);

  private final ClassDesc template;
  private final ClassDesc name;
  private final ClassDesc type;
  private final TypeKind kind;

  private PrimitiveSpecializer(Class<?> template, Class<?> component) {
    this.template = template.describeConstable().orElseThrow();
    this.name =
        ClassDesc.of(template.getPackageName(), template.getSimpleName() + "Of" + component);
    this.type = component.describeConstable().orElseThrow();
    this.kind = TypeKind.from(component);
  }

  /**
   * Returns an object of the template's class, specialized to arrays of another primitive type.
   *
   * @param lookup a lookup of a class in the template's package
   * @param template a class with a constructor without parameters
   * @param component the type that replaces float, or float itself
   */
  public static Object instance(
      MethodHandles.Lookup lookup, Class<?> template, Class<?> component) {
    try {
      Class<?> made =
          component == float.class
              ? template
              : lookup
                  .defineHiddenClass(
                      new PrimitiveSpecializer(template, component).bytes(read(template)), true)
                  .lookupClass();
      return lookup.findConstructor(made, MethodType.methodType(void.class)).invoke();
    } catch (Throwable problem) {
      throw new AssertionError("loops over " + component + " do not load", problem);
    }
  }

  private static byte[] read(Class<?> template) {
    try (InputStream in = template.getResourceAsStream(template.getSimpleName() + ".class")) {
      return Objects.requireNonNull(in).readAllBytes();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private byte[] bytes(byte[] file) {
    return FILES.transformClass(FILES.parse(file), name, this::replaceMember);
  }

  private void replaceMember(ClassBuilder members, ClassElement member) {
    if (!(member instanceof MethodModel method)) {
      members.with(member);
      return;
    }
    MethodTypeDesc retyped = replaced(method.methodTypeSymbol());
    members.withMethod(
        method.methodName().stringValue(),
        retyped,
        method.flags().flagsMask(),
        builder ->
            method.forEach(element -> {
              if (element instanceof CodeModel code) {
                builder.transformCode(code, replacing(method, retyped));
              } else {
                builder.with(element);
              }
            }));
  }

  private CodeTransform replacing(MethodModel method, MethodTypeDesc retyped) {
    Slots slots = new Slots(method, retyped);
    return (code, element) -> replace(slots, code, element);
  }

  private void replace(Slots slots, CodeBuilder code, CodeElement element) {
    switch (element) {
      case LoadInstruction load -> code.loadLocal(replaced(load.typeKind()), slots.of(load.slot()));
      case StoreInstruction store ->
          code.storeLocal(replaced(store.typeKind()), slots.of(store.slot()));
      case IncrementInstruction sum -> code.iinc(slots.of(sum.slot()), sum.constant());
      case ArrayLoadInstruction load -> code.arrayLoad(replacedCell(load.typeKind()));
      case ArrayStoreInstruction store -> code.arrayStore(replacedCell(store.typeKind()));
      case NewPrimitiveArrayInstruction made -> code.newarray(replacedCell(made.typeKind()));
      case ConstantInstruction zero when zero.typeKind() == TypeKind.FLOAT -> pushZero(code);
      case OperatorInstruction operator when operator.typeKind() == TypeKind.FLOAT ->
          code.with(OperatorInstruction.of(replaced(operator.opcode())));
      case ReturnInstruction result -> code.return_(replaced(result.typeKind()));
      case TypeCheckInstruction check ->
          code.with(TypeCheckInstruction.of(check.opcode(), replaced(check.type().asSymbol())));
      case InvokeInstruction call -> call(code, call);
      default -> code.with(element);
    }
  }

  private void call(CodeBuilder code, InvokeInstruction call) {
    ClassDesc owner = call.owner().asSymbol();
    code.invoke(
        call.opcode(),
        owner.equals(template) ? name : owner,
        call.name().stringValue(),
        replaced(call.typeSymbol()),
        call.isInterface());
  }

  private void pushZero(CodeBuilder code) {
    switch (kind.asLoadable()) {
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
      case LONG -> code.lconst_0();
      default -> code.iconst_0();
    }
  }

  /** Returns the opcode for the new type: IADD, LADD or DADD for FADD. */
  private Opcode replaced(Opcode operator) {
    String letter = kind.asLoadable().name().substring(0, 1);
    return Opcode.valueOf(letter + operator.name().substring(1));
  }

  private TypeKind replacedCell(TypeKind cell) {
    return cell == TypeKind.FLOAT ? kind : cell;
  }

  private TypeKind replaced(TypeKind local) {
    return local == TypeKind.FLOAT ? kind.asLoadable() : local;
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

  /**
   * The new slots of local variables. If the new type takes two slots, the local variables after
   * the parameters are renumbered to have two slots each.
   */
  private final class Slots {
    private final int[] parameters;
    private final int end;

    Slots(MethodModel method, MethodTypeDesc retyped) {
      MethodTypeDesc before = method.methodTypeSymbol();
      int slot = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
      int[] places = new int[before.parameterCount() * 2 + 1];
      int at = slot;
      for (int i = 0; i < before.parameterCount(); i++) {
        places[at] = slot;
        at += TypeKind.from(before.parameterType(i)).slotSize();
        slot += TypeKind.from(retyped.parameterType(i)).slotSize();
      }
      this.parameters = Arrays.copyOf(places, at);
      this.end = slot;
    }

    int of(int slot) {
      return slot < parameters.length
          ? parameters[slot]
          : end + (slot - parameters.length) * kind.slotSize();
    }
  }
}
