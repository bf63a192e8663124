import { type Cancel, type Clock, nextTick } from '../../../../core/kernel/clock.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { TargetingKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { ScheduledChange, ScheduleDocument } from '../../../../core/vocabulary/schedules.ts';
import { IDEMPOTENCY_LIMITS } from '../../../../actors/idempotency/limits.ts';
import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import { ended, updateSchedule } from '../../../../streams/config/schedules.ts';
import type { WriteContext } from '../../route/request-context.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import { markOfScheduled } from './scheduled-mark.ts';
import { digestOf, digestsOf, mayPass, type Scheduler } from './scheduled-kind.ts';
import { tidied } from './schedule-routes.ts';

/*
 * Makes scheduled changes when they are due.
 *
 * Invariants
 * 1. A change is made at most once. It is claimed before, with the version of the definition, and the definition and
 *    the mark of the change are one document. A later pass, of any process, finds the mark. Where marks may have been
 *    dropped since the claim, the change has failed, and the reason says that it may have been made.
 * 2. Changes are made in the order of their times, each after the one before it has ended.
 * 3. A change that was refused, or left out, has ended. Only while the service cannot write is it tried again, for an
 *    hour.
 * 4. It holds nothing between two passes.
 */

export interface ScheduleKeeperOptions {
  config: ConfigStore;
  schedulers: readonly Scheduler[];
  clock: Clock;
  logger: Logger;
  /** Whether this process makes the changes now. */
  isHolder: () => boolean;
  /** The context of a change, in the name of the caller who scheduled it; a text: why that caller may not make it. */
  contextOf: (place: ScheduledPlace, change: ScheduledChange) => WriteContext | string;
}

export interface ScheduledPlace {
  game: string;
  environment: Environment;
  of: TargetingKind;
  key: string;
}

export interface ScheduleKeeper {
  /** Makes every change that is due. */
  pass(): Promise<void>;
  stop(): Promise<void>;
}

type Entry = ConfigEntry<'schedule'>;
type End = Parameters<typeof ended>[1];

interface Outcome {
  state: End;
  why: string;
  version?: number | null;
  difference?: readonly string[];
  made?: Record<string, string>;
}

export function startScheduleKeeper(options: ScheduleKeeperOptions): ScheduleKeeper {
  const { config, schedulers, clock, logger, isHolder, contextOf } = options;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel: Cancel = () => {};

  async function pass(): Promise<void> {
    const nowMs = clock.wallMs();
    for (const entry of config.list('schedule')) {
      if (isHolder()) await tidy(entry, nowMs);
    }
    const due = config
      .list('schedule')
      .flatMap((entry) => entry.document.changes.map((change) => ({ entry, change })))
      .filter(({ change: { state, at } }) => state === 'pending' && at <= nowMs)
      .toSorted(({ change: one }, { change: other }) => one.at - other.at || (one.id < other.id ? -1 : 1));
    const waits = new Set<string>();
    for (const { entry, change } of due) {
      const name = `${entry.game}.${entry.environment}.${entry.key}`;
      // What comes after a change that waits, waits too.
      if (!isHolder() || stopped || waits.has(name)) continue;
      if (!(await makeOne(entry, change.id))) waits.add(name);
    }
  }

  /** Cancels what waits for a definition that is gone, and forgets what ended long ago. */
  async function tidy({ document, ...address }: Entry, nowMs: number): Promise<void> {
    const scheduler = schedulerOf(document.of);
    if (scheduler === undefined) return;
    const found = definitionOf(address, document, scheduler);
    const isGone = found === undefined || found.createdAt !== document.definedAt;
    const changes = tidied(
      document.changes.map((change) =>
        isGone && change.state === 'pending' ? ended(change, 'cancelled', GONE, nowMs) : change,
      ),
      nowMs,
    );
    if (changes.length === 0) await config.delete(address, address.revision);
    else if (
      changes.length < document.changes.length ||
      changes.some((each, place) => each !== document.changes[place])
    )
      await updateSchedule(config, address, (held) =>
        held.version === document.version ? { ...held, changes, updatedAt: nowMs } : undefined,
      );
  }

  const schedulerOf = (kind: TargetingKind): Scheduler | undefined => schedulers.find((each) => each.kind === kind);

  function definitionOf(
    { game, environment }: Pick<Entry, 'game' | 'environment'>,
    { key }: ScheduleDocument,
    scheduler: Scheduler,
  ) {
    return environment === '_' ? undefined : scheduler.find({ game, environment, key }, config);
  }

  /** @returns whether the change has ended */
  async function makeOne(entry: Entry, id: string): Promise<boolean> {
    const claimed = await claim(entry, id);
    if (claimed === undefined) return false;
    const { change, document } = claimed;
    const outcome = await outcomeOf(entry, document, change);
    if (outcome === undefined) return false;
    const nowMs = clock.wallMs();
    const stored = await updateSchedule(config, entry, (held) => {
      if (!held.changes.some((each) => each.id === id && each.state === 'pending')) return undefined;
      const changes = held.changes.map((each) => {
        if (each.id !== id) return each;
        const { difference = each.difference, version } = outcome;
        return { ...ended(each, outcome.state, outcome.why, nowMs, version ?? null), difference };
      });
      return { ...held, changes, made: { ...held.made, ...outcome.made }, updatedAt: nowMs };
    });
    const { game, environment } = entry;
    const { of: kind, key } = document;
    logger.info(
      { game, environment, kind, key, change: id, state: outcome.state, why: outcome.why },
      'scheduled change',
    );
    return stored !== 'unavailable';
  }

  /** The change, once it is stored that it is being made. */
  async function claim(
    entry: Entry,
    id: string,
  ): Promise<{ document: ScheduleDocument; change: ScheduledChange } | undefined> {
    const nowMs = clock.wallMs();
    const scheduler = schedulerOf(entry.document.of);
    const found = scheduler && definitionOf(entry, entry.document, scheduler);
    if (found === undefined) return undefined;
    const stored = await updateSchedule(config, entry, (held) => {
      const open = held.changes.some((each) => each.id === id && each.state === 'pending' && each.claim === undefined);
      if (!open) return undefined;
      const made = { version: found.version, at: nowMs };
      return { ...held, changes: held.changes.map((each) => (each.id === id ? { ...each, claim: made } : each)) };
    });
    if (stored === 'unavailable') return undefined;
    const document = config.get(entry)?.document;
    const change = document?.changes.find((each) => each.id === id && each.state === 'pending');
    return document === undefined || change?.claim === undefined ? undefined : { document, change };
  }

  /** What became of a change; undefined: it is tried again. */
  async function outcomeOf(
    { game, environment }: Entry,
    document: ScheduleDocument,
    change: ScheduledChange,
  ): Promise<Outcome | undefined> {
    const { of, key } = document;
    const scheduler = schedulerOf(of);
    const { claim: claimed, does } = change;
    const fields = does.kind === 'patch' ? Object.keys(does.patch) : STEP_FIELDS;
    if (scheduler === undefined || environment === '_' || claimed === undefined) return undefined;
    const place: ScheduledPlace = { game, environment, of, key };
    const found = scheduler.find(place, config);
    if (found === undefined || found.createdAt !== document.definedAt) return { state: 'cancelled', why: GONE };
    if (found.marks.includes(markOfScheduled(change.id).id)) {
      const isOnly = found.version === claimed.version + 1;
      return { state: 'made', why: '', ...(isOnly ? { version: found.version, made: found.digests(fields) } : {}) };
    }
    const nowMs = clock.wallMs();
    const isMarkKept =
      found.version - claimed.version < IDEMPOTENCY_LIMITS.idempotencyKeys &&
      nowMs - claimed.at < IDEMPOTENCY_LIMITS.idempotencyTtlMs;
    if (found.version !== claimed.version && !isMarkKept) return { state: 'failed', why: UNKNOWN };
    const context = contextOf(place, change);
    if (typeof context === 'string') return { state: 'failed', why: context };
    const made = await scheduler.make(key, does, guardOf(document, change), context);
    if (made.kind === 'made') {
      const { version, difference } = made;
      return { state: 'made', why: '', version, difference, made: digestsOf(fields, made.after) };
    }
    if (made.kind === 'skipped') return { state: 'skipped', why: made.why };
    if (mayPass(made) && nowMs - claimed.at < DEFINITION_LIMITS.scheduledTriedMs) return undefined;
    return { state: 'failed', why: textOf(made) };
  }

  function run(): void {
    running = (isHolder() ? pass() : Promise.resolve())
      .catch((error: unknown) =>
        logger.error({ err: error }, 'scheduled changes could not be made; they are tried again'),
      )
      .then(() => {
        if (!stopped) cancel = nextTick(clock, DEFINITION_LIMITS.scheduledEveryMs, run);
      });
  }
  cancel = nextTick(clock, DEFINITION_LIMITS.scheduledEveryMs, run);

  return {
    pass,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** A field that changed since the change was scheduled stays as it is. */
function guardOf({ made }: ScheduleDocument, { does, seen }: ScheduledChange) {
  return (before: JsonObject): string | undefined => {
    if (does.kind === 'step') return undefined;
    const touched = Object.keys(does.patch).filter((name) => {
      const now = digestOf(before[name] ?? null);
      return now !== seen[name] && now !== made[name];
    });
    return touched.length === 0 ? undefined : `\`${touched.join('`, `')}\` changed since this was scheduled.`;
  };
}

function textOf({ message, code, details }: Failure): string {
  return message ?? (details === undefined ? code : `${code}: ${JSON.stringify(details).slice(0, 200)}`);
}

const STEP_FIELDS = ['targeting_rules'];
const GONE = 'The definition was archived or deleted.';
const UNKNOWN =
  'The service ended while it made the change, and the definition changed since, so it is not known whether it was made.';
