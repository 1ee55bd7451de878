package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.LongAccumulator;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.jspecify.annotations.Nullable;

/**
 * A stage of a pipeline that calls a function of JAX with the rows of a table, in batches.
 *
 * <pre>{@code
 * HloTransformer scorer =
 *     new HloTransformer().setModel("mlp.bin").setFeed("features").setFetch("scores");
 * Dataset<Row> scored = scorer.transform(table);
 * }</pre>
 */
public final class HloTransformer extends Transformer implements MLWritable {
  private static final long serialVersionUID = 1;

  static final String COMPILED = "compiled";
  static final String REFERENCE = "reference";
  private static final int DEFAULT_ROWS = 1024;

  private final String uid;
  private final Param<byte[]> model;
  private final Param<Map<String, String>> feed;
  private final Param<Map<String, String>> fetch;
  private final IntParam batchSize;
  private final Param<String> handleInvalid;
  private final Param<String> evaluator;
  private final StringArrayParam vectors;
  private transient @Nullable Sent sent;

  /** A model on its way to the executors. */
  private record Sent(
      SparkContext context,
      byte[] bytes,
      String hash,
      Broadcast<byte[]> model,
      LongAccumulator reads) {}

  /** Creates a stage that has no model yet. */
  public HloTransformer() {
    this(Identifiable.randomUID("hlo"));
  }

  /**
   * Creates a stage that has no model yet.
   *
   * @param uid its name, as MLlib has it
   */
  public HloTransformer(String uid) {
    this.uid = uid;
    this.model = new ModelParam(uid);
    this.feed = new MapParam(uid, "feed", "which argument a column is, by name or position");
    this.fetch = new MapParam(uid, "fetch", "which result a new column is, by name or position");
    this.batchSize =
        new IntParam(uid, "batchSize", "how many rows are a batch (>= 1)", ParamValidators.gtEq(1));
    this.handleInvalid =
        new Param<>(
            uid,
            "handleInvalid",
            "what happens to a row that does not suit the function: " + InvalidRows.names(),
            ParamValidators.inArray(InvalidRows.names()));
    this.evaluator =
        new Param<>(
            uid,
            "evaluator",
            "compiled or reference",
            ParamValidators.inArray(List.of(COMPILED, REFERENCE)));
    this.vectors = new StringArrayParam(this, "vectors", "which new columns are of vectors");
    setDefault(batchSize, DEFAULT_ROWS);
    setDefault(handleInvalid, InvalidRows.ERROR.toString());
    setDefault(evaluator, COMPILED);
    setDefault(vectors, new String[0]);
  }

  @Override
  public String uid() {
    return uid;
  }

  public Param<byte[]> model() {
    return model;
  }

  public Param<Map<String, String>> feed() {
    return feed;
  }

  public Param<Map<String, String>> fetch() {
    return fetch;
  }

  public IntParam batchSize() {
    return batchSize;
  }

  public Param<String> handleInvalid() {
    return handleInvalid;
  }

  public Param<String> evaluator() {
    return evaluator;
  }

  public StringArrayParam vectors() {
    return vectors;
  }

  @CanIgnoreReturnValue
  public HloTransformer setModel(byte[] bytes) {
    JaxExport.read(bytes);
    return with(model, bytes);
  }

  @CanIgnoreReturnValue
  public HloTransformer setModel(JaxExport function) {
    return with(model, function.serialize());
  }

  @CanIgnoreReturnValue
  public HloTransformer setModel(String path) throws IOException {
    return setModel(ModelFiles.read(path));
  }

  @CanIgnoreReturnValue
  public HloTransformer setFeed(Map<String, String> arguments) {
    return with(feed, arguments);
  }

  @CanIgnoreReturnValue
  public HloTransformer setFeed(String... columns) {
    return with(feed, MapParam.positions(columns));
  }

  @CanIgnoreReturnValue
  public HloTransformer setFetch(Map<String, String> results) {
    return with(fetch, results);
  }

  @CanIgnoreReturnValue
  public HloTransformer setFetch(String... columns) {
    return with(fetch, MapParam.positions(columns));
  }

  @CanIgnoreReturnValue
  public HloTransformer setBatchSize(int rows) {
    return with(batchSize, rows);
  }

  @CanIgnoreReturnValue
  public HloTransformer setHandleInvalid(String mode) {
    return with(handleInvalid, mode);
  }

  @CanIgnoreReturnValue
  public HloTransformer setEvaluator(String name) {
    return with(evaluator, name);
  }

  @CanIgnoreReturnValue
  public HloTransformer setVectors(String... columns) {
    return with(vectors, columns);
  }

  private <T> HloTransformer with(Param<? super T> param, T value) {
    set(param, value);
    return this;
  }

  public byte[] getModel() {
    require(isDefined(model), Kind.ARGUMENT, "%s: got no model, want setModel", uid);
    return getOrDefault(model);
  }

  public Map<String, String> getFeed() {
    return isDefined(feed) ? getOrDefault(feed) : ImmutableMap.of();
  }

  public Map<String, String> getFetch() {
    return isDefined(fetch) ? getOrDefault(fetch) : ImmutableMap.of();
  }

  public int getBatchSize() {
    return (Integer) getOrDefault(batchSize);
  }

  public String getHandleInvalid() {
    return getOrDefault(handleInvalid);
  }

  public String getEvaluator() {
    return getOrDefault(evaluator);
  }

  public String[] getVectors() {
    return getOrDefault(vectors);
  }

  private InvalidRows invalid() {
    return InvalidRows.valueOf(Ascii.toUpperCase(getHandleInvalid()));
  }

  private Signature signature() {
    return Signature.of(
        JaxExport.read(getModel()),
        isDefined(feed) ? getOrDefault(feed) : null,
        isDefined(fetch) ? getOrDefault(fetch) : null,
        Arrays.asList(getVectors()));
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return signature().appended(schema, invalid() == InvalidRows.KEEP);
  }

  @Override
  public Dataset<Row> transform(Dataset<?> table) {
    StructType schema = transformSchema(table.schema());
    Scoring scoring = scoring(table.sparkSession(), table.schema());
    Scoring.Label label = Scoring.label(table.schema(), scoring.feeds()).orElse(null);
    return Plans.mapPartitions(table, new Batches.Task(scoring, label), schema);
  }

  private Scoring scoring(SparkSession session, StructType schema) {
    Signature signature = signature();
    Sent now = sent(session.sparkContext());
    boolean isStatic = signature.rows() > 0;
    return new Scoring(
        now.model,
        now.hash,
        now.reads,
        getEvaluator(),
        signature.feeds(schema),
        signature.fetches(),
        isStatic ? Math.toIntExact(signature.rows()) : getBatchSize(),
        isStatic,
        invalid());
  }

  /**
   * Registers a function of SQL that takes the fed columns, in the order of the arguments, and
   * gives the result; the results of several as a struct. It calls the model once for each row,
   * which takes several times as long as {@link #transform}. A row that does not suit gives null
   * unless it is an error.
   *
   * @param session the session that knows the function then
   * @param name the name of the function
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer register(SparkSession session, String name) {
    RowFunction.register(session, name, signature(), schema -> scoring(session, schema));
    return this;
  }

  private synchronized Sent sent(SparkContext context) {
    byte[] bytes = getModel();
    if (sent == null || sent.context != context || sent.bytes != bytes) {
      String hash = Hashing.sha256().hashBytes(bytes).toString();
      sent =
          new Sent(
              context,
              bytes,
              hash,
              new JavaSparkContext(context).broadcast(bytes),
              context.longAccumulator("hlo4j: reads of model " + hash.substring(0, 8)));
    }
    return sent;
  }

  /**
   * Returns how often executors have read the model for tables of this stage.
   *
   * @return once for each executor, unless it has met many models since or was replaced
   */
  public synchronized long modelReads() {
    return sent == null ? 0 : sent.reads.value();
  }

  @Override
  public HloTransformer copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  @Override
  public MLWriter write() {
    return new ModelFiles.Writer(this);
  }

  public static MLReader<HloTransformer> read() {
    return new ModelFiles.Reader();
  }

  public static HloTransformer load(String path) {
    return read().load(path);
  }
}
