import { App, type TemplatedApp } from 'uWebSockets.js';
import type { Owner } from '../bench.ts';
import { createBareOutputs, type Tracked } from './bare-outputs.ts';
import { listen, readBody } from './http-server.ts';
import { defineWorker } from './worker.ts';

interface BareServerSpec {
  /** Path → the answer's body, or its size in bytes: the service's own, so that both send the same bytes. */
  answers: Readonly<Record<string, number | string>>;
  /** With outputs: the URLs that every sampled event is posted to. The bodies are events then. */
  hooks?: readonly string[];
}

/** The reference in a process of its own. */
export interface BareServer {
  /** Without a path. */
  baseUrl: string;
  pid: number;
}

/** Starts the reference; it ends with its owner. */
export async function startBareServer(owner: Owner, spec: BareServerSpec): Promise<BareServer> {
  const process = await bareServer.start(owner, spec);
  return { baseUrl: await process.ask('baseUrl'), pid: process.pid };
}

/**
 * The reference of the bench: the same HTTP library as the service's, in one process, that reads a whole body, parses
 * it as JSON and answers as many bytes. It has no keys, no validation and no log: only HTTP and JSON cost.
 */
const bareServer = defineWorker(import.meta.url, async ({ answers, hooks }: BareServerSpec) => {
  const app = App();
  const passOn = hooks === undefined ? () => {} : createBareOutputs(app, hooks);
  for (const [path, wanted] of Object.entries(answers)) {
    answerTo(app, path, typeof wanted === 'string' ? wanted : jsonOfSize(wanted), passOn);
  }
  const baseUrl = await listen(app);
  return { baseUrl: () => baseUrl };
});

function answerTo(app: TemplatedApp, path: string, answer: string, passOn: (tracked: Tracked) => void): void {
  app.post(path, (res) => {
    res.onAborted(() => {});
    readBody(res, (body) => {
      const parsed: Tracked | null = JSON.parse(body.toString('utf8'));
      const isObject = typeof parsed === 'object' && parsed !== null;
      res.cork(() => {
        res.writeStatus(isObject ? '200 OK' : '400 Bad Request');
        res.writeHeader('Content-Type', 'application/json');
        res.end(answer);
      });
      if (parsed !== null) passOn(parsed);
    });
  });
}

function jsonOfSize(sizeBytes: number): string {
  const frame = JSON.stringify({ success: true, data: '' });
  return JSON.stringify({ success: true, data: 'x'.repeat(Math.max(0, sizeBytes - frame.length)) });
}
