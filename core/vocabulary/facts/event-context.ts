import type { TrackItem } from '../commands/commands.ts';
import { knownOf } from '../state/device.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';
import type { PlayerState } from '../state/state.ts';

/** What an event says of its player and its device at its time. Each field is a column of `events`. */
export interface EventContext {
  lifecycleStage: LifecycleStage;
  isPayer: boolean;
  /** The `country` attribute, if it is a string; else ''. */
  country: string;
  /** '' if it is unknown, and so on. */
  platform: string;
  appVersion: string;
  build: string;
}

const NO_DEVICE = { platform: '', appVersion: '', build: '' } as const;

/** The context of samples, and the part of it that an import does not say. */
export const NEW_CONTEXT: EventContext = { lifecycleStage: 'new', isPayer: false, country: '', ...NO_DEVICE };

/** The device is the one that the event names, else that of its open session, else that of the latest init. */
export function eventContext(
  { lifecycleStage, isPayer, country, sessions, device }: PlayerState,
  { sessionId, playedWith }: Pick<TrackItem, 'sessionId' | 'playedWith'>,
): EventContext {
  const session = sessionId === null ? undefined : sessions.find((open) => open.sessionId === sessionId);
  const { platform = '', appVersion = '', build = '' } = playedWith ?? session ?? knownOf(device);
  return { lifecycleStage, isPayer, country, platform, appVersion, build };
}

/**
 * A context in a value of the log: its fields, or the place of an equal one among those before it in the value. Players
 * send their events in batches, and most players have one of few contexts. Empty texts at the end are left out.
 */
export type ContextTuple =
  | number
  | [
      lifecycleStage: LifecycleStage,
      isPayer: boolean,
      country: string,
      platform?: string,
      appVersion?: string,
      build?: string,
    ];

/** Packs the contexts of one value, in order. */
export function createContextPacker(): (context: EventContext) => ContextTuple {
  const places = new Map<string, number>();
  return ({ lifecycleStage, isPayer, country, platform, appVersion, build }) => {
    const lengths = `${country.length} ${platform.length} ${appVersion.length} `;
    const key = `${isPayer ? '+' : '-'}${lengths}${country}${platform}${appVersion}${lifecycleStage} ${build}`;
    const place = places.get(key);
    if (place !== undefined) return place;
    places.set(key, places.size);
    if (build !== '') return [lifecycleStage, isPayer, country, platform, appVersion, build];
    if (appVersion !== '') return [lifecycleStage, isPayer, country, platform, appVersion];
    return platform === '' ? [lifecycleStage, isPayer, country] : [lifecycleStage, isPayer, country, platform];
  };
}

/** The contexts of one value, in order. */
export function createContextUnpacker(): (tuple: ContextTuple) => EventContext {
  const contexts: EventContext[] = [];
  return (tuple) => {
    if (typeof tuple === 'number') {
      const context = contexts[tuple];
      if (context === undefined) throw new RangeError(`an event has the context ${tuple} of ${contexts.length}`);
      return context;
    }
    const [lifecycleStage, isPayer, country, platform = '', appVersion = '', build = ''] = tuple;
    const context = { lifecycleStage, isPayer, country, platform, appVersion, build };
    contexts.push(context);
    return context;
  };
}
