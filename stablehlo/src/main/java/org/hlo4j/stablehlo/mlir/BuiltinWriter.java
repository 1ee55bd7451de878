package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableMap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;

/** A writer of attributes, types and locations in the encoding of MLIR's builtin dialect. */
public final class BuiltinWriter {
  private static final String DIALECT = "builtin";

  private static final ImmutableMap<String, Integer> FLOATS = BuiltinEncoding.FLOATS.inverse();

  private static final int MAX_FLOAT_CODE = 8;

  private final EntryPool pool;
  private final boolean hasLocationRanges;
  private final IdentityHashMap<Location, EntryWriter.Entry> locations = new IdentityHashMap<>();
  private final IdentityHashMap<Type, EntryWriter.Entry> types = new IdentityHashMap<>();

  /**
   * Creates a writer.
   *
   * @param pool the pool that entries are added to
   * @param hasLocationRanges whether readers know locations that are a range; others get its start
   */
  public BuiltinWriter(EntryPool pool, boolean hasLocationRanges) {
    this.pool = pool;
    this.hasLocationRanges = hasLocationRanges;
  }

  /** {@return the pool that entries are added to} */
  public EntryPool pool() {
    return pool;
  }

  private static EntryWriter code(int code) {
    return new EntryWriter().varint(code);
  }

  private EntryWriter.Entry attribute(EntryWriter parts) {
    return pool.attribute(DIALECT, parts);
  }

  /**
   * {@return a string}
   *
   * @param value its characters
   */
  public EntryWriter.Entry string(String value) {
    return attribute(code(2).string(value));
  }

  /**
   * {@return a dictionary of attributes that are already encoded}
   *
   * @param entries the attributes in the order of their names
   */
  public EntryWriter.Entry dictionary(Map<String, EntryWriter.Entry> entries) {
    EntryWriter parts = code(1).varint(entries.size());
    entries.forEach((name, value) -> parts.entry(string(name)).entry(value));
    return attribute(parts);
  }

  /**
   * {@return an attribute}
   *
   * @param attribute the attribute
   */
  public EntryWriter.Entry attribute(Attribute attribute) {
    return switch (attribute) {
      case Attribute.Array array -> attribute(code(0).entries(array.elements(), this::attribute));
      case Attribute.Dictionary dictionary -> {
        Map<String, EntryWriter.Entry> entries = new java.util.TreeMap<>();
        dictionary.entries().forEach((name, value) -> entries.put(name, attribute(value)));
        yield dictionary(entries);
      }
      case Attribute.Str string -> string(string.value());
      case Attribute.Symbol symbol -> symbol(symbol);
      case Attribute.OfType type -> attribute(code(6).entry(type(type.type())));
      case Attribute.Unit unit -> attribute(code(7));
      case Attribute.Int number -> attribute(code(8).entry(type(number.type())).integer(number));
      case Attribute.Floating number ->
          attribute(code(9).entry(type(number.type())).number(number));
      case Attribute.DenseArray list -> denseArray(list);
      case Attribute.Dense dense -> attribute(code(18).entry(type(dense.type())).elements(dense));
      case Attribute.OfLocation location -> location(location.location());
      case Attribute.Verbatim kept -> pool.text(true, kept.dialect(), kept.toString());
      case Attribute.Word word -> pool.text(true, word.dialect(), word.toString());
      case Attribute.Struct struct -> pool.text(true, struct.dialect(), struct.toString());
      case Attribute.DenseResource resource ->
          throw new HloException(
              UNSUPPORTED, "resource %s has no elements, so it cannot be written", resource.name());
    };
  }

  private EntryWriter.Entry symbol(Attribute.Symbol symbol) {
    List<String> nested = symbol.path().subList(1, symbol.path().size());
    EntryWriter.Entry root = string(symbol.path().get(0));
    return attribute(
        nested.isEmpty()
            ? code(4).entry(root)
            : code(5).entry(root).entries(nested, each -> symbol(Attribute.Symbol.of(each))));
  }

  private EntryWriter.Entry denseArray(Attribute.DenseArray list) {
    int width = TensorBytes.width(Types.elementType(list.element()).orElse(ElementType.S64));
    ByteBuffer bytes =
        ByteBuffer.allocate(width * list.values().size()).order(ByteOrder.LITTLE_ENDIAN);
    for (long value : list.values()) {
      for (int i = 0; i < width; i++) {
        bytes.put((byte) (value >> (8 * i)));
      }
    }
    return attribute(
        code(17).entry(type(list.element())).varint(list.values().size()).blob(bytes.array()));
  }

  /**
   * {@return a location}
   *
   * @param location the location
   */
  public EntryWriter.Entry location(Location location) {
    EntryWriter.Entry known = locations.get(location);
    if (known == null) {
      known = attribute(locationParts(location));
      locations.put(location, known);
    }
    return known;
  }

  private EntryWriter locationParts(Location location) {
    return switch (location) {
      case Location.CallSite site ->
          code(10).entry(location(site.callee())).entry(location(site.caller()));
      case Location.FileRange range -> range(range);
      case Location.Fused fused ->
          fused
              .metadata()
              .map(each ->
                  code(13).entries(fused.locations(), this::location).entry(attribute(each)))
              .orElseGet(() -> code(12).entries(fused.locations(), this::location));
      case Location.Name name -> code(14).entry(string(name.name())).entry(location(name.child()));
      case Location.Unknown unknown -> code(15);
    };
  }

  /** Encodes a range as a single position if it is one, as older readers do not know ranges. */
  private EntryWriter range(Location.FileRange range) {
    EntryWriter.Entry file = string(range.file());
    boolean line = range.startLine() == range.endLine();
    if (!hasLocationRanges || (line && range.startColumn() == range.endColumn())) {
      return code(11).entry(file).varint(range.startLine()).varint(range.startColumn());
    }
    EntryWriter parts = code(22).entry(file).varint(line ? 3 : 4);
    parts.varint(range.startLine()).varint(range.startColumn());
    return (line ? parts : parts.varint(range.endLine())).varint(range.endColumn());
  }

  /**
   * {@return a type}
   *
   * @param type the type
   */
  public EntryWriter.Entry type(Type type) {
    EntryWriter.Entry known = types.get(type);
    EntryWriter.Entry entry = known == null ? written(type) : known;
    types.put(type, entry);
    return entry;
  }

  private EntryWriter.Entry written(Type type) {
    return switch (type) {
      case Type.Int number ->
          type(
              code(0)
                  .varint(
                      number.width() * 4L
                          + BuiltinEncoding.SIGNEDNESS.indexOf(number.signedness())));
      case Type.Simple simple ->
          switch (simple) {
            case INDEX -> type(code(1));
            case NONE -> type(code(12));
          };
      case Type.Function function ->
          type(
              code(2)
                  .entries(function.inputs(), this::type)
                  .entries(function.results(), this::type));
      case Type.Floating number -> floating(number.name());
      case Type.Complex complex -> type(code(9).entry(type(complex.element())));
      case Type.Tensor tensor -> tensor(tensor);
      case Type.Tuple tuple -> type(code(15).entries(tuple.elements(), this::type));
      case Type.UnrankedTensor tensor -> type(code(18).entry(type(tensor.element())));
      case Type.MemRef buffer -> pool.text(false, DIALECT, buffer.toString());
      case Type.Quantized quantized -> pool.text(false, "quant", quantized.toString());
      case Type.Dialect other -> pool.text(false, other.dialect(), other.toString());
    };
  }

  /**
   * Encodes a floating-point type. The narrow types got their codes later; they are written as
   * text, which older readers also know.
   */
  private EntryWriter.Entry floating(String name) {
    int code = FLOATS.getOrDefault(name, Integer.MAX_VALUE);
    return code <= MAX_FLOAT_CODE ? type(code(code)) : pool.text(false, DIALECT, name);
  }

  private EntryWriter.Entry type(EntryWriter parts) {
    return pool.type(DIALECT, parts);
  }

  private EntryWriter.Entry tensor(Type.Tensor tensor) {
    EntryWriter parts =
        tensor
            .encoding()
            .map(encoding -> code(14).entry(attribute(encoding)))
            .orElseGet(() -> code(13));
    return type(parts.signedList(tensor.sizes()).entry(type(tensor.element())));
  }
}
