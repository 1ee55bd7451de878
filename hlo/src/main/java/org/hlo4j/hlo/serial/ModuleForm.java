package org.hlo4j.hlo.serial;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;

/** The serial form of a module: an HloModuleProto. */
public final class ModuleForm extends SerialForm<HloModule> {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the form of a module.
   *
   * @param module the module
   */
  public ModuleForm(HloModule module) {
    super(module);
  }

  @Override
  protected String what() {
    return "module";
  }

  @Override
  protected void write(ObjectOutputStream out, HloModule module) throws IOException {
    writeBytes(out, HloProtos.writeModule(module));
  }

  @Override
  protected HloModule read(ObjectInputStream in) throws IOException {
    return HloProtos.readModule(readBytes(in));
  }
}
