import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../bench.ts';
import { LATENCY_SHARES } from '../figures/statistics.ts';
import { BIN_MS, happened, type LoadResult } from './load-result.ts';

const SCRIPT = fileURLToPath(new URL('./wrk.lua', import.meta.url));
/** wrk waits this long for the last answers; few take longer, although a command's deadline is later. */
const TAIL_SECONDS = 1;
/** An answer later than this counts as a timeout; past the service's deadline and grace. */
const TIMEOUT_SECONDS = 8;

export interface WrkOptions {
  url: string;
  /** `X-API-Key`; left out when the target takes none. */
  key?: string;
  bodiesFile: string;
  connections: number;
  seconds: number;
  threads: number;
  signal: AbortSignal;
  /** Gets the process id, so that its CPU time can be read while it runs. */
  onPid: (pid: number) => void;
}

/** How to get wrk when it is missing; undefined when it is there. */
export function wrkMissing(): string | undefined {
  const { error } = spawnSync('wrk', ['--version']);
  return error === undefined
    ? undefined
    : 'The load generator wrk was not found on PATH. On Debian and Ubuntu: apt-get install wrk. On macOS: brew install wrk.';
}

/**
 * A closed loop: every connection sends its next request when its last one is answered. wrk corrects latencies for
 * requests that a slow answer delayed beyond the mean interval. Throws when wrk fails, and on the signal.
 */
export async function runWrk(options: WrkOptions): Promise<LoadResult> {
  const connections = Math.max(options.connections, options.threads);
  const args = [
    `-t${options.threads}`,
    `-c${connections}`,
    `-d${Math.ceil(options.seconds) + TAIL_SECONDS}s`,
    `--timeout=${TIMEOUT_SECONDS}s`,
    `-s${SCRIPT}`,
    options.url,
    '--',
    options.bodiesFile,
    options.key ?? '',
    String(options.seconds),
    String(BIN_MS),
  ];
  const child = spawn('wrk', args, {
    env: { ...process.env, BENCH_LATENCY_SHARES: LATENCY_SHARES.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
    killSignal: 'SIGKILL',
  });
  if (child.pid !== undefined) options.onPid(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  await once(child, 'close');
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new BenchError(`wrk ended without a result:\n${output}`);
  return resultOf(JSON.parse(line), options.seconds);
}

/** What wrk.lua prints. */
interface Printed {
  sent: number;
  answered: number;
  started_ms: number;
  bins: number[];
  points: [share: number, us: number][];
  max_us: number;
  errors: Record<'status' | 'connect' | 'read' | 'write' | 'timeout', number>;
}

function resultOf(printed: Printed, seconds: number): LoadResult {
  const { status, ...others } = printed.errors;
  return {
    seconds,
    startedMs: printed.started_ms,
    sent: printed.sent,
    answered: printed.answered,
    refused: status,
    bins: printed.bins.slice(0, Math.floor((seconds * 1000) / BIN_MS)),
    latency: {
      points: printed.points.map(([share, us]) => ({ share, ms: us / 1000 })),
      maxMs: printed.max_us / 1000,
    },
    errors: happened({ ...others, unanswered: printed.sent - printed.answered }),
  };
}
