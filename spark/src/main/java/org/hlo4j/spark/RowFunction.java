package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import java.io.Serializable;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.spark.Scoring.Entry;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;

/** A function of SQL: the results of one row. */
final class RowFunction {
  /** What Spark calls; it is sent to the executors. */
  private interface Call extends Function1<Object, @Nullable Object>, Serializable {}

  private RowFunction() {}

  /**
   * Registers the function.
   *
   * @param session the session that knows it then
   * @param name its name
   * @param columns what it takes
   * @param scoring makes it of the schema of its operands
   */
  static void register(
      SparkSession session,
      String name,
      List<String> columns,
      Function<StructType, Scoring> scoring) {
    Plans.classic(session)
        .sessionState()
        .functionRegistry()
        .createOrReplaceTempFunction(
            name,
            operands -> call(name, columns, scoring, CollectionConverters.asJava(operands)),
            "scala_udf");
  }

  private static Expression call(
      String name,
      List<String> columns,
      Function<StructType, Scoring> scoring,
      List<Expression> operands) {
    int count = operands.size();
    boolean isAll = count == columns.size();
    require(isAll, Kind.ARGUMENT, "%s: got %s operands, want %s", name, count, columns);
    StructType row = new StructType();
    for (int i = 0; i < count; i++) {
      row = row.add(columns.get(i), operands.get(i).dataType(), true);
    }
    Scoring known = scoring.apply(row);
    Call call = each -> results(known, (InternalRow) each);
    return Plans.call(
        new Literal(call, new ObjectType(Function1.class)),
        "apply",
        type(known.fetches()),
        List.of(Plans.copied(operands)));
  }

  private static DataType type(List<Fetch> fetches) {
    StructType all = new StructType();
    for (Fetch fetch : fetches) {
      all = all.add(fetch.column(), fetch.type(), false);
    }
    return all.size() == 1 ? all.fields()[0].dataType() : all;
  }

  private static @Nullable Object results(Scoring scoring, InternalRow row) {
    Entry entry = scoring.read(row);
    try {
      scoring.score(List.of(entry));
    } catch (HloException refusal) {
      throw Scoring.toldToDriver(refusal);
    }
    if (entry.refusal != null) {
      if (scoring.invalid() == InvalidRows.ERROR) {
        throw new IllegalArgumentException(entry.refusal);
      }
      return null;
    }
    return scoring.fetches().size() > 1
        ? entry.results
        : entry.results.get(0, scoring.fetches().get(0).type());
  }
}
