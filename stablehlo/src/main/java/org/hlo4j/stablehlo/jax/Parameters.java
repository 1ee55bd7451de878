package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.importer.ModuleOutline;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** The meaning of the parameters of an exported module's {@code main}. */
final class Parameters {
  /** The meaning of one parameter. */
  sealed interface Parameter {}

  /** A token that orders effects. */
  record Token() implements Parameter {}

  /** A number that the call determines: the platform's index or a size, of any integer type. */
  record Constant(String name, ElementType elementType) implements Parameter {}

  /** The next kept argument. */
  record Argument() implements Parameter {}

  private static final String CONSTANT = "jax.global_constant";

  private Parameters() {}

  static ImmutableList<Parameter> of(Operation module, boolean manyPlatforms) {
    Operation main =
        module.region(0).block().operations().stream()
            .filter(Parameters::isMain)
            .findFirst()
            .orElseThrow(() -> new HloException(PARSE, "no function @main"));
    require(!main.regions().isEmpty(), PARSE, "@main has no body");
    ImmutableList.Builder<Parameter> parameters = ImmutableList.builder();
    List<Value> arguments = main.region(0).block().arguments();
    for (int i = 0; i < arguments.size(); i++) {
      Optional<String> constant = string(main.attributes().ofElement("arg_attrs", i), CONSTANT);
      if (arguments.get(i).type().equals(Type.TOKEN)) {
        parameters.add(new Token());
      } else if (constant.isPresent()) {
        parameters.add(new Constant(constant.get(), integer(arguments.get(i), constant.get())));
      } else if (i == 0 && manyPlatforms) {
        parameters.add(
            new Constant(
                JaxExport.PLATFORM_INDEX, integer(arguments.get(i), JaxExport.PLATFORM_INDEX)));
      } else {
        parameters.add(new Argument());
      }
    }
    return parameters.build();
  }

  /** Returns the type of a constant's argument; JAX made it of 64 bits under jax_enable_x64. */
  private static ElementType integer(Value argument, String name) {
    Shape shape = ModuleOutline.symbolicShape(argument.type());
    require(
        shape instanceof Shape.Array array && array.isScalar() && array.elementType().isIntegral(),
        PARSE,
        "@main takes %s as %s, want a scalar of an integer type",
        name,
        argument.type());
    return ((Shape.Array) shape).elementType();
  }

  private static boolean isMain(Operation operation) {
    return operation.name().equals("func.func")
        && string(operation.attributes(), "sym_name").equals(Optional.of("main"));
  }

  private static Optional<String> string(Attributes attributes, String name) {
    return attributes.get(name) instanceof Attribute.Str string
        ? Optional.of(string.value())
        : Optional.empty();
  }
}
