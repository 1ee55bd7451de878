package org.hlo4j.spark;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.SparkSession;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.safetensors.Safetensors;
import scala.Option;

/** Stages, their models and weights in files, on any file system of Hadoop's. */
final class ModelFiles {
  private ModelFiles() {}

  /** Reads a file. */
  static byte[] read(String path) throws IOException {
    Option<SparkSession> session =
        SparkSession.getActiveSession().orElse(SparkSession::getDefaultSession);
    Configuration files =
        session.isEmpty()
            ? new Configuration()
            : session.get().sparkContext().hadoopConfiguration();
    return read(new Path(path), files);
  }

  private static byte[] read(Path path, Configuration files) throws IOException {
    try (InputStream in = path.getFileSystem(files).open(path)) {
      return in.readAllBytes();
    }
  }

  /** Returns the arrays of a file of weights, which may be empty. */
  static Map<String, Literal> arrays(byte[] weights) {
    FileForm form = FileForm.of(weights);
    try {
      return switch (form) {
        case EMPTY -> ImmutableMap.of();
        case NPZ -> Npz.read(weights);
        case SAFETENSORS -> Safetensors.open(weights).readAll();
        default ->
            throw new HloException(
                Kind.ARGUMENT, "weights: got " + form + ", want a .safetensors or an .npz file");
      };
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Returns where the bytes of a param are. */
  private static Path file(String path, Param<byte[]> param) {
    return new Path(path, param.name() + ".bin");
  }

  /** Writes the params as MLlib does, and the files beside them. */
  static final class Writer extends MLWriter {
    private final HloTransformer stage;

    Writer(HloTransformer stage) {
      this.stage = stage;
    }

    @Override
    public void saveImpl(String path) {
      DefaultParamsWriter$.MODULE$.saveMetadata(
          stage, path, sparkSession(), Option.empty(), Option.empty());
      for (Param<byte[]> param : List.of(stage.model(), stage.weights())) {
        Path file = file(path, param);
        if (stage.isSet(param)) {
          try (OutputStream out = file.getFileSystem(sc().hadoopConfiguration()).create(file)) {
            out.write(stage.getOrDefault(param));
          } catch (IOException failure) {
            throw new UncheckedIOException(failure);
          }
        }
      }
    }
  }

  /** Reads what a {@link Writer} wrote. */
  static final class Reader extends MLReader<HloTransformer> {
    @Override
    public HloTransformer load(String path) {
      DefaultParamsReader.Metadata metadata =
          DefaultParamsReader$.MODULE$.loadMetadata(
              path, sparkSession(), HloTransformer.class.getName());
      HloTransformer stage = new HloTransformer(metadata.uid());
      List<Param<byte[]>> files = List.of(stage.model(), stage.weights());
      metadata.getAndSetParams(
          stage, Option.apply(Plans.seq(files.stream().map(Param::name).toList()).toList()));
      try {
        for (Param<byte[]> param : files) {
          Path file = file(path, param);
          if (file.getFileSystem(sc().hadoopConfiguration()).exists(file)) {
            stage.set(param, read(file, sc().hadoopConfiguration()));
          }
        }
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      return stage;
    }
  }
}
