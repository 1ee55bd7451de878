package org.hlo4j.stablehlo.vhlo;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.AttributeDefinition;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.BuiltinWriter;
import org.hlo4j.stablehlo.mlir.EntryPool;
import org.hlo4j.stablehlo.mlir.EntryWriter;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * An encoder of StableHLO's attributes and types for portable artifacts. It also determines the
 * first version that has all of them.
 */
final class VhloWriter {
  private static final String DIALECT = "vhlo";
  private static final Version RANGES_OF_AXES = new Version(0, 18, 0);
  private static final Version BUFFERS = new Version(1, 13, 0);
  private static final Version FUTURES = new Version(1, 15, 0);
  private static final Version MESHES = new Version(1, 16, 0);
  private static final Version OTHER_DIALECTS = new Version(1, 11, 0);

  private final EntryPool pool;
  private final BuiltinWriter builtin;
  private final Map<Type, EntryWriter.Entry> types = new HashMap<>();

  VhloWriter(BuiltinWriter builtin) {
    this.pool = builtin.pool();
    this.builtin = builtin;
  }

  private static Optional<VhloType> known(Object type) {
    return Optional.ofNullable(VhloType.BY_TYPE.get(type));
  }

  private static EntryWriter code(int code) {
    return new EntryWriter().varint(code);
  }

  private EntryWriter.Entry attribute(EntryWriter parts) {
    return pool.attribute(DIALECT, parts);
  }

  private EntryWriter.Entry string(String value) {
    return attribute(code(14).string(value));
  }

  /** Encodes a version of the custom call interface, which is an enumeration in artifacts. */
  EntryWriter.Entry apiVersion(Attribute version) {
    return attribute(code(5).varint(((Attribute.Int) version).value().longValue()));
  }

  EntryWriter.Entry attribute(Attribute attribute) {
    return switch (attribute) {
      case Attribute.Array array -> attribute(code(1).entries(array.elements(), this::attribute));
      case Attribute.Dictionary dictionary -> dictionary(dictionary);
      case Attribute.Str string -> string(string.value());
      case Attribute.Symbol symbol -> string(symbol.name());
      case Attribute.OfType type -> attribute(code(17).entry(type(type.type())));
      case Attribute.Int number -> integer(number);
      case Attribute.Floating number ->
          attribute(code(8).entry(type(number.type())).number(number));
      case Attribute.DenseArray list -> list(list);
      case Attribute.Dense dense -> attribute(code(15).entry(type(dense.type())).elements(dense));
      case Attribute.Word word ->
          attribute(code(structCode(word.mnemonic(), word)).varint(number(word)));
      case Attribute.Struct struct -> struct(struct);
      case Attribute.Verbatim kept -> builtin.attribute(kept);
      case Attribute.Unit unit -> throw refusal(unit);
      case Attribute.OfLocation location -> throw refusal(location);
      case Attribute.DenseResource resource -> throw refusal(resource);
    };
  }

  private static HloException refusal(Object what) {
    return new HloException(UNSUPPORTED, "%s cannot be written to a portable artifact", what);
  }

  private static int number(Attribute.Word word) {
    int number = StructTable.number(word);
    if (number < 0) {
      throw refusal(word);
    }
    return number;
  }

  private static int structCode(String mnemonic, Attribute attribute) {
    return Optional.ofNullable(StructTable.ARTIFACT_CODES.get(mnemonic))
        .orElseThrow(() -> refusal(attribute));
  }

  private EntryWriter.Entry dictionary(Attribute.Dictionary dictionary) {
    EntryWriter parts = code(6).varint(dictionary.entries().size());
    dictionary
        .entries()
        .forEach((name, value) -> parts.entry(string(name)).entry(attribute(value)));
    return attribute(parts);
  }

  private EntryWriter.Entry integer(Attribute.Int number) {
    return number.type().equals(Types.I1)
        ? attribute(code(2).varint(number.value().signum() == 0 ? 0 : 1))
        : attribute(code(9).entry(type(number.type())).integer(number));
  }

  /** Encodes a list as a one-dimensional tensor. */
  private EntryWriter.Entry list(Attribute.DenseArray list) {
    ImmutableList<Long> sizes = ImmutableList.of((long) list.values().size());
    return attribute((Attribute) elements(list.element(), sizes, list.values()));
  }

  /** Returns a tensor of some elements; of one if it stands for all. */
  static Attribute.Dense elements(Type element, ImmutableList<Long> sizes, List<Long> values) {
    ElementType type = Types.elementType(element).orElseThrow(() -> refusal(element));
    boolean splat = values.stream().distinct().count() == 1;
    Shape.Array shape = splat ? Shape.of(type) : Shape.of(type, values.size());
    Literal literal = Literal.ofBits(shape, values::get);
    return new Attribute.Dense(Type.Tensor.of(element, sizes), splat, () -> literal);
  }

  private EntryWriter.Entry struct(Attribute.Struct struct) {
    EntryWriter parts = code(structCode(struct.mnemonic(), struct));
    StructTable.fields(struct.mnemonic())
        .values()
        .forEach(field ->
            write(
                field,
                Optional.ofNullable(struct.fields().get(field.name())).or(field::defaultValue),
                parts,
                struct));
    return attribute(parts);
  }

  private void write(
      AttributeDefinition field,
      Optional<Attribute> given,
      EntryWriter parts,
      Attribute.Struct struct) {
    if (field.isOptional()) {
      Optional<EntryWriter.Entry> entry = given.map(this::attribute);
      if (field.kind() == AttributeDefinition.Kind.DENSE) {
        parts.optional(entry);
      } else {
        parts.varint(entry.isPresent() ? 1 : 0);
        entry.ifPresent(parts::entry);
      }
      return;
    }
    switch (given.orElseThrow(() -> refusal(struct))) {
      case Attribute.DenseArray list -> parts.signedList(list.values());
      case Attribute.Int number -> parts.signed(number.value().longValue());
      case Attribute.Floating number -> parts.doubleValue(number.value());
      case Attribute other -> parts.entry(attribute(other));
    }
  }

  EntryWriter.Entry type(Type type) {
    EntryWriter.Entry known = types.get(type);
    if (known == null) {
      known = pool.type(DIALECT, typeParts(type));
      types.put(type, known);
    }
    return known;
  }

  private EntryWriter typeParts(Type type) {
    return switch (type) {
      case Type.Complex complex -> code(1).entry(type(complex.element()));
      case Type.Function function ->
          code(8).entries(function.inputs(), this::type).entries(function.results(), this::type);
      case Type.Tensor tensor ->
          tensor
              .encoding()
              .map(encoding -> code(21).entry(attribute(encoding)))
              .orElseGet(() -> code(20))
              .signedList(tensor.sizes())
              .entry(type(tensor.element()));
      case Type.Tuple tuple -> code(23).entries(tuple.elements(), this::type);
      case Type.Quantized quantized -> quantized(quantized);
      case Type.UnrankedTensor tensor -> code(25).entry(type(tensor.element()));
      case Type.MemRef buffer -> code(41).signedList(buffer.sizes()).entry(type(buffer.element()));
      case Type.Dialect future when isFuture(future) ->
          code(42).entries(futureTypes(future), this::type);
      default -> code(known(type).map(VhloType::code).orElseThrow(() -> refusal(type)));
    };
  }

  private static boolean isFuture(Type.Dialect type) {
    return type.dialect().equals("stablehlo") && type.mnemonic().equals("future");
  }

  private static ImmutableList<Type> futureTypes(Type.Dialect future) {
    return MlirParser.types(future.body(), StandardDialects.INSTANCE);
  }

  private EntryWriter quantized(Type.Quantized type) {
    boolean signed = type.storage().signedness() != Type.Signedness.UNSIGNED;
    EntryWriter.Entry storage =
        type(new Type.Int(type.storage().width(), Type.Signedness.SIGNLESS));
    EntryWriter parts =
        code(type.axis().isPresent() ? 30 : 24)
            .varint(signed ? 1 : 0)
            .entry(storage)
            .entry(type(type.expressed()));
    if (type.axis().isEmpty()) {
      return parts
          .doubleValue(type.scales().get(0))
          .signed(type.zeroPoints().get(0))
          .signed(type.min())
          .signed(type.max());
    }
    parts.varint(type.axis().getAsInt()).signed(type.min()).signed(type.max());
    parts.varint(type.scales().size());
    type.scales().forEach(parts::doubleValue);
    return parts.signedList(type.zeroPoints());
  }

  /** Returns the first version that has an attribute or a type, or all of a list of them. */
  static Version since(Object part) {
    return switch (part) {
      case Collection<?> all ->
          all.stream().map(VhloWriter::since).reduce(Version.OLDEST, VhloWriter::later);
      case Attribute.OfType type -> since(type.type());
      case Attribute.Dense dense -> since(dense.type());
      case Attribute.Int number -> since(number.type());
      case Attribute.Floating number -> since(number.type());
      case Attribute.Array array -> since(array.elements());
      case Attribute.Dictionary dictionary -> since(dictionary.entries().values());
      case Attribute.Struct struct when struct.mnemonic().equals("replica_group_mesh_axes") ->
          MESHES;
      case Attribute.Struct struct -> since(struct.fields().values());
      case Attribute.Verbatim _ -> OTHER_DIALECTS;
      case Type.Complex complex -> since(complex.element());
      case Type.Function function -> later(since(function.inputs()), since(function.results()));
      case Type.Tensor tensor -> since(tensor.element());
      case Type.UnrankedTensor tensor -> since(tensor.element());
      case Type.Tuple tuple -> since(tuple.elements());
      case Type.MemRef buffer -> later(BUFFERS, since(buffer.element()));
      case Type.Dialect future when isFuture(future) -> later(FUTURES, since(futureTypes(future)));
      case Type.Quantized quantized when quantized.axis().isPresent() ->
          later(RANGES_OF_AXES, since(quantized.expressed()));
      case Type.Quantized quantized -> since(quantized.expressed());
      default -> known(part).map(VhloType::since).orElse(Version.OLDEST);
    };
  }

  static Version later(Version first, Version second) {
    return first.isBefore(second) ? second : first;
  }
}
