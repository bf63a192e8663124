import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock } from '../kernel/clock.ts';

/** The configuration that ships. */
const NATS_CONFIG = fileURLToPath(new URL('../../streams/nats/nats-server.conf', import.meta.url));

export interface NatsProcessOptions {
  /** Path of the nats-server binary (see `findNatsServer`). */
  binary: string;
  port: number;
  /** Folder of the JetStream files; made when missing. */
  storeDir: string;
  /** Configuration file; the one that ships when left out. */
  config?: string;
  /** Where its log goes; nowhere when left out. */
  logFile?: string;
  /** Gives up waiting for it to accept connections after this long. */
  startTimeoutMs?: number;
}

export interface NatsProcess {
  readonly pid: number;
  readonly url: string;
  /** Settles when the process has ended, however it did. */
  readonly ended: Promise<void>;
  /** Sends a signal, e.g. SIGKILL, SIGSTOP; nothing happens when it has ended. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL if that takes too long; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts one nats-server on 127.0.0.1 and resolves when it accepts connections, its files recovered.
 * Throws when it ends or the time is over before that. The caller owns the process; it ends with `stop`.
 */
export async function startNats(options: NatsProcessOptions): Promise<NatsProcess> {
  const logFile = options.logFile === undefined ? undefined : openSync(options.logFile, 'a');
  const child = spawn(options.binary, natsArguments(options), {
    stdio: ['ignore', logFile ?? 'ignore', logFile ?? 'ignore'],
  });
  if (logFile !== undefined) closeSync(logFile);
  let running = true;
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => {
    running = false;
  });

  const timeoutMs = options.startTimeoutMs ?? 30_000;
  const cancelTimeout = systemClock.timer(timeoutMs, () => child.kill('SIGKILL'));
  const accepts = await natsAnswersWhile(() => running, options.port);
  cancelTimeout();
  if (!accepts || child.pid === undefined) {
    throw new Error(`nats-server did not start on port ${options.port}${seeLog(options.logFile)}`);
  }

  return {
    pid: child.pid,
    url: `nats://127.0.0.1:${options.port}`,
    ended,
    signal(name) {
      if (running) child.kill(name);
    },
    async stop() {
      if (!running) return;
      child.kill('SIGTERM');
      const cancel = systemClock.timer(5_000, () => child.kill('SIGKILL'));
      await ended;
      cancel();
    },
  };
}

/** The command line of a nats-server with our configuration. */
export function natsArguments(options: Pick<NatsProcessOptions, 'config' | 'port' | 'storeDir'>): string[] {
  return ['-c', options.config ?? NATS_CONFIG, '-p', String(options.port), '-sd', options.storeDir];
}

/**
 * Writes `$DATA_DIR/nats.conf`, readable by its owner only: the configuration that ships, and a token without which no
 * process of this machine can do anything there.
 * @returns its path
 */
export function writeNatsConfig(dataDir: string, token: string): string {
  const path = join(dataDir, 'nats.conf');
  // A file that is there keeps its mode, so it is created anew.
  rmSync(path, { force: true });
  writeFileSync(path, `${readFileSync(NATS_CONFIG, 'utf8')}\nauthorization { token: "${token}", timeout: 10 }\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  return path;
}

/**
 * Whether a nats-server greets on 127.0.0.1: it opens its port only after JetStream has recovered its files.
 */
export function natsAnswers(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => settle(false));
    socket.on('error', () => settle(false));
    socket.on('close', () => settle(false));
    socket.once('data', (greeting) => settle(greeting.toString('latin1').startsWith('INFO ')));
  });
}

/** Polls until it greets (true) or `running` says false. */
async function natsAnswersWhile(running: () => boolean, port: number): Promise<boolean> {
  while (running()) {
    if (await natsAnswers(port)) return running();
    await sleep(systemClock, 20);
  }
  return false;
}

function seeLog(logFile: string | undefined): string {
  return logFile === undefined ? '' : `; see ${logFile}`;
}
