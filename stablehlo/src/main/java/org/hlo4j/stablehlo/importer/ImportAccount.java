package org.hlo4j.stablehlo.importer;

import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * The account of a module that is imported: instructions that operations become, and attributes,
 * which aliases and entries of bytecode may have made large.
 */
final class ImportAccount {
  /** The bytes of an operation in a file, at least. */
  private static final long OPERATION = 8;

  /** What counts as its bytes for instructions: CHLO's functions become hundreds of them. */
  private static final long EXPANDED = 4096;

  private final ReadLimits instructions;
  private final ReadLimits attributes;

  ImportAccount(Operation module) {
    long operations = module.count();
    this.instructions = new ReadLimits("import", EXPANDED * operations);
    this.attributes = new ReadLimits("import", OPERATION * operations);
  }

  /** Takes an instruction. */
  void takeInstruction() {
    instructions.take(ReadLimits.INSTRUCTION);
  }

  /** Takes the attributes of an operation; the elements of a constant are used as they are. */
  void take(Attributes of) {
    of.entries()
        .forEach((name, value) -> {
          if (!(name.equals("value") && value instanceof Attribute.Dense)) {
            take(value);
          }
        });
  }

  private void take(Attribute attribute) {
    attributes.take(ReadLimits.OBJECT);
    switch (attribute) {
      case Attribute.Str text -> attributes.take(text.value().length());
      case Attribute.Verbatim text -> attributes.take(text.body().length());
      case Attribute.Array array -> array.elements().forEach(this::take);
      case Attribute.Dictionary dictionary -> dictionary.entries().values().forEach(this::take);
      case Attribute.Struct struct -> struct.fields().values().forEach(this::take);
      case Attribute.DenseArray array -> attributes.take((long) Long.BYTES * array.values().size());
      case Attribute.Dense dense when !dense.isSplat() ->
          attributes.take((long) Long.BYTES * dense.elements().elementCount());
      default -> {}
    }
  }
}
