import { App } from 'uWebSockets.js';
import { listen, readBody } from './http-server.ts';
import { defineWorker } from './worker.ts';

export interface BareServerSpec {
  /** Path → the answer's body, or its size in bytes: the service's own, so that both send the same bytes. */
  answers: Record<string, number | string>;
}

/**
 * The reference of the bench: the same HTTP library as the service's, in one process, that reads a whole body, parses
 * it as JSON and answers as many bytes. It has no keys, no validation and no log: only HTTP and JSON cost.
 */
export const bareServer = defineWorker(import.meta.url, async ({ answers }: BareServerSpec) => {
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
  const baseUrl = await listen(app);
  return { baseUrl: () => baseUrl };
});

function jsonOfSize(sizeBytes: number): string {
  const frame = JSON.stringify({ success: true, data: '' });
  return JSON.stringify({ success: true, data: 'x'.repeat(Math.max(0, sizeBytes - frame.length)) });
}
