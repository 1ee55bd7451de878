package org.hlo4j.interpreter.compiled.codegen;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Tells C2 of what class vectors are, by a comparison that it drops once it knows. It takes in
 * methods of the library while it reads the code, but makes instructions of vectors of them later;
 * until then it goes by the classes that these methods have met so far, and where that were two, as
 * other code has other vectors, it makes objects to choose between them.
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
   * The class of some vectors of a method.
   *
   * @param code the method
   * @param vector the public class of the vectors
   * @param species its field with their species
   * @param otherwise where to go if a vector is of another class, which never is
   */
  public VectorClass(CodeBuilder code, ClassDesc vector, String species, Label otherwise) {
    this.code = code;
    this.vector = vector;
    this.species = species;
    this.otherwise = otherwise;
    this.local = code.allocateLocal(TypeKind.REFERENCE);
  }

  /** {@return the field of a vector class that holds the species of so many bits} */
  public static String species(int bits) {
    return "SPECIES_" + bits;
  }

  /** Writes what finds it out: once, before all comparisons. */
  public void find() {
    code.getstatic(vector, species, SPECIES);
    code.invokeinterface(SPECIES, "vectorType", GIVING_CLASS).astore(local);
  }

  /**
   * Writes a comparison.
   *
   * @param vectorLocal a local variable with a vector
   */
  public void tell(int vectorLocal) {
    code.aload(vectorLocal).invokevirtual(CD_Object, "getClass", GIVING_CLASS);
    code.aload(local).if_acmpne(otherwise);
  }
}
