package org.hlo4j.interpreter;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Shapes that say bounds in place of sizes, on one device and on several. */
final class BoundedShapesTest {
  private static ConformanceRows rows() throws IOException, URISyntaxException {
    URL file = BoundedShapesTest.class.getResource("/bounded-shapes.rows");
    return ConformanceRows.read(Path.of(Objects.requireNonNull(file).toURI()));
  }

  @TestFactory
  Stream<DynamicTest> rowsOnOneDevice() throws IOException, URISyntaxException {
    return rows().tests(Interpreter.reference()::run);
  }

  @TestFactory
  Stream<DynamicTest> rowsOnTwoDevices() throws IOException, URISyntaxException {
    return rows().tests(BoundedShapesTest::onTwoDevices);
  }

  private static Literal onTwoDevices(HloModule module, Literal... arguments) {
    DeviceGrid grid = new DeviceGrid(2, 1);
    List<List<Literal>> twice = Collections.nCopies(2, Arrays.asList(arguments));
    return Interpreter.reference().runOnDevices(module, grid, twice).get(1);
  }
}
