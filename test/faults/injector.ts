import { setTimeout as delay } from 'node:timers/promises';
import { within, systemClock } from '../../core/kernel/clock.ts';
import { queryAsReader } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import { killsOf, nextFault, type Fault } from './fault-plan.ts';
import type { Probe } from './probe.ts';
import type { Random } from './random.ts';
import type { Rig, Target } from './rig.ts';

/** A fault that happened. Times are milliseconds since the run began. */
export interface FaultRecord {
  atMs: number;
  what: string;
  kills: readonly Target[];
  pauses: readonly { target: Target; durationMs: number }[];
  /**
   * From the last kill, or the end of the pause, until the service is well again; absent if the next fault came first.
   */
  readyMs?: number;
}

export interface Injector {
  readonly records: readonly FaultRecord[];
  /** Injects faults until this many more processes were killed. Rejects when the service does not recover. */
  untilKills(count: number, spared?: readonly Target[]): Promise<void>;
  /** Injects one fault and waits for the recovery. */
  inject(fault: Fault): Promise<void>;
  /** Records a fault that other code caused. */
  note(record: FaultRecord): void;
  /** Resolves when writes to every partition are acknowledged and ClickHouse answers. */
  allWell(): Promise<void>;
}

/** The maximum time for a recovery before the run fails: the longest restart delay is 5 s. */
const AWAY_MS = 60_000;

export interface InjectorOptions {
  rig: Rig;
  probe: Probe;
  random: Random;
  /** Milliseconds since the run began. */
  nowMs: () => number;
  onRecord?: (record: FaultRecord) => void;
  /** Stops the injection: the next fault rejects. */
  signal?: AbortSignal;
}

export function createInjector(options: InjectorOptions): Injector {
  const { rig, probe, random, nowMs, onRecord = () => {} } = options;
  const records: FaultRecord[] = [];

  async function strike(fault: Fault): Promise<FaultRecord['pauses']> {
    switch (fault.kind) {
      case 'kill':
        await rig.kill(fault.target);
        return [];
      case 'wipe_peer':
        await rig.wipePeer();
        return [];
      case 'two_kills':
        await rig.kill(fault.target);
        await delay(fault.gapMs);
        await rig.kill(fault.second);
        return [];
      case 'pause': {
        const goOn = await rig.pause(fault.target);
        await delay(fault.durationMs);
        goOn();
        return [{ target: fault.target, durationMs: fault.durationMs }];
      }
      case 'pause_and_kill': {
        const goOn = await rig.pause(fault.target);
        await delay(fault.durationMs / 2);
        // A stopped supervisor restarts no process: the killed one returns after the pause.
        const killed = rig.kill(fault.second);
        await delay(fault.durationMs / 2);
        goOn();
        await killed;
        return [{ target: fault.target, durationMs: fault.durationMs }];
      }
    }
  }

  async function allWell(spared: readonly Target[] = []): Promise<void> {
    const writes = probe.write().then(() => true);
    if ((await within(systemClock, AWAY_MS, writes)) !== true) {
      throw new Error(`no write was acknowledged for ${AWAY_MS} ms after ${JSON.stringify(records.at(-1))}`);
    }
    if (!spared.includes('clickhouse')) await until('ClickHouse answers', clickhouseAnswers, AWAY_MS);
  }

  const clickhouseAnswers = (): Promise<boolean> =>
    within(systemClock, 1_000, queryAsReader(rig.clickhouseUrl, 'SELECT 1')).then(
      (rows) => rows !== undefined,
      () => false,
    );

  async function inject(fault: Fault, waits: boolean, spared: readonly Target[]): Promise<void> {
    options.signal?.throwIfAborted();
    const record: FaultRecord = { atMs: nowMs(), what: JSON.stringify(fault), kills: killsOf(fault), pauses: [] };
    records.push(record);
    record.pauses = await strike(fault);
    const struckMs = nowMs();
    if (waits) {
      await allWell(spared);
      record.readyMs = nowMs() - struckMs;
    }
    onRecord(record);
  }

  return {
    records,
    async untilKills(count, spared = []) {
      for (let kills = 0; kills < count;) {
        const fault = nextFault(random, spared);
        kills += killsOf(fault).length;
        await inject(fault, random.chance(0.85) || kills >= count, spared);
        await delay(random.between(0, 1_500));
      }
    },
    inject: (fault) => inject(fault, true, []),
    note: (record) => records.push(record),
    allWell: () => allWell(),
  };
}
