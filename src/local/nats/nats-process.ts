import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock } from '../../../core/kernel/clock.ts';

/** The configuration in the repository. */
const NATS_CONFIG = fileURLToPath(new URL('../../../streams/nats/nats-server.conf', import.meta.url));

export interface NatsProcessOptions {
  /** Path of the nats-server binary (see `findNatsServer`). */
  binary: string;
  port: number;
  /** Folder of the JetStream files; created if missing. */
  storeDir: string;
  /** Configuration file; default: the one in the repository. */
  config?: string;
  /** File for its log; default: no log. */
  logFile?: string;
  /** Longest time until it accepts connections. */
  startTimeoutMs?: number;
}

export interface NatsProcess {
  readonly pid: number;
  readonly url: string;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Sends a signal, e.g. SIGKILL or SIGSTOP. Has no effect after the process has ended. */
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM, then SIGKILL if that takes too long. Resolves when the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts one nats-server on 127.0.0.1. Resolves when it has recovered its files and accepts connections; throws if it
 * ends or times out before that. The caller owns the process and must call `stop`.
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

/** The command line of a nats-server with the service's configuration. */
export function natsArguments(options: Pick<NatsProcessOptions, 'config' | 'port' | 'storeDir'>): string[] {
  return ['-c', options.config ?? NATS_CONFIG, '-p', String(options.port), '-sd', options.storeDir];
}

/**
 * Writes `$DATA_DIR/nats.conf`, readable by its owner only: the configuration in the repository, and a token that every
 * client must present.
 * @returns its path
 */
export function writeNatsConfig(dataDir: string, token: string): string {
  const path = join(dataDir, 'nats.conf');
  // Writing to an existing file would keep its mode, so the file is deleted first.
  rmSync(path, { force: true });
  writeFileSync(path, `${readFileSync(NATS_CONFIG, 'utf8')}\nauthorization { token: "${token}", timeout: 10 }\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  return path;
}

/** Whether a nats-server greets on 127.0.0.1. It opens its port only after JetStream has recovered its files. */
export function natsAnswers(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const complete = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => complete(false));
    socket.on('error', () => complete(false));
    socket.on('close', () => complete(false));
    socket.once('data', (greeting) => complete(greeting.toString('latin1').startsWith('INFO ')));
  });
}

/** Polls until the server greets (true) or `running` returns false. */
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
