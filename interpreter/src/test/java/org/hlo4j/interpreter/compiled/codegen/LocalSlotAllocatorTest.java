package org.hlo4j.interpreter.compiled.codegen;

import static com.google.common.truth.Truth.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LocalSlotAllocatorTest {
  private static final int TEMPORARIES = 70;

  /**
   * Writes {@code for (row) for (i)} with 70 temporaries; the outer variables have the last slots.
   */
  private static void nested(CodeBuilder code) {
    int all = TEMPORARIES + 3;
    int ofRow = TEMPORARIES + 4;
    code.iconst_5().istore(all);
    code.iconst_0().istore(1);
    Label rows = code.newBoundLabel();
    Label done = code.newLabel();
    code.iload(1).iload(0).if_icmpge(done);
    code.iload(1).istore(ofRow);
    code.iconst_0().istore(2);
    Label next = code.newBoundLabel();
    Label rowDone = code.newLabel();
    code.iload(2).iload(ofRow).if_icmpge(rowDone);
    for (int k = 0; k < TEMPORARIES; k++) {
      code.iload(all).istore(3 + k);
    }
    code.iinc(2, 1).goto_(next).labelBinding(rowDone);
    code.iinc(1, 1).goto_(rows).labelBinding(done).return_();
  }

  private static void few(CodeBuilder code) {
    code.iconst_5().istore(7).return_();
  }

  /** {@return the slots that are stored to, in the order of the code} */
  private static List<Integer> set(Consumer<CodeBuilder> body) {
    ClassFile classFile = ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS);
    MethodTypeDesc type = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    byte[] bytes =
        classFile.build(
            ClassDesc.of("Test"),
            builder ->
                builder
                    .withVersion(ClassFile.JAVA_5_VERSION, 0)
                    .withMethodBody("run", type, ClassFile.ACC_STATIC, body));
    byte[] ordered =
        classFile.transformClass(classFile.parse(bytes), LocalSlotAllocator.transform());
    List<CodeElement> elements =
        classFile.parse(ordered).methods().get(0).code().orElseThrow().elementList();
    return elements.stream()
        .filter(StoreInstruction.class::isInstance)
        .map(element -> ((StoreInstruction) element).slot())
        .toList();
  }

  @Test
  void variablesOfOuterLoopsGetLowerSlots() {
    List<Integer> set = set(LocalSlotAllocatorTest::nested);
    int all = set.get(0);
    int row = set.get(1);
    int ofRow = set.get(2);
    int iteration = set.get(3);
    assertThat(all).isLessThan(ofRow);
    assertThat(ofRow).isLessThan(iteration);
    assertThat(row).isLessThan(iteration);
    assertThat(set.subList(4, set.size())).hasSize(TEMPORARIES);
    set.subList(4, set.size()).forEach(slot -> assertThat(slot).isGreaterThan(ofRow));
    assertThat(set).containsNoDuplicates();
  }

  @Test
  void methodsWithFewVariablesAreUnchanged() {
    assertThat(set(LocalSlotAllocatorTest::few)).containsExactly(7);
  }

  /** Writes a slot that holds an int and then a long, among many others. */
  private static void twoKinds(CodeBuilder code) {
    code.iconst_5().istore(1).lconst_1().lstore(1);
    for (int k = 0; k < TEMPORARIES; k++) {
      code.iconst_5().istore(3 + k);
    }
    code.return_();
  }

  @Test
  void aSlotThatHoldsValuesOfTwoKindsHasRoomForTheWiderOne() {
    List<Integer> set = set(LocalSlotAllocatorTest::twoKinds);
    assertThat(set.get(0)).isEqualTo(set.get(1));
    assertThat(set.subList(2, set.size())).doesNotContain(set.get(1) + 1);
  }
}
