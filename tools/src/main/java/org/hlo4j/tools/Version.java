package org.hlo4j.tools;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.hlo4j.interpreter.Interpreter;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    Properties built = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      built.load(in);
    }
    return new String[] {
      "hlo4j " + built.getProperty("version"),
      "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name"),
      Interpreter.vectors()
    };
  }
}
