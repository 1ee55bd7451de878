package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import java.io.Serializable;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.spark.Scoring.Entry;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** A function of SQL: the results of one row. */
final class RowFunction extends AbstractFunction1<Object, @Nullable Object>
    implements Serializable {
  private static final long serialVersionUID = 1;

  private final Scoring scoring;

  private RowFunction(Scoring scoring) {
    this.scoring = scoring;
  }

  /**
   * Registers the function.
   *
   * @param session the session that knows it then
   * @param name its name
   * @param signature what it takes and gives
   * @param scoring makes it of the schema of its operands
   */
  static void register(
      SparkSession session,
      String name,
      Signature signature,
      Function<StructType, Scoring> scoring) {
    Plans.classic(session)
        .sessionState()
        .functionRegistry()
        .createOrReplaceTempFunction(name, new Builder(name, signature, scoring), "scala_udf");
  }

  /** Makes the call of a query. */
  private static final class Builder extends AbstractFunction1<Seq<Expression>, Expression> {
    private final String name;
    private final Signature signature;
    private final Function<StructType, Scoring> scoring;

    Builder(String name, Signature signature, Function<StructType, Scoring> scoring) {
      this.name = name;
      this.signature = signature;
      this.scoring = scoring;
    }

    @Override
    public Expression apply(Seq<Expression> given) {
      List<Expression> operands = CollectionConverters.asJava(given);
      List<String> columns = signature.columns().values().asList();
      require(
          operands.size() == columns.size(),
          Kind.ARGUMENT,
          "%s: got %s operands, want %s",
          name,
          operands.size(),
          columns);
      StructType row = new StructType();
      for (int i = 0; i < columns.size(); i++) {
        row =
            row.add(
                new StructField(
                    columns.get(i), operands.get(i).dataType(), true, Metadata.empty()));
      }
      RowFunction function = new RowFunction(scoring.apply(row));
      return Plans.call(
          new Literal(function, new ObjectType(Function1.class)),
          "apply",
          function.type(),
          List.of(Plans.copied(operands)));
    }
  }

  private DataType type() {
    StructType all = new StructType();
    for (Fetch fetch : scoring.fetches()) {
      all = all.add(new StructField(fetch.column(), fetch.type(), false, Metadata.empty()));
    }
    return all.size() == 1 ? all.fields()[0].dataType() : all;
  }

  @Override
  public @Nullable Object apply(Object row) {
    Entry entry = scoring.entry(0, (InternalRow) row);
    AtomicReference<@Nullable InvalidRow> invalid = new AtomicReference<>();
    try {
      scoring.read(entry);
      scoring.score(List.of(entry), (_, refusal) -> invalid.set(refusal));
    } catch (InvalidRow refusal) {
      invalid.set(refusal);
    } catch (HloException refusal) {
      throw Scoring.toldToDriver(refusal);
    }
    if (invalid.get() == null) {
      return scoring.fetches().size() > 1
          ? entry.results()
          : entry.results().get(0, scoring.fetches().get(0).type());
    }
    if (scoring.invalid() == InvalidRows.ERROR) {
      throw new IllegalArgumentException(invalid.get().getMessage());
    }
    return null;
  }
}
