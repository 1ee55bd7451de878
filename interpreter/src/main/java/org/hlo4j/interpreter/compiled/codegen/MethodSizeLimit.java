package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;

/**
 * A code transform that counts the bytes of a method while it is written, and throws an exception
 * before the method is too large for a class file.
 */
final class MethodSizeLimit implements CodeTransform {
  /** The size of a jump farther than 32 kB: the opposite test, and a wide goto. */
  private static final int FAR_JUMP = 8;

  private static final int CASE = 8;

  private final String name;
  private int size;

  MethodSizeLimit(String name) {
    this.name = name;
  }

  @Override
  public void accept(CodeBuilder code, CodeElement element) {
    if (element instanceof Instruction instruction) {
      size += most(instruction);
      if (size >= HiddenClasses.MAX_METHOD) {
        throw new TooLargeException(name, size);
      }
    }
    code.with(element);
  }

  private static int most(Instruction instruction) {
    return switch (instruction) {
      case BranchInstruction _ -> FAR_JUMP;
      case LookupSwitchInstruction cases -> CASE * (cases.cases().size() + 2);
      case TableSwitchInstruction cases -> CASE * (cases.cases().size() + 2);
      default -> instruction.sizeInBytes();
    };
  }
}
