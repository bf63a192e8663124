import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A received request. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes of the body, as text. */
  body: string;
  /** Milliseconds of a monotonic clock. */
  atMs: number;
}

export interface WebhookReceiver {
  /** `http://127.0.0.1:<port>/hook` */
  readonly url: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  stop(): Promise<void>;
}

/**
 * Answers a request; by default 200 with an empty body. A function that does nothing makes an unresponsive receiver.
 */
export type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** A webhook receiver on a free local port. */
export async function startWebhookReceiver(respond: Respond = (_, response) => void response.end()) {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        atMs: performance.now(),
      };
      requests.push(received);
      respond(received, response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const { port } = isAddress(address) ? address : { port: 0 };

  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return receiver;
}

function isAddress(address: ReturnType<ReturnType<typeof createServer>['address']>): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
