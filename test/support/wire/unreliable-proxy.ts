import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';

/** What the proxy does with one request. */
export type Treatment =
  /** Passes the answer on. */
  | 'pass'
  /** Waits for the answer, then breaks the connection instead of passing it on. */
  | 'cut_answer'
  /** Breaks the connection before the server gets the request. */
  | 'cut_request'
  /** Answers 429 with Retry-After. */
  | 'refuse';

/** An HTTP proxy in front of a local port that treats requests as the test says. */
export interface UnreliableProxy {
  readonly url: string;
  /** The treatments of requests with a body so far. */
  readonly treated: readonly Treatment[];
  /** Status and path of the answers that it passed on. */
  readonly passed: readonly { path: string; status: number }[];
  close(): Promise<void>;
}

/** @param treat called for each request with a body, with the number of earlier ones */
export async function startUnreliableProxy(
  target: string,
  treat: (earlier: number) => Treatment,
): Promise<UnreliableProxy> {
  const treated: Treatment[] = [];
  const passed: { path: string; status: number }[] = [];

  function forward(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, isCut: boolean): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const upstream = sendRequest(new URL(url, target), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        if (isCut) {
          outgoing.destroy();
          return;
        }
        passed.push({ path: url, status: answer.statusCode ?? 0 });
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks));
      });
    });
    // While the server is down, clients wait as a balancer tells them; a request in flight breaks.
    upstream.on('error', (error) => {
      const isRefused = 'code' in error && error.code === 'ECONNREFUSED';
      if (isRefused && !outgoing.headersSent) outgoing.writeHead(429, REFUSAL).end('{}');
      else outgoing.destroy();
    });
    upstream.end(body);
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const treatment = incoming.method === 'POST' ? treat(treated.length) : 'pass';
      if (incoming.method === 'POST') treated.push(treatment);
      if (treatment === 'cut_request') outgoing.destroy();
      else if (treatment === 'refuse') outgoing.writeHead(429, REFUSAL).end('{}');
      else forward(incoming, Buffer.concat(chunks), outgoing, treatment === 'cut_answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    treated,
    passed,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const REFUSAL = {
  'Retry-After': '1',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
};
