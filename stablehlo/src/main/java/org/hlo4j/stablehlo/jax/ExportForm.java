package org.hlo4j.stablehlo.jax;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.hlo4j.hlo.serial.SerialForm;

/** The serial form of a function that {@code jax.export} saved: the bytes of the file. */
final class ExportForm extends SerialForm<JaxExport> {
  private static final long serialVersionUID = 1L;

  ExportForm(JaxExport export) {
    super(export);
  }

  @Override
  protected String what() {
    return "jax.export file";
  }

  @Override
  protected void write(ObjectOutputStream out, JaxExport export) throws IOException {
    writeBytes(out, export.serialize());
  }

  @Override
  protected JaxExport read(ObjectInputStream in) throws IOException {
    return JaxExport.read(readBytes(in));
  }
}
