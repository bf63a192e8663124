import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { LOCAL_LIMITS } from '../../../src/local/limits.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import { natsAnswers } from '../../../src/local/nats/nats-process.ts';
import {
  freshEnvironment,
  isAlive,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../../support/servers/supervised.ts';
import { until } from '../../support/until.ts';

const STAND_INS = new URL('../../support/servers/stand-in-start.ts', import.meta.url);
const CHILDREN = ['service', 'nats', 'clickhouse'] as const;

const launched: Supervised[] = [];
afterEach(async () => {
  await Promise.all(launched.splice(0).map(stopAndRemove));
});

function run(env: Record<string, string | undefined>): Supervised {
  const supervised = launch({ entry: STAND_INS, env });
  launched.push(supervised);
  return supervised;
}

async function environment(extra: Record<string, string> = {}): Promise<Record<string, string | undefined>> {
  const env = await freshEnvironment();
  return { ...env, TRACE: join(env['DATA_DIR'] ?? '', 'trace'), ...extra };
}

async function running(extra: Record<string, string> = {}): Promise<Supervised> {
  const supervised = run(await environment(extra));
  await untilReady(supervised);
  await until('all three run', () => CHILDREN.every((name) => supervised.pids()?.[name]));
  return supervised;
}

const trace = (supervised: Supervised) =>
  readFileSync(join(supervised.dataDir, 'trace'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ \d+$/, ''));

function pidOf(supervised: Supervised, name: (typeof CHILDREN)[number]): number {
  const pid = supervised.pids()?.[name];
  if (pid === undefined || pid === null) throw new Error(`${name} does not run`);
  return pid;
}

const childrenOf = (supervised: Supervised) => CHILDREN.map((name) => pidOf(supervised, name));

describe('a start', () => {
  test('brings up the dependencies, prepares them, then starts the service', async () => {
    const supervised = await running();
    expect(trace(supervised)).toEqual(['clickhouse started', 'prepared', 'service started']);
    expect(await natsAnswers(Number(supervised.env['EMBEDDED_NATS_PORT']))).toBe(true);
  });

  test('writes the pids and endpoints, readable by their user only', async () => {
    const supervised = await running();
    expect(supervised.pids()?.supervisor).toBe(supervised.pid);
    expect(childrenOf(supervised).every(isAlive)).toBe(true);
    expect(readFileSync(`/proc/${pidOf(supervised, 'nats')}/comm`, 'utf8').trim()).toBe('nats-server');
    expect(statSync(join(supervised.dataDir, 'endpoints.json')).mode & 0o777).toBe(0o600);
  });

  test('puts every child into a process group of its own', async () => {
    const supervised = await running();
    for (const pid of childrenOf(supervised)) {
      const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
      expect(Number(group)).toBe(pid);
    }
  });

  test('names the port in use and the variable that moves it, starts nothing, and ends with 1', async () => {
    const env = await environment();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const supervised = run({ ...env, EMBEDDED_CLICKHOUSE_PORT: String(port) });
    expect(await supervised.ended).toBe(1);
    taken.close();
    expect(supervised.output()).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(supervised.output()).toContain('EMBEDDED_CLICKHOUSE_PORT');
    expect(existsSync(join(supervised.dataDir, 'trace'))).toBe(false);
  });

  test('refuses one port for two processes', async () => {
    const env = await environment();
    const supervised = run({ ...env, EMBEDDED_NATS_PORT: env['PORT'] ?? '' });
    expect(await supervised.ended).toBe(1);
    expect(supervised.output()).toContain('set PORT to another port');
  });

  test('ends with 1 and leaves no process when the service never gets ready', async () => {
    const supervised = run(await environment({ SERVICE_EXIT_CODE: '3' }));
    expect(await supervised.ended).toBe(1);
    expect(supervised.output()).toContain('service ended with exit code 3 before it was ready');
    expect(await natsAnswers(Number(supervised.env['EMBEDDED_NATS_PORT']))).toBe(false);
  });

  test('on the folder of a running supervisor is refused, and that one continues', async () => {
    const first = await running();
    const pids = childrenOf(first);
    const second = launch({ entry: STAND_INS, env: { ...first.env } });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`(pid ${first.pid}) is running on ${first.dataDir}`);
    expect(childrenOf(first)).toEqual(pids);
    expect(pids.every(isAlive)).toBe(true);
  });
});

describe('a child that dies', () => {
  test.each(CHILDREN)('%s: is restarted at once, and the others continue', async (name) => {
    const supervised = await running();
    const before = { ...supervised.pids() };
    process.kill(pidOf(supervised, name), 'SIGKILL');
    const beganMs = performance.now();
    await until(`${name} has a new process`, () => ![null, before[name]].includes(supervised.pids()?.[name] ?? null));
    // After 50 ms; a child that keeps dying is restarted after 5 s.
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    await untilReady(supervised);
    await until('nats answers', () => natsAnswers(Number(supervised.env['EMBEDDED_NATS_PORT'])));
    expect({ ...supervised.pids(), [name]: null }).toEqual({ ...before, [name]: null });
  });

  test('repeatedly is still restarted', async () => {
    const supervised = await running();
    for (let death = 0; death < 4; death++) {
      const pid = pidOf(supervised, 'service');
      process.kill(pid, 'SIGKILL');
      await until('a new service runs', () => ![null, pid].includes(supervised.pids()?.service ?? null));
    }
    await untilReady(supervised);
  });
});

test('a restart of the service stops it in order, starts it again, and does not affect the others', async () => {
  const supervised = await running();
  const before = { ...supervised.pids() };
  await until('it listens to us', () => supervised.output().includes('running\n'));
  supervised.signal('SIGUSR2');
  await until('a new service runs', () => ![null, before.service].includes(supervised.pids()?.service ?? null));
  await untilReady(supervised);
  expect(trace(supervised).slice(-2)).toEqual(['service terminating', 'service started']);
  expect({ ...supervised.pids(), service: 0 }).toEqual({ ...before, service: 0 });
});

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s ends the service first, then the rest, with 0', async (signal) => {
    const supervised = await running();
    const pids = childrenOf(supervised);
    supervised.signal(signal);
    expect(await supervised.ended).toBe(0);
    expect(trace(supervised).slice(-2)).toEqual(['service terminating', 'clickhouse terminating']);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(supervised.dataDir, 'pids.json'))).toBe(false);
    expect(existsSync(join(supervised.dataDir, 'endpoints.json'))).toBe(false);
  });

  test('requested twice is still orderly', async () => {
    const supervised = await running();
    supervised.signal('SIGTERM');
    supervised.signal('SIGTERM');
    expect(await supervised.ended).toBe(0);
  });

  test('ends within its time limits when the service ignores SIGTERM and the others are frozen', async () => {
    const serviceStopMs = 1_500;
    const supervised = await running({ SERVICE_IGNORES_SIGTERM: '1', SERVICE_STOP_MS: String(serviceStopMs) });
    const pids = childrenOf(supervised);
    for (const name of ['nats', 'clickhouse'] as const) process.kill(pidOf(supervised, name), 'SIGSTOP');
    const beganMs = performance.now();
    supervised.signal('SIGTERM');
    expect(await supervised.ended).toBe(0);
    const tookMs = performance.now() - beganMs;
    expect(tookMs).toBeGreaterThanOrEqual(serviceStopMs + LOCAL_LIMITS.dependencyStopMs);
    expect(tookMs).toBeLessThan(serviceStopMs + LOCAL_LIMITS.dependencyStopMs + 5_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('has time limits that add up to less than the documented ten seconds', () => {
    expect(PROCESS_LIMITS.shutdownMs + LOCAL_LIMITS.dependencyStopMs).toBeLessThan(9_500);
  });

  test('during the start leaves no process', async () => {
    const supervised = run(await environment());
    await until('the first child runs', () => supervised.pids()?.nats);
    const nats = pidOf(supervised, 'nats');
    supervised.signal('SIGTERM');
    expect(await supervised.ended).toBe(0);
    expect(isAlive(nats)).toBe(false);
  });
});

describe('kill -9 of the supervisor', () => {
  test('ends all its children, frozen ones too', async () => {
    const supervised = await running();
    const pids = childrenOf(supervised);
    process.kill(pidOf(supervised, 'nats'), 'SIGSTOP');
    supervised.signal('SIGKILL');
    expect(await supervised.ended).toBe('SIGKILL');
    await until('no child is left', () => !pids.some(isAlive));
  });

  test('while it is frozen ends them as well', async () => {
    const supervised = await running();
    const pids = childrenOf(supervised);
    supervised.signal('SIGSTOP');
    process.kill(pids[0] ?? 0, 'SIGKILL');
    supervised.signal('SIGKILL');
    await supervised.ended;
    await until('no child is left', () => !pids.some(isAlive));
  });

  test('is followed by a start on the same folder', async () => {
    const first = await running();
    first.signal('SIGKILL');
    await first.ended;
    const second = run({ ...first.env });
    await untilReady(second);
    await until('the second one runs', () => second.pids()?.supervisor === second.pid);
  });
});

describe('a start after a supervisor that left orphan processes', () => {
  test('waits for a port that a dying orphan process still uses', async () => {
    const env = await environment();
    const held = createServer().listen(Number(env['EMBEDDED_CLICKHOUSE_PORT']), '127.0.0.1');
    await once(held, 'listening');
    const pids = { supervisor: 1, service: null, nats: null, clickhouse: null };
    writeFileSync(join(env['DATA_DIR'] ?? '', 'pids.json'), JSON.stringify(pids));
    const supervised = run(env);
    await until('the supervisor has the folder', () => !existsSync(join(supervised.dataDir, 'pids.json')));
    held.close();
    await untilReady(supervised);
  });

  test('ends processes with the mark of the folder, and no unrelated process that pids.json names', async () => {
    const env = await environment();
    const idle = ['-e', 'setInterval(() => {}, 1000)'];
    const orphan = spawn(process.execPath, idle, {
      detached: true,
      env: { ...env, PLAYER_ANALYTICS_SUPERVISED: env['DATA_DIR'] },
    });
    const stranger = spawn(process.execPath, idle, { detached: true });
    const orphanEnded = once(orphan, 'exit');
    writeFileSync(
      join(env['DATA_DIR'] ?? '', 'pids.json'),
      JSON.stringify({ supervisor: 1, service: orphan.pid, nats: stranger.pid, clickhouse: stranger.pid }),
    );
    try {
      const supervised = run(env);
      await untilReady(supervised);
      await orphanEnded;
      expect(orphan.signalCode).toBe('SIGKILL');
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
      expect(supervised.output()).toContain(`killed orphan processes of an earlier run (pids ${orphan.pid})`);
    } finally {
      orphan.kill('SIGKILL');
      stranger.kill('SIGKILL');
    }
  });
});
