package org.hlo4j.interpreter.compiled.fission;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;

/**
 * Loop fission of scalar loops: a loop is split into several loops over strips. C2 vectorizes only
 * short loops, and none in which the bits of floats are taken as integers or methods are called.
 * Operations that C2 can vectorize are therefore separated from those that it cannot, and bits are
 * copied from array to array.
 */
public final class LoopFission {
  /** The minimum number of elements for which fission pays. */
  public static final int MIN = 64;

  private LoopFission() {}

  /**
   * Returns an object of a new class, like {@link HiddenClasses#instance}, but with the loops of
   * its method split. Empty if this pays for none of them.
   *
   * @throws TooLargeException if a method is longer than {@link HiddenClasses#LIMIT}
   */
  public static <T> Optional<T> instance(Class<T> type, String name, Consumer<CodeBuilder> body) {
    return HiddenClasses.instance(type, name, body, LoopFission::splitLoops);
  }

  private static Optional<byte[]> splitLoops(ClassFile classFile, ClassModel model) {
    ClassDesc self = model.thisClass().asSymbol();
    List<StripWriter> writers = new ArrayList<>();
    byte[] bytes =
        classFile.transformClass(
            model,
            ClassTransform.transformingMethods(
                    (method, element) -> {
                      List<InnerLoop> loops =
                          element instanceof CodeModel code
                              ? InnerLoop.of(code.elementList())
                              : List.of();
                      if (element instanceof CodeAttribute code && !loops.isEmpty()) {
                        method.withCode(
                            builder -> writers.addAll(write(builder, self, code, loops)));
                      } else {
                        method.with(element);
                      }
                    })
                .andThen(
                    ClassTransform.endHandler(
                        builder -> writers.forEach(writer -> writer.writeParts(builder)))));
    return writers.isEmpty() ? Optional.empty() : Optional.of(bytes);
  }

  private static List<StripWriter> write(
      CodeBuilder builder, ClassDesc self, CodeAttribute code, List<InnerLoop> loops) {
    List<CodeElement> elements = code.elementList();
    int prologueEnd = InnerLoop.jumpToStart(elements);
    List<StripWriter> writers = new ArrayList<>();
    int firstLocal = code.maxLocals();
    int done = 0;
    for (InnerLoop loop : loops) {
      elements.subList(done, loop.first()).forEach(builder::with);
      String name = "loop" + writers.size() + "part";
      StripWriter writer = new StripWriter(builder, self, name, loop, firstLocal);
      writer.write();
      writers.add(writer);
      firstLocal = writer.nextLocal();
      done = loop.last() + 1;
    }
    elements.subList(done, prologueEnd).forEach(builder::with);
    writers.forEach(StripWriter::writeArrays);
    elements.subList(prologueEnd, elements.size()).forEach(builder::with);
    return writers;
  }
}
