package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.hlo.ElementType;

/** The element types of vectors and arrays, with the names of the classes and methods for them. */
@SuppressWarnings("ImmutableEnumChecker") // a ClassDesc does not change
enum JavaTypes {
  /** Bytes: storage of pred and of all types of up to 8 bits. */
  BYTE("Byte", ConstantDescs.CD_byte, 8),
  /** Shorts: storage of types of 16 bits. */
  SHORT("Short", ConstantDescs.CD_short, 16),
  /** Ints. */
  INT("Int", ConstantDescs.CD_int, 32),
  /** Longs. */
  LONG("Long", ConstantDescs.CD_long, 64),
  /** Floats. */
  FLOAT("Float", ConstantDescs.CD_float, 32),
  /** Doubles. */
  DOUBLE("Double", ConstantDescs.CD_double, 64);

  static final String PACKAGE = "jdk.incubator.vector.";
  static final ClassDesc VECTOR = ClassDesc.of(PACKAGE + "Vector");
  static final ClassDesc MASK = ClassDesc.of(PACKAGE + "VectorMask");
  static final ClassDesc SPECIES = ClassDesc.of(PACKAGE + "VectorSpecies");
  static final ClassDesc OPERATORS = ClassDesc.of(PACKAGE + "VectorOperators");

  private static final int SHORTEST = 64;
  private static final int LONGEST = Machine.isVectorApiOn() ? Machine.vectorBits() : 512;

  final ClassDesc vector;
  final ClassDesc scalar;
  final int bits;

  JavaTypes(String name, ClassDesc scalar, int bits) {
    this.vector = ClassDesc.of(PACKAGE + name + "Vector");
    this.scalar = scalar;
    this.bits = bits;
  }

  static JavaTypes of(Lane lane) {
    return switch (lane) {
      case F32 -> FLOAT;
      case F64 -> DOUBLE;
      case I32 -> INT;
      case I64 -> LONG;
      case MASK -> BYTE;
    };
  }

  /** Returns the element type of the array that stores elements of a type. */
  static JavaTypes storage(ElementType type) {
    return switch (type.bits()) {
      case 64 -> type.isFloating() ? DOUBLE : LONG;
      case 32 -> type.isFloating() ? FLOAT : INT;
      case 16 -> SHORT;
      default -> BYTE;
    };
  }

  /** Returns the letter of the type in names of conversions. */
  String letter() {
    return name().substring(0, 1);
  }

  ClassDesc array() {
    return scalar.arrayType();
  }

  /** Pushes the species of vectors of {@code width} elements. */
  void species(CodeBuilder code, int width) {
    code.getstatic(vector, species(width), SPECIES);
  }

  /** Returns the field name of the species of vectors of {@code width} elements. */
  String species(int width) {
    if (bits * width < SHORTEST || bits * width > LONGEST) {
      throw new NoCodeException("no vectors of " + width + " times " + this);
    }
    return VectorClass.species(bits * width);
  }

  /** Pushes an operator such as {@code VectorOperators.LSHL}, of a kind such as {@code Binary}. */
  static void operator(CodeBuilder code, String name, String kind) {
    code.getstatic(OPERATORS, name, operatorKind(kind));
  }

  static ClassDesc operatorKind(String kind) {
    return ClassDesc.of(PACKAGE + "VectorOperators$" + kind);
  }

  /** Calls an instance method of the vector. */
  void call(CodeBuilder code, String method, ClassDesc result, ClassDesc... parameters) {
    code.invokevirtual(vector, method, MethodTypeDesc.of(result, parameters));
  }
}
