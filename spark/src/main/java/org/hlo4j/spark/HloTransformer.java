package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
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
 *
 * <p>The first size of each argument and of each result that is fetched is the number of rows, a
 * variable such as {@code b} in {@code float32[b,8]} or a number, to which batches are padded then.
 * The function must treat each row by itself; then the bits of its results depend neither on
 * batches, partitions and threads, nor on executors that fail.
 *
 * <p>A column is a number for each row, an array, nested arrays, or a vector of {@code ml.linalg};
 * what has several static sizes may also be one flat array. Numbers of any type become floats,
 * rounded to the type of the argument; integers become integers if each value fits; booleans become
 * {@code bool}, and binary columns {@code uint8}. A null, a size or a value that does not suit
 * makes a row invalid, see {@link #setHandleInvalid}; a column of another type is refused before a
 * job starts. Results are columns of the narrowest type of Spark's that holds their values.
 *
 * <p>Where sizes after the first are variables too, such as the length of a sequence, rows of the
 * same sizes form a batch: of 8 times {@link #setBatchSize} rows that are read at a time. The order
 * of rows stays. A batch of few rows is padded to a 16th of the batch size, or a 16th of that, with
 * copies of its last row.
 *
 * <p>Each JVM reads and compiles a model once for all its tasks, keeps the last 8 by the content of
 * their files, and uses as many threads for a batch as {@code spark.task.cpus} says.
 *
 * @serial exclude
 */
public final class HloTransformer extends Transformer implements MLWritable {
  private static final long serialVersionUID = 1;

  private static final int DEFAULT_ROWS = 1024;

  private final String uid;
  private final Param<byte[]> model;
  private final Param<byte[]> weights;
  private final Param<Map<String, String>> feed;
  private final Param<Map<String, String>> fetch;
  private final IntParam batchSize;
  private final Param<String> handleInvalid;
  private final Param<String> evaluator;
  private final StringArrayParam vectors;
  private transient @Nullable SparkContext context;
  private transient Models.@Nullable Files sent;

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
    this.model = new FileParam(uid, "model", "the function, as jax.export saved it");
    this.weights = new FileParam(uid, "weights", "arguments, in a .safetensors or .npz file");
    this.feed = new MapParam(uid, "feed", "which argument a column is, by name or position");
    this.fetch = new MapParam(uid, "fetch", "which result a new column is, by name or position");
    this.batchSize =
        new IntParam(uid, "batchSize", "how many rows are a batch (>= 1)", ParamValidators.gtEq(1));
    this.handleInvalid =
        new Param<>(
            uid, "handleInvalid", "error, skip or keep rows that do not suit", InvalidRows.IS_NAME);
    this.evaluator =
        new Param<>(uid, "evaluator", "compiled, reference or pjrt:PLUGIN", Evaluators.IS_NAME);
    this.vectors = new StringArrayParam(this, "vectors", "which new columns are of vectors");
    setDefault(weights, new byte[0]);
    setDefault(feed, ImmutableMap.of());
    setDefault(fetch, ImmutableMap.of());
    setDefault(batchSize, DEFAULT_ROWS);
    setDefault(handleInvalid, InvalidRows.ERROR.toString());
    setDefault(evaluator, Evaluators.COMPILED);
    setDefault(vectors, new String[0]);
  }

  @Override
  public String uid() {
    return uid;
  }

  /** {@return the param of the function, as {@code jax.export} saved it} */
  public Param<byte[]> model() {
    return model;
  }

  /** {@return the param of the arrays that are the arguments without a column} */
  public Param<byte[]> weights() {
    return weights;
  }

  /** {@return the param of columns and the names or positions of arguments} */
  public Param<Map<String, String>> feed() {
    return feed;
  }

  /** {@return the param of new columns and the names or positions of results} */
  public Param<Map<String, String>> fetch() {
    return fetch;
  }

  /** {@return the param of how many rows are a batch} */
  public IntParam batchSize() {
    return batchSize;
  }

  /** {@return the param of what happens to a row that does not suit the function} */
  public Param<String> handleInvalid() {
    return handleInvalid;
  }

  /** {@return the param of who computes} */
  public Param<String> evaluator() {
    return evaluator;
  }

  /** {@return the param of new columns that are of vectors} */
  public StringArrayParam vectors() {
    return vectors;
  }

  /**
   * Sets the function.
   *
   * @param bytes what {@code Exported.serialize()} of {@code jax.export} gives
   * @return this stage
   * @throws org.hlo4j.hlo.HloException if they are something else
   */
  @CanIgnoreReturnValue
  public HloTransformer setModel(byte[] bytes) {
    var _ = JaxExport.read(bytes);
    return with(model, bytes);
  }

  /**
   * Sets the function.
   *
   * @param function the function, as {@code jax.export} saved it
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setModel(JaxExport function) {
    return with(model, function.serialize());
  }

  /**
   * Sets the function. The file is read now; executors get its bytes from the driver.
   *
   * @param path of a file that {@code jax.export} saved, on any file system of Hadoop's
   * @return this stage
   * @throws IOException if the file cannot be read
   * @throws org.hlo4j.hlo.HloException if it is something else
   */
  @CanIgnoreReturnValue
  public HloTransformer setModel(String path) throws IOException {
    return setModel(ModelFiles.read(path));
  }

  /**
   * Sets the arrays that are the arguments without a column, such as the parameters of a model. An
   * array is found by its name, which is the path of an argument, as {@code args[0]['w']}, the end
   * of one, as {@code w}, also with dots, as {@code 0.w}, or its position. Others in the file are
   * left alone. Executors bind them once.
   *
   * @param bytes of a .safetensors or an .npz file
   * @return this stage
   * @throws org.hlo4j.hlo.HloException if they are something else
   */
  @CanIgnoreReturnValue
  public HloTransformer setWeights(byte[] bytes) {
    var _ = ModelFiles.arrays(bytes);
    return with(weights, bytes);
  }

  /**
   * Sets the arrays that are the arguments without a column. The file is read now; executors get
   * its bytes from the driver.
   *
   * @param path of a .safetensors or an .npz file, on any file system of Hadoop's
   * @return this stage
   * @throws IOException if the file cannot be read
   * @throws org.hlo4j.hlo.HloException if it is something else
   * @see #setWeights(byte[])
   */
  @CanIgnoreReturnValue
  public HloTransformer setWeights(String path) throws IOException {
    return setWeights(ModelFiles.read(path));
  }

  /**
   * Sets the column of each argument. Without, an argument with a name, such as {@code
   * kwargs['x']}, is the column of that name, and one argument alone the column {@code features},
   * but for those that are weights.
   *
   * @param arguments for each column the argument: its path, such as {@code args[0]['x']}, the end
   *     of the path, such as {@code x}, or its position
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setFeed(Map<String, String> arguments) {
    return with(feed, arguments);
  }

  /**
   * Sets the column of each argument.
   *
   * @param columns in the order of the arguments
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setFeed(String... columns) {
    return with(feed, MapParam.positions(columns));
  }

  /**
   * Sets the new columns. Without, a result with a name, such as {@code result['y']}, is the column
   * of that name, and one result alone the column {@code prediction}.
   *
   * @param results for each column the result: its path, such as {@code result[0]}, the end of the
   *     path, or its position
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setFetch(Map<String, String> results) {
    return with(fetch, results);
  }

  /**
   * Sets the new columns.
   *
   * @param columns in the order of the results, of the first ones
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setFetch(String... columns) {
    return with(fetch, MapParam.positions(columns));
  }

  /**
   * Sets how many rows are a batch. A function of a certain number of rows gets these.
   *
   * @param rows at least 1; 1024 without
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setBatchSize(int rows) {
    return with(batchSize, rows);
  }

  /**
   * Sets what happens to a row that does not suit the function.
   *
   * @param mode {@code error}, the job fails and names row, column, what it got and what it wants;
   *     {@code skip}, the row is left out; {@code keep}, its results are null
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setHandleInvalid(String mode) {
    return with(handleInvalid, mode);
  }

  /**
   * Sets who computes.
   *
   * @param name {@code compiled}, {@code reference}, or {@code pjrt:PLUGIN} for a plugin of PJRT,
   *     as {@code pjrt:cpu}, which is found on each executor and needs hlo4j-pjrt there
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setEvaluator(String name) {
    return with(evaluator, name);
  }

  /**
   * Sets which new columns are of vectors of {@code ml.linalg}. Others are of numbers and arrays.
   *
   * @param columns of results that are floats with one size after the first
   * @return this stage
   */
  @CanIgnoreReturnValue
  public HloTransformer setVectors(String... columns) {
    return with(vectors, columns);
  }

  private <T> HloTransformer with(Param<? super T> param, T value) {
    set(param, value);
    return this;
  }

  /** {@return the function, as {@code jax.export} saved it} */
  public byte[] getModel() {
    require(isDefined(model), Kind.ARGUMENT, "%s: got no model, want setModel", uid);
    return getOrDefault(model);
  }

  /** {@return the bytes of the file of weights; none if there is none} */
  public byte[] getWeights() {
    return getOrDefault(weights);
  }

  /** {@return columns and the names or positions of arguments; empty if they are the default} */
  public Map<String, String> getFeed() {
    return getOrDefault(feed);
  }

  /** {@return new columns and the names or positions of results; empty if they are the default} */
  public Map<String, String> getFetch() {
    return getOrDefault(fetch);
  }

  /** {@return how many rows are a batch} */
  public int getBatchSize() {
    return (Integer) getOrDefault(batchSize);
  }

  /** {@return what happens to a row that does not suit the function} */
  public String getHandleInvalid() {
    return getOrDefault(handleInvalid);
  }

  /** {@return who computes} */
  public String getEvaluator() {
    return getOrDefault(evaluator);
  }

  /** {@return which new columns are of vectors} */
  public String[] getVectors() {
    return getOrDefault(vectors);
  }

  private InvalidRows invalid() {
    return InvalidRows.valueOf(Ascii.toUpperCase(getHandleInvalid()));
  }

  private Signature signature() {
    return Signature.of(
        JaxExport.read(getModel()),
        ModelFiles.arrays(getWeights()),
        getFeed(),
        getFetch(),
        Arrays.asList(getVectors()));
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return signature().appended(schema, invalid() == InvalidRows.KEEP);
  }

  @Override
  public Dataset<Row> transform(Dataset<?> table) {
    Signature signature = signature();
    Scoring scoring = scoring(table.sparkSession(), table.schema(), signature);
    Scoring.@Nullable Label label = scoring.label(table.schema());
    return Plans.mapPartitions(
        table,
        rows -> new Batches(scoring, label, rows),
        signature.appended(table.schema(), invalid() == InvalidRows.KEEP));
  }

  private Scoring scoring(SparkSession session, StructType schema, Signature signature) {
    boolean isStatic = signature.rows() > 0;
    return new Scoring(
        new Models.Sent(sent(session.sparkContext()), signature.weights(), getEvaluator()),
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
    Signature signature = signature();
    RowFunction.register(
        session,
        name,
        signature.columns().values().asList(),
        schema -> scoring(session, schema, signature));
    return this;
  }

  private synchronized Models.Files sent(SparkContext now) {
    byte[][] files = {getModel(), getWeights()};
    String hash = "";
    for (byte[] file : files) {
      hash += Hashing.sha256().hashBytes(file);
    }
    if (sent == null || context != now || !sent.hash().equals(hash)) {
      LongAccumulator reads = now.longAccumulator("hlo4j: reads of model " + hash.substring(0, 8));
      context = now;
      sent = new Models.Files(new JavaSparkContext(now).broadcast(files), hash, reads);
    }
    return sent;
  }

  /**
   * Returns how often executors have read the model for tables of this stage.
   *
   * @return once for each executor, unless it has met many models since or was replaced
   */
  public synchronized long modelReads() {
    return sent == null ? 0 : sent.reads().value();
  }

  @Override
  public HloTransformer copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  @Override
  public MLWriter write() {
    return new ModelFiles.Writer(this);
  }

  /** {@return what reads a stage from files} */
  public static MLReader<HloTransformer> read() {
    return new ModelFiles.Reader();
  }

  /**
   * Reads a stage from files.
   *
   * @param path the folder that {@link #write} wrote
   * @return the stage
   */
  public static HloTransformer load(String path) {
    return read().load(path);
  }
}
