package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.CaseFormat;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Types;
import org.jspecify.annotations.Nullable;

/**
 * The correspondence between the attributes of an op of StableHLO and the components of the record
 * of HLO that mirrors it, in both directions. The table of ops says which attribute is which
 * component.
 */
public final class RecordBinding {
  private static final ImmutableMap<String, RecordBinding> BY_NAME =
      OpTable.rows().values().stream()
          .filter(row -> !row.opcode().isEmpty())
          .collect(toImmutableMap(OpDefinition::name, RecordBinding::new));

  private static final ImmutableMap<String, RecordBinding> BY_OPCODE =
      BY_NAME.values().stream()
          .collect(
              toImmutableMap(
                  binding -> binding.definition.opcode(),
                  binding -> binding,
                  (ofStablehlo, ofClient) -> ofStablehlo));

  /** What the names of HLO's values of enumerations begin with, which StableHLO's lack. */
  private static final String PREFIX = "RNG_";

  private final OpDefinition definition;

  private RecordBinding(OpDefinition definition) {
    this.definition = definition;
  }

  /**
   * {@return the binding of an op of StableHLO or CHLO, if it mirrors one of HLO}
   *
   * @param name its name
   */
  public static Optional<RecordBinding> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /**
   * {@return the binding of an op of HLO, if one of StableHLO or CHLO mirrors it}
   *
   * @param op the op of HLO
   */
  public static Optional<RecordBinding> of(Op op) {
    return Optional.ofNullable(BY_OPCODE.get(op.opcode()));
  }

  /** {@return the op of StableHLO or CHLO} */
  public OpDefinition definition() {
    return definition;
  }

  /**
   * Returns the op of HLO.
   *
   * @param attributes the attributes of the op of StableHLO, in canonical form
   * @param given returns a component that is no attribute, such as a shape; empty for any other
   * @return the op of HLO
   */
  public Op read(Map<String, Attribute> attributes, Function<OpAttribute, Optional<Object>> given) {
    Optional<Elementwise> elementwise = OpSchema.elementwise(definition.opcode());
    if (elementwise.isPresent()) {
      return elementwise.get();
    }
    OpSchema schema = OpSchema.of(definition.opcode()).orElseThrow();
    List<Object> values = new ArrayList<>();
    for (OpAttribute component : schema.attributes()) {
      values.add(
          given
              .apply(component)
              .orElseGet(() -> component(component.component(), component.name(), attributes)));
    }
    return schema.create(values);
  }

  /** Returns a component of a record; {@code path} is its name, behind that of the outer record. */
  private Object component(
      RecordComponent component, String path, Map<String, Attribute> attributes) {
    Class<?> type = component.getType();
    Optional<AttributeDefinition> own = definition(path);
    if (own.isPresent()) {
      return value(component, own.get(), attributes.get(own.get().name()));
    }
    for (AttributeDefinition attribute : definition.attributes().values()) {
      if (attribute.component().equals("*")
          && attributes.get(attribute.name()) instanceof Attribute.Struct struct) {
        for (AttributeDefinition field : StructTable.fields(attribute.parameter()).values()) {
          if (field.component().equals(path)) {
            return value(component, field, struct.fields().get(field.name()));
          }
        }
      }
    }
    return type.isRecord()
        ? record(type, part -> component(part, path + "." + name(part), attributes))
        : absent(type);
  }

  /** Returns the attribute that is a component of the record. */
  private Optional<AttributeDefinition> definition(String path) {
    return definition.attributes().values().stream()
        .filter(attribute -> attribute.component().equals(path))
        .findFirst();
  }

  private static String name(RecordComponent component) {
    return CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component.getName());
  }

  private static Object record(Class<?> type, Function<RecordComponent, Object> value) {
    return OpSchema.record(type, Arrays.stream(type.getRecordComponents()).map(value).toList());
  }

  private static Object absent(Class<?> type) {
    if (type == boolean.class) {
      return false;
    }
    return type == Optional.class
        ? Optional.empty()
        : type == ImmutableList.class ? ImmutableList.of() : Dims.of();
  }

  private static Object value(
      RecordComponent component, AttributeDefinition definition, @Nullable Attribute given) {
    Class<?> type = component.getType();
    return switch (given == null ? definition.defaultValue().orElse(null) : given) {
      case null -> absent(type);
      case Attribute.DenseArray list -> Dims.copyOf(list.values());
      case Attribute.Int number -> number(type, definition, number.value().longValue());
      case Attribute.Floating number -> (float) number.value();
      case Attribute.Str text -> text.value();
      case Attribute.Word word ->
          type == Optional.class
              ? constant(argument(component), word)
              : constant(type, word).orElseThrow();
      case Attribute.Array words -> words(argument(component), definition, words);
      case Attribute.Struct struct -> {
        ImmutableMap<String, AttributeDefinition> fields = StructTable.fields(struct.mnemonic());
        yield record(
            type,
            part ->
                value(
                    part, requireNonNull(fields.get(name(part))), struct.fields().get(name(part))));
      }
      case Attribute other -> other == Attribute.Unit.INSTANCE;
    };
  }

  private static Object number(Class<?> type, AttributeDefinition definition, long value) {
    if (type == boolean.class) {
      return value != 0;
    }
    if (type == int.class) {
      require(value == (int) value, PARSE, "%s got %s, want 32 bits", definition.name(), value);
      return (int) value;
    }
    return type == Dims.class ? Dims.of(value) : value;
  }

  private static Class<?> argument(RecordComponent component) {
    return (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
  }

  /** Returns the value of an enumeration; empty if it means that there is none, NOTYPE. */
  private static Optional<Object> constant(Class<?> type, Attribute.Word word) {
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> word.value().equals(wordOf(each)))
        .findFirst()
        .map(each -> each);
  }

  private static String wordOf(Object constant) {
    String name = ((Enum<?>) constant).name();
    return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
  }

  /** Returns the values of an enumeration for two operands; none if both are the default. */
  private static ImmutableList<Object> words(
      Class<?> type, AttributeDefinition definition, Attribute.Array words) {
    require(
        words.elements().size() <= 2,
        VERIFY,
        "%s got %s, want two at most",
        definition.name(),
        words);
    Object defaultValue = type.getEnumConstants()[0];
    List<Object> values = new ArrayList<>();
    words
        .elements()
        .forEach(word -> values.add(constant(type, (Attribute.Word) word).orElseThrow()));
    if (values.size() == 1) {
      values.add(defaultValue);
    }
    return values.stream().allMatch(defaultValue::equals)
        ? ImmutableList.of()
        : ImmutableList.copyOf(values);
  }

  /**
   * Returns a refusal of the op of HLO in the words of StableHLO: without the name of the op, and
   * with the name of the attribute that is the component it begins with.
   *
   * @param refusal the refusal
   * @return the same refusal with another summary
   */
  public HloException inWords(HloException refusal) {
    String prefix = definition.opcode() + ": ";
    if (!refusal.summary().startsWith(prefix)) {
      return refusal;
    }
    String summary = refusal.summary().substring(prefix.length());
    for (AttributeDefinition attribute : definition.attributes().values()) {
      String component = attribute.component();
      if (summary.startsWith(component + " ") || summary.startsWith(component + "[")) {
        summary = attribute.name() + summary.substring(component.length());
        break;
      }
    }
    HloException said = new HloException(refusal.label(), summary);
    if (refusal.kind() != ARGUMENT) { // the one where none was said
      said = said.withKind(refusal.kind());
    }
    for (HloException.Fact fact : refusal.facts()) {
      said = said.with(fact.name(), fact.text());
    }
    return said;
  }

  /**
   * Returns the attributes of the op of StableHLO.
   *
   * @param op the op of HLO
   * @return the attributes that its record has, but for an algorithm
   */
  public Map<String, Attribute> write(Op op) {
    Map<String, Attribute> attributes = new TreeMap<>();
    for (AttributeDefinition attribute : definition.attributes().values()) {
      Optional<Attribute> value =
          attribute.component().equals("*")
              ? Optional.of(struct(attribute.parameter(), op))
              : part(op, attribute.component()).flatMap(part -> written(attribute, part));
      value.ifPresent(present -> attributes.put(attribute.name(), present));
    }
    return attributes;
  }

  private Attribute.Struct struct(String mnemonic, Object record) {
    Map<String, Attribute> fields = new TreeMap<>();
    for (AttributeDefinition field : StructTable.fields(mnemonic).values()) {
      part(record, field.component())
          .flatMap(part -> written(field, part))
          .ifPresent(value -> fields.put(field.name(), value));
    }
    return StructTable.struct(
        definition.name().substring(0, definition.name().indexOf('.')), mnemonic, fields);
  }

  /** Returns a component of a record; empty if it has none of this name. */
  private static Optional<Object> part(Object record, String path) {
    Object part = record;
    for (String name : Splitter.on('.').split(path)) {
      Object outer = part;
      if (outer instanceof Window window && name.equals("padding")) {
        return Optional.of(
            IntStream.range(0, window.sizes().count())
                .mapToObj(i -> Dims.of(window.paddingLow().get(i), window.paddingHigh().get(i)))
                .collect(toImmutableList()));
      }
      Optional<RecordComponent> component =
          Arrays.stream(outer.getClass().getRecordComponents())
              .filter(each -> name(each).equals(name))
              .findFirst();
      if (component.isEmpty()) {
        return Optional.empty();
      }
      try {
        part = component.get().getAccessor().invoke(outer);
      } catch (ReflectiveOperationException broken) {
        throw new LinkageError(component + " cannot be read", broken);
      }
    }
    return Optional.of(part);
  }

  /** Returns a component as an attribute; empty if it is optional and says nothing. */
  private Optional<Attribute> written(AttributeDefinition attribute, Object value) {
    return switch (value) {
      case Optional<?> optional -> optional.flatMap(present -> written(attribute, present));
      case Dims dims when attribute.kind() == AttributeDefinition.Kind.I64 ->
          Optional.of(Attribute.Int.i64(dims.get(0)));
      case Dims dims when isFilled(attribute, dims, 1) -> Optional.empty();
      case Dims dims -> Optional.of(Attribute.DenseArray.i64(dims.stream().boxed().toList()));
      case Boolean flag when attribute.isOptional() && !flag -> Optional.empty();
      case Boolean flag when attribute.kind() == AttributeDefinition.Kind.UNIT ->
          Optional.of(Attribute.Unit.INSTANCE);
      case Boolean flag -> Optional.of(Attribute.Int.bool(flag));
      case Long handle when attribute.parameter().equals("channel_handle") ->
          Optional.of(channel(handle, 1));
      case Number number -> Optional.of(number(attribute, number));
      case String text -> Optional.of(new Attribute.Str(text));
      case Enum<?> word when attribute.kind() == AttributeDefinition.Kind.WORD ->
          Optional.of(new Attribute.Word("stablehlo", attribute.parameter(), wordOf(word)));
      case ImmutableList<?> list -> list(attribute, list);
      case ReplicaGroups groups -> Optional.of(MeshForm.groups(groups));
      case ConvolutionDimensionNumbers numbers ->
          Optional.of(struct(attribute.parameter(), numbers));
      default -> Optional.empty();
    };
  }

  private static boolean isFilled(AttributeDefinition attribute, Dims dims, long value) {
    return attribute.isOptional()
        && !attribute.component().equals("window.sizes")
        && dims.stream().allMatch(each -> each == value);
  }

  private static Attribute number(AttributeDefinition attribute, Number number) {
    return switch (attribute.kind()) {
      case F32 -> new Attribute.Floating(number.doubleValue(), Types.F32);
      case I32 -> Attribute.Int.i32(number.longValue());
      default -> Attribute.Int.i64(number.longValue());
    };
  }

  /**
   * {@return a channel}
   *
   * @param handle its number
   * @param type 1 from device to device, 2 from device to host, 3 from host to device
   */
  public static Attribute channel(long handle, long type) {
    return StructTable.struct(
        "channel_handle",
        Map.of("handle", Attribute.Int.i64(handle), "type", Attribute.Int.i64(type)));
  }

  private static Optional<Attribute> list(AttributeDefinition attribute, ImmutableList<?> list) {
    return switch (attribute.kind()) {
      case WORDS ->
          Optional.of(list)
              .filter(words -> !words.isEmpty())
              .map(words ->
                  new Attribute.Array(
                      words.stream()
                          .map(word ->
                              new Attribute.Word("stablehlo", attribute.parameter(), wordOf(word)))
                          .collect(toImmutableList())));
      case BOOLS ->
          Optional.of(list)
              .filter(flags -> flags.contains(true))
              .map(flags ->
                  new Attribute.DenseArray(
                      Types.I1,
                      flags.stream()
                          .map(flag -> flag.equals(true) ? 1L : 0L)
                          .collect(toImmutableList())));
      default ->
          list.stream().allMatch(pair -> isFilled(attribute, (Dims) pair, 0))
                  && attribute.isOptional()
              ? Optional.empty()
              : Optional.of(
                  AttributeFactory.pairs(
                      Dims.of(
                          list.stream().flatMapToLong(pair -> ((Dims) pair).stream()).toArray())));
    };
  }
}
