import { App, us_socket_local_port } from 'uWebSockets.js';
import { helperSpec, tellParent } from './helpers/helper-process.ts';
import { readBody } from './helpers/read-body.ts';

/** What the bare server answers: bodies as large as the service's own, so that both send the same bytes. */
export interface BareServerSpec {
  /** Path → bytes of its answer's body, or the body itself where the caller reads it. */
  answers: Record<string, number | string>;
}

/**
 * The reference of the bench: the same HTTP library as the service's, in one process, that reads a whole body, parses
 * it as JSON and answers the same size. No keys, no validation, no log: what is left is the price of HTTP and JSON.
 */
function startBareServer({ answers }: BareServerSpec, onListening: (port: number) => void): void {
  const app = App();
  for (const [path, wanted] of Object.entries(answers)) {
    const answer = typeof wanted === 'string' ? wanted : jsonOfSize(wanted);
    app.post(path, (res) => {
      res.onAborted(() => {});
      readBody(res, (body) => {
        const parsed: unknown = JSON.parse(body.toString('utf8'));
        const isObject = typeof parsed === 'object' && parsed !== null;
        res.cork(() => {
          res.writeStatus(isObject ? '200 OK' : '400 Bad Request');
          res.writeHeader('Content-Type', 'application/json');
          res.end(answer);
        });
      });
    });
  }
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('the bare server found no port to listen on');
    onListening(us_socket_local_port(socket));
  });
}

function jsonOfSize(sizeBytes: number): string {
  const frame = JSON.stringify({ success: true, data: '' });
  return JSON.stringify({ success: true, data: 'x'.repeat(Math.max(0, sizeBytes - frame.length)) });
}

const spec: BareServerSpec = JSON.parse(helperSpec());
startBareServer(spec, (port) => tellParent({ port }));
