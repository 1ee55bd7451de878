package org.hlo4j.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** Stages and their models in files, on any file system of Hadoop's. */
final class ModelFiles {
  private static final String MODEL = "model.bin";

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

  /** Writes the params as MLlib does, and the model beside them. */
  static final class Writer extends MLWriter {
    private final HloTransformer stage;

    Writer(HloTransformer stage) {
      this.stage = stage;
    }

    @Override
    public void saveImpl(String path) {
      byte[] model = stage.getModel();
      DefaultParamsWriter$.MODULE$.saveMetadata(
          stage, path, sparkSession(), Option.empty(), Option.empty());
      Path file = new Path(path, MODEL);
      try (OutputStream out = file.getFileSystem(sc().hadoopConfiguration()).create(file)) {
        out.write(model);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
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
      metadata.getAndSetParams(
          stage, Option.apply(Plans.seq(java.util.List.of(stage.model().name())).toList()));
      try {
        return stage.setModel(read(new Path(path, MODEL), sc().hadoopConfiguration()));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
