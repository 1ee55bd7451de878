package org.hlo4j.examples;

/** A tour of all examples, shortest first: the topic, program, HLO text and result of each. */
public final class Tour {
  private int stops;

  private Tour() {}

  static void main() {
    IO.println(
        """
        A tour of hlo4j: XLA's HLO on the JVM, built, verified, printed and evaluated.
        Left of each line of Java is its number, which messages and metadata refer to.
        """);
    Tour tour = new Tour();
    tour.stop("Bias add", BiasAdd.class, Listing.of(BiasAdd.class).all(), BiasAdd::main);
    tour.stop("Outer operation", OuterOperation.class, OuterOperation::main);
    tour.stop("Composition", Composition.class, Composition::main);
    tour.stop("Softmax", Softmax.class, Softmax::main);
    tour.stop("Layer norm", LayerNorm.class, LayerNorm::main);
    tour.stop("A loop", WhileLoop.class, WhileLoop::main);
    tour.stop("One of several branches", Conditional.class, Conditional::main);
    tour.stop("Keys and values sorted", SortPairs.class, SortPairs::main);
    tour.stop("Rows by index, and counts", GatherScatter.class, GatherScatter::main);
    tour.stop("A convolution, NHWC", ConvolutionNhwc.class, ConvolutionNhwc::main);
    tour.stop("A module as text", DumpModule.class, DumpModule::main);
    tour.stop("Every documented broadcast", DocumentedBroadcasts.class, DocumentedBroadcasts::main);
    tour.stop("What is refused", IllegalBroadcasts.class, IllegalBroadcasts::main);
    tour.stop("Every policy", BroadcastPolicyTable.class, BroadcastPolicyTable::main);
    tour.stop("Layers of OpenVINO", OpenVinoSnippets.class, OpenVinoSnippets::main);
    tour.stop("A function from JAX", JaxFunctionCall.class, JaxFunctionCall::main);
    tour.stop("Weights by name", SafetensorsModel.class, SafetensorsModel::main);
    tour.stop("A server", Serve.class, Serve::main);
    tour.stop("Training", TrainingStep.class, TrainingStep::main);
    tour.stop("An artifact for others", StableHloArtifact.class, StableHloArtifact::main);
    tour.stop("Handwritten digits", Digits.class, Digits::main);
  }

  private void stop(String title, Class<?> example, Runnable main) {
    stop(title, example, Listing.of(example).program(), main);
  }

  private void stop(String title, Class<?> example, String listing, Runnable main) {
    String heading = ++stops + ". " + title + "   (" + example.getSimpleName() + ".java)";
    IO.println("=".repeat(80) + "\n" + heading + "\n" + "=".repeat(80) + "\n");
    IO.println(Listing.of(example).summary());
    IO.println(listing);
    main.run();
    IO.println();
  }
}
