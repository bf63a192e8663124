import type { CommandBody, QueryBody } from '../core/vocabulary/commands/commands.ts';
import type { Fact } from '../core/vocabulary/facts/facts.ts';
import { COMMAND_FORMATS, FACT_FORMATS, FORMAT, QUERY_FORMATS } from '../core/vocabulary/formats.ts';
import { nextTick, type Cancel, type Clock } from '../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../core/kernel/limits.ts';
import type { Logger } from '../core/kernel/logger.ts';
import { decodeJson, encodeJson } from '../core/codec/codec.ts';
import type { Bucket, BucketEntry } from './log/log.ts';

/**
 * The formats that all processes of the deployment can read. Every process, whatever its roles, writes a beat to OWNERS
 * `process.<node>` with its format and roles.
 *
 * Invariants
 * 1. A process counts until its beat has not changed for lease + margin, by the watcher's clock, or was deleted.
 * 2. A member of the owners without such a beat counts with the format in its own beat, else with 0: its version is
 *    older than these beats.
 * 3. Until the beats that exist have been read, the lowest format is 0.
 *
 * Gateways and sinks of versions before format 1 are not seen.
 */
export interface Formats {
  /** The lowest format of all processes that live, this one included. */
  lowestFormat(): number;
  /** Whether every process knows the kind, so that this one may write it. */
  usable(what: 'command', kind: CommandBody['kind']): boolean;
  usable(what: 'query', kind: QueryBody['kind']): boolean;
  usable(what: 'fact', kind: Fact['kind']): boolean;
  /** A field or form of an existing kind, record, state or document, with the format that introduced it. */
  usable(what: 'field', format: number): boolean;
  stop(): void;
}

/** The formats, and this process's beat. */
export interface FormatGate extends Omit<Formats, 'stop'> {
  /** Deletes the beat, so that others need not wait for its end. */
  stop(): Promise<void>;
}

export interface FormatsOptions {
  bucket: Bucket;
  /** This node's name. */
  node: string;
  clock: Clock;
  /** The format of this program; tests pass others. */
  format?: number;
}

export interface FormatGateOptions extends FormatsOptions {
  roles: readonly string[];
  /** What the beat says beside, for operators: the version of the service, and when the process started. */
  about?: { readonly version: string; readonly startedAt: number };
  logger: Logger;
}

const PROCESS = 'process.';
const MEMBER = 'member.';
const GONE_MS = SHARED_LIMITS.leaseMs + SHARED_LIMITS.leaseMarginMs;

interface Seen {
  format: number;
  atMs: number;
}

/** Watches the formats of all processes, for a thread whose process beats elsewhere. */
export function watchFormats({ bucket, node, clock, format: own = FORMAT }: FormatsOptions): Formats {
  /** By node. */
  const processes = new Map<string, Seen>();
  const members = new Map<string, Seen>();
  let current = false;

  function onEntry({ key, value }: BucketEntry): void {
    const [seen, prefix] = key.startsWith(PROCESS) ? [processes, PROCESS] : [members, MEMBER];
    if (!key.startsWith(prefix)) return;
    const name = key.slice(prefix.length);
    if (value === undefined) seen.delete(name);
    else seen.set(name, { format: formatIn(value), atMs: clock.monotonicMs() });
  }

  function lowestFormat(): number {
    if (!current) return 0;
    const sinceMs = clock.monotonicMs() - GONE_MS;
    for (const seen of [processes, members]) {
      for (const [name, { atMs }] of seen) if (atMs < sinceMs) seen.delete(name);
    }
    let lowest = own;
    for (const [name, { format }] of processes) if (name !== node) lowest = Math.min(lowest, format);
    for (const [name, { format }] of members) {
      if (name !== node && !processes.has(name)) lowest = Math.min(lowest, format);
    }
    return lowest;
  }

  const stop = bucket.watch({
    onEntry,
    onCurrent() {
      current = true;
    },
  });
  return {
    lowestFormat,
    usable(what: 'command' | 'query' | 'fact' | 'field', kind: string | number) {
      const since = typeof kind === 'number' ? kind : formatOf(what, kind);
      return since === 0 || since <= lowestFormat();
    },
    stop,
  };
}

export function createFormatGate(options: FormatGateOptions): FormatGate {
  const { bucket, node, roles, about, clock, logger, format: own = FORMAT } = options;
  const formats = watchFormats(options);
  let beat = 0;
  let stopped = false;
  /** 0 also stands for beats that have not been read. */
  let logged = 0;
  let cancel: Cancel = () => {};

  async function step(): Promise<void> {
    beat += 1;
    try {
      await bucket.put(PROCESS + node, encodeJson({ beat, format: own, roles, ...about }));
    } catch {
      // The log is being closed.
    }
    if (stopped) return;
    const lowest = formats.lowestFormat();
    if (lowest !== logged) logger.info({ lowest, own }, 'the lowest format of all processes');
    logged = lowest;
    cancel = nextTick(clock, SHARED_LIMITS.leaseRenewMs, () => void step());
  }

  cancel = clock.timer(0, () => void step());
  return {
    ...formats,
    async stop() {
      stopped = true;
      cancel();
      formats.stop();
      try {
        await bucket.delete(PROCESS + node);
      } catch {
        // The beat expires instead.
      }
    },
  };
}

const FORMATS_OF: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  command: COMMAND_FORMATS,
  query: QUERY_FORMATS,
  fact: FACT_FORMATS,
};

/** A kind without an entry, which the types exclude, is never usable. */
const formatOf = (what: string, kind: string): number => FORMATS_OF[what]?.[kind] ?? Infinity;

/** The format in a beat. A beat without one is of a version before formats; one that cannot be read counts as such. */
function formatIn(value: Uint8Array): number {
  try {
    const beat = decodeJson(value);
    if (typeof beat !== 'object' || beat === null || !('format' in beat)) return 0;
    return typeof beat.format === 'number' ? beat.format : 0;
  } catch {
    return 0;
  }
}
