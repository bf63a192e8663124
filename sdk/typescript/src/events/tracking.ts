import { createDrops } from '../wire/callbacks.ts';
import type { DeviceClock } from '../flags/device-clock.ts';
import type { Entry, EventEntry } from './entries.ts';
import { createExposures, shownVariant } from '../flags/flag-values.ts';
import type { GameOptions } from '../options.ts';
import type { PlayedSession } from '../played-session.ts';
import { droppedEvent, type DropReason } from '../wire/problems.ts';
import type { Reports } from '../flags/reports.ts';
import { documentJson, lostMembers, nameFault } from './tracked.ts';

/* Turns what the game tracks into entries of the queue, and reports what it drops. */

export interface TrackingOptions extends Reports {
  clock: Pick<DeviceClock, 'now'>;
  newId: () => string;
  onDropped?: GameOptions['onDropped'];
  /** Whether consent is given and the client was not shut down. */
  isOpen: () => boolean;
  play: Pick<PlayedSession, 'saved' | 'current'>;
  add: (entry: Entry) => void;
}

const EXPOSED = 'flag_exposed';
const PURCHASE = 'An event named purchase counts no revenue: POST /v1/players/players/{id}/purchase does.';

export function createTracking(options: TrackingOptions) {
  const { clock, newId, onDropped, isOpen, play, add, onProblem, advise, debug } = options;
  const drops = createDrops(onDropped, onProblem);
  const exposures = createExposures();

  function drop(entry: EventEntry, reason: DropReason, message: string): void {
    if (entry.name === EXPOSED) exposures.forget();
    debug(`dropped ${entry.name} (${reason}): ${message}`);
    if (onDropped === undefined) advise(`Events are dropped (${reason}): ${message} See onDropped.`);
    drops.report(droppedEvent(entry, reason, message));
  }

  function track(name: unknown, properties?: unknown): boolean {
    if (!isOpen() || !drops.mayTrack) return false;
    const json = documentJson(properties);
    if (name === 'purchase') advise(PURCHASE);
    const fault = nameFault(name) ?? (json.kind === 'json' ? undefined : json.message);
    const event = { kind: 'event', id: newId(), name: String(name), ...clock.now() } as const;
    if (json.kind === 'json' && fault === undefined) {
      add({ ...event, session: play.current(), properties: json.text });
      return true;
    }
    const reason = json.kind === 'too-large' ? json.kind : 'invalid';
    drop({ ...event, session: '', properties: '' }, reason, fault ?? '');
    return false;
  }

  return {
    track,
    drop,
    setState: (attributes: unknown): boolean => {
      if (!isOpen()) return false;
      const json = documentJson(attributes ?? null);
      for (const member of lostMembers(attributes))
        advise(`Attribute "${member}" has no form in JSON and is left out.`);
      if (json.kind === 'json') add({ kind: 'state', id: newId(), session: play.current(), attributes: json.text });
      else onProblem({ kind: 'invalid', message: `Attributes: ${json.message}` });
      return json.kind === 'json';
    },
    expose: (flagKey: string): boolean => {
      const flag = play.saved.flags[flagKey];
      if (!exposures.isNew(flagKey, flag)) return isOpen();
      const isTracked = track(EXPOSED, { flag_key: flagKey, variant_key: shownVariant(flag) });
      if (isTracked) exposures.add(flagKey, flag);
      return isTracked;
    },
    forgetExposures: exposures.forget,
  };
}
