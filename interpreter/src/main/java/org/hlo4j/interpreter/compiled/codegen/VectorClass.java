package org.hlo4j.interpreter.compiled.codegen;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * A type guard that tells C2 the class of vectors, by a comparison that C2 removes once it knows
 * the class. C2 inlines methods of the Vector API while it parses the bytecode, but replaces vector
 * operations by instructions later. Until then it relies on the type profiles of these methods. If
 * a profile contains two classes, because other code uses other vectors, C2 boxes vectors to choose
 * between them.
 */
public final class VectorClass {
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
  private static final MethodTypeDesc GIVING_CLASS = MethodTypeDesc.of(CD_Class);

  private final CodeBuilder code;
  private final ClassDesc vector;
  private final String species;
  private final Label otherwise;
  private final int local;

  /**
   * Creates a guard for some vectors of a method.
   *
   * @param code the builder of the method
   * @param vector the public class of the vectors
   * @param species the field of that class with their species
   * @param otherwise the target of the jump if a vector is of another class, which never happens
   */
  public VectorClass(CodeBuilder code, ClassDesc vector, String species, Label otherwise) {
    this.code = code;
    this.vector = vector;
    this.species = species;
    this.otherwise = otherwise;
    this.local = code.allocateLocal(TypeKind.REFERENCE);
  }

  /**
   * {@return the field of a vector class that holds the species of vectors of {@code bits} bits}
   */
  public static String species(int bits) {
    return "SPECIES_" + bits;
  }

  /** Writes code that looks up the class: once, before all comparisons. */
  public void lookUp() {
    code.getstatic(vector, species, SPECIES);
    code.invokeinterface(SPECIES, "vectorType", GIVING_CLASS).astore(local);
  }

  /**
   * Writes a comparison.
   *
   * @param vectorLocal a local variable that holds a vector
   */
  public void guard(int vectorLocal) {
    code.aload(vectorLocal).invokevirtual(CD_Object, "getClass", GIVING_CLASS);
    code.aload(local).if_acmpne(otherwise);
  }
}
