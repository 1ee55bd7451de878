package org.hlo4j.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.ElementType.F32;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxFunction;

/**
 * A classifier that jax.export saved, behind HTTP: arrays come and go as .npy, each request is run
 * by a virtual thread of its own, and all of them share one function. An array that does not fit is
 * answered with status 400 and the message.
 */
public final class Serve {
  private Serve() {}

  /** A server on a free port of this machine. */
  static HttpServer start(JaxFunction classify, ExecutorService threads) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = HttpServer.create(address, 0);
    server.createContext("/classify", exchange -> answer(exchange, classify));
    server.setExecutor(threads);
    server.start();
    return server;
  }

  private static void answer(HttpExchange exchange, JaxFunction classify) throws IOException {
    int status = 200;
    byte[] body;
    try {
      body = npy((Literal) classify.call(Npy.read(exchange.getRequestBody())));
    } catch (HloException refusal) {
      status = 400;
      body = refusal.getMessage().getBytes(UTF_8);
    }
    try (exchange) {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static byte[] npy(Literal array) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Npy.write(bytes, array);
    return bytes.toByteArray();
  }

  static void main() {
    Evaluator evaluator = Interpreter.compiled();
    JaxFunction classify =
        new JaxFunction(
            JaxFunctionCall.load(), (module, bound) -> evaluator.compile(module).bind(bound)::run);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        HttpClient client = HttpClient.newHttpClient()) {
      HttpServer server = start(classify, threads);
      try {
        URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/classify");
        Literal x = JaxFunctionCall.features(3);
        List<Future<HttpResponse<byte[]>>> calls =
            Stream.generate(() -> threads.submit(() -> post(client, uri, x))).limit(8).toList();
        IO.println(count(calls, classify.call(x)) + " of 8 clients got what a local call gives");

        HttpResponse<byte[]> refusal = post(client, uri, Literal.zeros(Shape.of(F32, 3, 7)));
        IO.println(refusal.statusCode() + ": " + new String(refusal.body(), UTF_8));
      } finally {
        server.stop(0);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException | ExecutionException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** How many answers are the array that is wanted. */
  private static int count(List<Future<HttpResponse<byte[]>>> calls, Object wanted)
      throws IOException, InterruptedException, ExecutionException {
    int count = 0;
    for (Future<HttpResponse<byte[]>> call : calls) {
      if (Npy.read(new ByteArrayInputStream(call.get().body())).equals(wanted)) {
        count++;
      }
    }
    return count;
  }

  private static HttpResponse<byte[]> post(HttpClient client, URI uri, Literal array)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(npy(array))).build();
    return client.send(request, BodyHandlers.ofByteArray());
  }
}
