import { mkdtemp, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sleep, systemClock } from '../../../core/kernel/clock.ts';
import { reservedPort } from './reserved-port.ts';
import { startNats } from '../../../src/local/nats/nats-process.ts';
import type { NatsProcess } from '../../../src/local/nats/nats-process.ts';
import { findNatsServer } from '../../../src/local/nats/nats-server.ts';

/** A real nats-server for one test, with the shipped configuration, on a free port and in a temporary folder. */
export interface TestNats {
  readonly url: string;
  readonly port: number;
  /** Kills it. */
  kill(): Promise<void>;
  /** Restarts it on the same port and files, after `kill`. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT: a stopped server does not answer. Resolves once it has stopped. */
  pause(): Promise<void>;
  resume(): void;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a server; `config` replaces the shipped configuration. */
export async function startTestNats(config?: string): Promise<TestNats> {
  const found = await findNatsServer();
  if (found.kind === 'missing') throw new Error(found.message);
  const storeDir = await mkdtemp(join(tmpdir(), 'player-analytics-nats-'));
  const port = await reservedPort();
  const launch = (): Promise<NatsProcess> =>
    startNats({ binary: found.path, port, storeDir, ...(config === undefined ? {} : { config }) });
  let nats = await launch();

  const kill = async () => {
    nats.signal('SIGKILL');
    await nats.ended;
  };
  return {
    url: nats.url,
    port,
    kill,
    async start() {
      nats = await launch();
    },
    async pause() {
      nats.signal('SIGSTOP');
      // The signal takes effect a little after it is sent.
      while (!(await stateOf(nats.pid)).startsWith('T')) await sleep(systemClock, 1);
    },
    resume: () => nats.signal('SIGCONT'),
    async stop() {
      await kill();
      await rm(storeDir, { recursive: true, force: true });
    },
  };
}

/** The state letter of a process; `T` is stopped. */
async function stateOf(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(pid)]);
  return stdout.trim();
}
