package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.hlo.source.SourceText;

/**
 * A parser of HLO text, as XLA and JAX print it and as people write it.
 *
 * <p>Three forms are read: a module; computations without a header, of which the one marked {@code
 * ENTRY} or else the last is the entry; and a single instruction, whose operands become parameters:
 *
 * <pre>
 *   HloModule bias
 *
 *   ENTRY bias (x: f32[2,3], v: f32[3]) -&gt; f32[2,3] {
 *     x = f32[2,3]{1,0} parameter(0)
 *     v = f32[3]{0} parameter(1)
 *     b = f32[2,3] broadcast(v), dimensions={1}
 *     ROOT sum = add(x, b)
 *   }
 * </pre>
 *
 * <p>Percent signs, layouts, operand shapes and signatures are optional; the shape of a result is
 * optional where the operands imply it. Attributes that hlo4j does not interpret, such as backend
 * configs, are kept and printed again. A constant <code>{...}</code> is read as {@link
 * Literal#elided}.
 *
 * <p>An error message begins with line and column, shows the line with a caret, and suggests the
 * most similar known name. All errors in instructions are reported together. The module is not
 * verified; use {@link org.hlo4j.hlo.ir.Verifier}.
 */
public final class Parser {
  private Parser() {}

  /**
   * Parses a module.
   *
   * @param text HLO text
   * @return the module, not verified
   * @throws HloException if the text is not HLO; the message names the actual and the expected
   *     token, and the position
   */
  public static HloModule parse(String text) {
    Errors errors = new Errors();
    return read(
        text,
        errors,
        lexer -> {
          Optional<HloModule> module = new ModuleParser(lexer, errors).module();
          if (errors.isEmpty()) {
            lexer.expectEnd("one module only; Parser.parseAll reads several");
          }
          return module;
        });
  }

  /**
   * Parses several modules, which follow each other and have a header each.
   *
   * @param text HLO text
   * @return the modules in the order of the text, at least one, not verified
   * @throws HloException if the text is not HLO; the message names the actual and the expected
   *     token, and the position
   */
  public static ImmutableList<HloModule> parseAll(String text) {
    Errors errors = new Errors();
    return read(
        text,
        errors,
        lexer -> {
          ImmutableList.Builder<HloModule> modules = ImmutableList.builder();
          do {
            new ModuleParser(lexer, errors).module().ifPresent(modules::add);
          } while (errors.isEmpty() && ModuleParser.headerIsNext(lexer));
          if (errors.isEmpty()) {
            lexer.expectEnd("the header of another module, or the end");
          }
          return Optional.of(modules.build());
        });
  }

  /**
   * Parses a literal that begins with its shape, such as {@code f32[3] {1, 2, 3}}.
   *
   * @param text shape and value
   * @return the literal
   * @throws HloException if the text is not a literal
   */
  public static Literal parseLiteral(String text) {
    return whole(
        text,
        lexer -> {
          Shape shape = new ShapeParser(lexer).shapeBeforeValue();
          return new LiteralParser(lexer, true).literal(shape.withoutLayout());
        });
  }

  /**
   * Parses a shape, such as {@code (f32[2,<=3]{1,0}, token[])}.
   *
   * @param text a shape
   * @return the shape
   * @throws HloException if the text is no shape
   */
  public static Shape parseShape(String text) {
    return whole(text, lexer -> new ShapeParser(lexer).shape());
  }

  /**
   * Parses a sharding, such as {@code {devices=[2,1]<=[2]}} or {@code {mesh['x'=2], [{'x'}, {}]}}.
   *
   * @param text a sharding
   * @return the sharding
   * @throws HloException if the text is no sharding
   */
  public static Sharding parseSharding(String text) {
    return whole(text, ShardingParser::sharding);
  }

  private static <T> T whole(String text, Function<Lexer, T> parse) {
    return read(
        text,
        new Errors(),
        lexer -> {
          T value = parse.apply(lexer);
          lexer.expectEnd("the end of the text");
          return Optional.of(value);
        });
  }

  private static <T> T read(String text, Errors errors, Function<Lexer, Optional<T>> parse) {
    HloException.require(text != null, "", "parser: the text is null");
    return ReadLimits.guarded("HLO text", () -> unguarded(text, errors, parse));
  }

  private static <T> T unguarded(String text, Errors errors, Function<Lexer, Optional<T>> parse) {
    try {
      Lexer lexer = new Lexer(text);
      lexer.accept("\uFEFF"); // a byte order mark has no meaning in UTF-8
      Optional<T> value = parse.apply(lexer);
      if (errors.isEmpty() && value.isPresent()) {
        return value.get();
      }
    } catch (ParseException error) {
      errors.keep(error);
    }
    throw errors.inOne(new SourceText(text));
  }
}
