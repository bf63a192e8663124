import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addressesOf } from '../../src/cli/audit/read/addresses.ts';
import type { RunningService } from '../support/servers/running-service.ts';
import { mountSmallFileSystem, type SmallFileSystem } from '../support/servers/small-file-system.ts';
import { startWebhookReceiver } from '../support/wire/webhook-receiver.ts';
import { writeRows } from '../audit/plant-faults.ts';

/** The events that a scene sends meanwhile. */
export interface Traffic {
  /** Whether they are some 50 kB large. */
  large: boolean;
}

/** A fault of the real service, and the alerts that it fires. */
export interface Scene {
  name: string;
  settings?: Readonly<Record<string, string>>;
  /** Seconds of the fault; one is 15 s for Prometheus. */
  seconds: number;
  fires: readonly string[];
  /** Consequences that depend on how far the load got. */
  mayFire: readonly string[];
  /** Begins the fault; returns what ends it. */
  begin: (service: RunningService, traffic: Traffic) => Promise<() => void | Promise<void>>;
  /** Makes what the service needs before its start. `undefined`: this machine cannot. */
  prepare?: () => Prepared | undefined;
}

/** Settings that name what was made, and what removes it after the scene. */
interface Prepared {
  settings: Readonly<Record<string, string>>;
  remove: () => void;
}

const nothing = (): void => {};
/** The test machine's disk is not a part of the service. */
const MACHINE = ['DiskAlmostFull', 'MainThreadLate'];
const DISK_BYTES = 256 * 1024 ** 2;
const SMALL_LOG = { FACTS_MAX_BYTES: String(16 * 1024 ** 2) };

export const SCENES: readonly Scene[] = [
  { name: 'no fault', seconds: 60, fires: [], mayFire: MACHINE, begin: () => Promise.resolve(nothing) },
  {
    name: 'the service is stopped',
    seconds: 12,
    fires: ['ProcessDown'],
    mayFire: MACHINE,
    begin: (service) => stopped(service, 'service'),
  },
  {
    name: 'the broker is stopped',
    seconds: 40,
    fires: ['NotReady', 'PartitionWithoutOwner', 'ServerErrors'],
    mayFire: [...MACHINE, 'WritesRefused', 'SinkUnreachable', 'ClockWrong', 'PartitionRefused'],
    begin: (service) => stopped(service, 'nats'),
  },
  {
    name: 'a receiver answers 410',
    seconds: 10,
    fires: ['WebhookDisabled'],
    mayFire: MACHINE,
    begin: async (service) => {
      const receiver = await startWebhookReceiver((_, response) => void response.writeHead(410).end());
      const webhook = { name: 'gone', url: receiver.url, events: ['event.level_up'] };
      await service.call(service.keys.live.server, 'POST', '/v1/integrations/webhooks', webhook);
      return () => receiver.stop();
    },
  },
  {
    name: 'ClickHouse is stopped until the log is full',
    settings: SMALL_LOG,
    seconds: 90,
    fires: ['LogFillsUp', 'LogFull', 'ServerErrors'],
    mayFire: [...MACHINE, 'SinkUnreachable', 'SinkLate'],
    begin: async (service, traffic) => {
      const goOn = clickhouseStopped(service);
      traffic.large = true;
      return () => {
        traffic.large = false;
        goOn();
      };
    },
  },
  {
    name: 'other programs take the processor',
    seconds: 60,
    fires: ['MainThreadLate'],
    mayFire: [...MACHINE, 'ServerErrors'],
    begin: (service) => {
      const pid = pidOf(service, 'service');
      const over = new AbortController();
      const turns = (async () => {
        while (!over.signal.aborted) {
          process.kill(pid, 'SIGSTOP');
          await delay(600);
          process.kill(pid, 'SIGCONT');
          await delay(200);
        }
      })();
      return Promise.resolve(() => {
        over.abort();
        return turns;
      });
    },
  },
  {
    name: 'ClickHouse is stopped for long',
    seconds: 110,
    fires: ['SinkLate'],
    mayFire: [...MACHINE, 'SinkUnreachable', 'LogFillsUp', 'SinkBehind'],
    begin: (service) => Promise.resolve(clickhouseStopped(service)),
  },
  {
    name: 'a table lacks a column',
    seconds: 25,
    fires: ['SinkStopped'],
    mayFire: MACHINE,
    begin: async (service) => {
      const { clickhouse } = addressesOf(service.supervised.env);
      await writeRows(clickhouse, 'ALTER TABLE events DROP COLUMN country');
      return nothing;
    },
  },
  {
    name: 'the model cannot be loaded',
    seconds: 45,
    fires: ['NoScoringModel'],
    mayFire: MACHINE,
    prepare() {
      const empty = mkdtempSync(join(tmpdir(), 'player-analytics-no-model-'));
      return { settings: { MODEL_PATH: empty }, remove: () => rmSync(empty, { recursive: true }) };
    },
    begin: () => Promise.resolve(nothing),
  },
  fullDisk(),
];

function pidOf(service: RunningService, name: 'service' | 'nats' | 'clickhouse'): number {
  const pid = service.supervised.pids()?.[name];
  if (typeof pid !== 'number') throw new Error(`${name} has no process`);
  return pid;
}

/** The supervisor replaces an engine that does not answer, so each new one is stopped as well. */
function clickhouseStopped(service: RunningService): () => void {
  const pids = new Set<number>();
  const stop = (): void => {
    const pid = service.supervised.pids()?.clickhouse;
    if (typeof pid !== 'number' || pids.has(pid)) return;
    pids.add(pid);
    process.kill(pid, 'SIGSTOP');
  };
  stop();
  const again = setInterval(stop, 100);
  return () => {
    clearInterval(again);
    const last = service.supervised.pids()?.clickhouse;
    if (typeof last === 'number') process.kill(last, 'SIGCONT');
  };
}

function stopped(service: RunningService, name: 'service' | 'nats'): Promise<() => void> {
  const pid = pidOf(service, name);
  process.kill(pid, 'SIGSTOP');
  return Promise.resolve(() => void process.kill(pid, 'SIGCONT'));
}

/** Needs the right to mount a file system. */
function fullDisk(): Scene {
  let disk: SmallFileSystem | undefined;
  return {
    name: 'the disk fills up',
    seconds: 50,
    fires: ['DiskAlmostFull', 'WritesRefused', 'ServerErrors'],
    mayFire: [...MACHINE, 'LogFillsUp'],
    prepare() {
      disk = mountSmallFileSystem(DISK_BYTES);
      const path = disk?.path;
      return path === undefined
        ? undefined
        : { settings: { DATA_DIR: join(path, 'data') }, remove: () => disk?.remove() };
    },
    begin: () => {
      // Below the reserve of 5 %, at which writes are refused.
      disk?.fill(DISK_BYTES * 0.04);
      return Promise.resolve(() => disk?.free());
    },
  };
}
