package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.engine.CheckMode;

/** A factory of objects whose classes are generated at run time. */
public final class HiddenClasses {
  /**
   * The maximum number of bytes of bytecode of a method. C2 does not compile methods of 8,000 or
   * more.
   */
  public static final int LIMIT = 6000;

  /** The size of a method from which on no class file can hold it. */
  static final int MAX_METHOD = 1 << 16;

  /**
   * The version of the class files. Java verifies classes of this version and older ones without
   * stack maps. Generating stack maps takes long, and C2 needs a tenth of a second to compile the
   * code that generates them, just when kernels wait for C2.
   */
  private static final int VERSION = ClassFile.JAVA_5_VERSION;

  private static final ClassFile CLASS_FILE =
      ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS);

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private HiddenClasses() {}

  /**
   * Returns an object of a new class.
   *
   * @param type the interface that it implements, public, with one abstract method
   * @param name the name of the class, to which a number is appended
   * @param body writes the code of the method: slot 0 holds the object, then the parameters
   * @throws TooLargeException if the method is longer than {@link #LIMIT}, or the {@link
   *     CodeBudget} is spent
   * @throws NoCodeException also if Java rejects the class
   */
  public static <T> T instance(Class<T> type, String name, Consumer<CodeBuilder> body) {
    return instance(type, name, (_, code) -> body.accept(code), _ -> {});
  }

  /**
   * Returns an object of a new class, as above, whose method calls others of its own.
   *
   * @param body writes the code of the method, given the class
   * @param others adds the other methods, after the body
   */
  public static <T> T instance(
      Class<T> type,
      String name,
      BiConsumer<ClassDesc, CodeBuilder> body,
      Consumer<ClassBuilder> others) {
    return type.cast(newInstance(write(type, name, body, others), name));
  }

  private static byte[] write(
      Class<?> type,
      String name,
      BiConsumer<ClassDesc, CodeBuilder> body,
      Consumer<ClassBuilder> others) {
    CodeBudget.require(name);
    String unique = name.replaceAll("[^A-Za-z0-9_$]+", "_") + "$" + COUNT.incrementAndGet();
    ClassDesc self = ClassDesc.of(HiddenClasses.class.getPackageName(), unique);
    try {
      return build(
          self,
          type,
          code ->
              code.transforming(new MethodSizeLimit(name), limited -> body.accept(self, limited)),
          others);
    } catch (HloException | NoCodeException expected) {
      throw expected;
    } catch (RuntimeException problem) {
      throw invalid(name, problem);
    }
  }

  /**
   * Returns the exception for a class that cannot be made, so that another form of the kernel takes
   * its place. That is a mistake of the code that writes it, which no program should suffer for.
   */
  private static NoCodeException invalid(String name, Throwable problem) {
    if (CheckMode.isOn()) {
      throw new AssertionError("generated class " + name + " is invalid", problem);
    }
    String reason = String.valueOf(problem.getMessage()).lines().findFirst().orElse("");
    return new NoCodeException(
        "generated class is invalid, " + problem.getClass().getSimpleName() + ": " + reason);
  }

  private static byte[] build(
      ClassDesc self, Class<?> type, Consumer<CodeBuilder> body, Consumer<ClassBuilder> others) {
    Method method = method(type);
    MethodTypeDesc descriptor =
        MethodType.methodType(method.getReturnType(), method.getParameterTypes())
            .describeConstable()
            .orElseThrow();
    return CLASS_FILE.build(
        self,
        builder ->
            others.accept(
                builder
                    .withVersion(VERSION, 0)
                    .withFlags(AccessFlag.FINAL, AccessFlag.SYNTHETIC)
                    .withInterfaceSymbols(type.describeConstable().orElseThrow())
                    .withMethodBody(
                        ConstantDescs.INIT_NAME,
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_PUBLIC,
                        code ->
                            code.aload(0)
                                .invokespecial(
                                    ConstantDescs.CD_Object,
                                    ConstantDescs.INIT_NAME,
                                    ConstantDescs.MTD_void)
                                .return_())
                    .withMethodBody(method.getName(), descriptor, ClassFile.ACC_PUBLIC, body)));
  }

  private static Method method(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> Modifier.isAbstract(method.getModifiers()))
        .findFirst()
        .orElseThrow();
  }

  private static void requireSmall(ClassModel model, String name) {
    for (MethodModel method : model.methods()) {
      int size = method.code().map(code -> ((CodeAttribute) code).codeLength()).orElse(0);
      if (size > LIMIT) {
        throw new TooLargeException(name, size);
      }
    }
  }

  private static Object newInstance(byte[] bytes, String name) {
    try {
      ClassModel model = CLASS_FILE.parse(bytes);
      requireSmall(model, name);
      byte[] ordered =
          model.methods().stream().anyMatch(LocalSlotAllocator::hasMany)
              ? CLASS_FILE.transformClass(model, LocalSlotAllocator.transform())
              : bytes;
      CodeBudget.spend(ordered.length);
      return newInstance(ordered);
    } catch (LinkageError | IllegalArgumentException problem) {
      throw invalid(name, problem);
    }
  }

  private static Object newInstance(byte[] bytes) {
    try {
      MethodHandles.Lookup hidden = LOOKUP.defineHiddenClass(bytes, true);
      return hidden
          .findConstructor(hidden.lookupClass(), MethodType.methodType(void.class))
          .invoke();
    } catch (LinkageError rejected) {
      throw rejected;
    } catch (Throwable problem) {
      throw new AssertionError("generated class does not load", problem);
    }
  }
}
