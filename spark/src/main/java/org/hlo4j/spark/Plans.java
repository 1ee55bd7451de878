package org.hlo4j.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.CreateStruct$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.DeserializeToObject;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapPartitions;
import org.apache.spark.sql.catalyst.plans.logical.SerializeFromObject;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Plans of Spark's that hand rows to Java in the form that Spark has them in, with their arrays in
 * one piece. The encoder of {@code Row} would box each number.
 */
final class Plans {
  private Plans() {}

  /** What is done with a partition; it is sent to the executors. */
  interface Task extends Function1<Iterator<Object>, Iterator<Object>>, Serializable {}

  /**
   * Returns a table whose partitions went through a function.
   *
   * @param table the table
   * @param task makes rows of this schema from copies of the table's
   * @param schema of the result
   */
  static Dataset<Row> mapPartitions(Dataset<?> table, Task task, StructType schema) {
    SparkSession session = classic(table.sparkSession());
    LogicalPlan plan =
        ((org.apache.spark.sql.classic.Dataset<?>) table).queryExecution().commandExecuted();
    List<Expression> columns = new ArrayList<>(CollectionConverters.asJava(plan.output()));
    Expression row = copied(columns);
    Attribute before = attribute(row.dataType());
    Attribute after = attribute(schema);
    List<NamedExpression> results = new ArrayList<>();
    for (int i = 0; i < schema.size(); i++) {
      StructField field = schema.fields()[i];
      results.add(alias(new GetStructField(after, i, Option.empty()), field));
    }
    LogicalPlan rows = new DeserializeToObject(row, before, plan);
    LogicalPlan mapped = new MapPartitions(task, after, rows);
    return org.apache.spark.sql.classic.Dataset.ofRows(
        session, new SerializeFromObject(seq(results), mapped));
  }

  /** Returns a session as what has plans; refused if it is of Spark Connect. */
  static SparkSession classic(org.apache.spark.sql.SparkSession session) {
    if (session instanceof SparkSession classic) {
      return classic;
    }
    throw new HloException(
        Kind.UNSUPPORTED, "session: got one of Spark Connect, want one of this JVM's Spark");
  }

  /** A row of expressions, as an object: Spark may write over the arrays it is made of. */
  static Expression copied(List<Expression> columns) {
    return call(
        CreateStruct$.MODULE$.apply(seq(columns)),
        "copy",
        new ObjectType(InternalRow.class),
        List.of());
  }

  static Expression call(
      Expression target, String method, DataType type, List<Expression> arguments) {
    return new Invoke(target, method, type, seq(arguments), seq(List.of()), false, true, true);
  }

  private static Attribute attribute(DataType type) {
    return new AttributeReference(
        "row", type, false, Metadata.empty(), NamedExpression$.MODULE$.newExprId(), seq(List.of()));
  }

  private static NamedExpression alias(Expression value, StructField field) {
    return new Alias(
        value,
        field.name(),
        NamedExpression$.MODULE$.newExprId(),
        seq(List.of()),
        Option.apply(field.metadata()),
        seq(List.of()));
  }

  static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }
}
