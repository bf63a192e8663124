import { isText } from './wire/json.ts';
import type { Platform } from './platform.ts';
import type { DroppedEvent, Problem } from './wire/problems.ts';
import type { KeyValueStorage } from './events/storage.ts';

export interface GameOptions {
  /** Where the service is, for example `https://analytics.example.com`. */
  baseUrl: string;
  /** A client key, `pk_…`. It ships with the game and is public. */
  key: string;
  /** Your own id of the player: `external_id`. */
  player: string;
  /** Sent with the registration. */
  deviceId?: string;
  /** Sent with the registration. */
  attributes?: Readonly<Record<string, unknown>>;
  device?: { platform?: string; os_version?: string; app_version?: string; build?: string; device_model?: string };
  /** Only these flags; all when absent. */
  flags?: readonly string[];
  /** Gets a token that your server signed for the player. Called again when the service refuses it. */
  playerToken?: () => string | Promise<string>;
  /** `required`: nothing is stored or sent before `setConsent(true)`. A stored decision counts in any case. */
  consent?: 'given' | 'required';
  /** Where the queue is kept. By default IndexedDB in browsers, a folder in Node, otherwise memory. */
  storage?: KeyValueStorage;
  /** Node only: the folder of the queue; by default one of the program's own below `.player-analytics` in the home. */
  folder?: string;
  /** False: changed flags come with the next sync only, without a stream from the service. */
  flagStream?: boolean;
  /** Milliseconds between calls of `sync`; 30,000 by default. */
  syncIntervalMs?: number;
  /** Entries that are sent without waiting for the interval; 30 by default. */
  flushAt?: number;
  /** Bytes that are sent without waiting for the interval; 30,000 by default. */
  flushAtBytes?: number;
  /** Entries that wait at most; 2,000 by default. Then the oldest are dropped. */
  maxQueued?: number;
  /** Bytes that wait at most; 2 MiB by default. */
  maxQueuedBytes?: number;
  /** Milliseconds to wait for an answer; 15,000 by default. */
  timeoutMs?: number;
  /** Writes to the console what the client does. */
  debug?: boolean;
  /** An event will not reach the service. */
  onDropped?: (event: DroppedEvent) => void;
  /** Something failed and will be tried again, or is worth a line in a log. */
  onProblem?: (problem: Problem) => void;
  /** Replaces parts of the place the client runs in, for React Native and tests. */
  platform?: Partial<Platform>;
}

export const DEFAULTS = {
  flagStream: true,
  // Well below the 30 minutes after which the service ends a silent session.
  syncIntervalMs: 30_000,
  // Of the 50 events that one request takes, so that those tracked meanwhile still fit.
  flushAt: 30,
  // Half of what a page may still send when it hides.
  flushAtBytes: 30_000,
  // A player's few hours offline, and little enough for a browser's quota and a phone's memory.
  maxQueued: 2_000,
  maxQueuedBytes: 2 * 1024 * 1024,
  // The service answers in milliseconds or says 503 after 10 seconds.
  timeoutMs: 15_000,
};

/**
 * What makes a client useless from the start, each with a text of its own: a fault of the program, so it throws. A page
 * may have the service behind a path of its own host.
 */
export function requireTexts({ baseUrl, key, player }: GameOptions): void {
  const fault = !isText(baseUrl)
    ? "baseUrl is missing: the service's address, such as https://analytics.example.com."
    : !/^https?:\/\/.|^\//.test(baseUrl)
      ? `baseUrl is no address: "${baseUrl}" does not begin with https:// or http://.`
      : !isText(key)
        ? 'key is missing: a client key of the game, pk_…'
        : key.startsWith('sk_')
          ? 'key is a server key: players could read and use it. Use a client key, pk_…'
          : !/^pk_[\w-]+$/.test(key)
            ? 'key is no client key: copy it whole; it begins with pk_.'
            : !isText(player)
              ? 'player is missing: your own id of the player, a text.'
              : NO_ID.test(player)
                ? `player is "${player}", which would be many people: start when the id is known.`
                : undefined;
  if (fault !== undefined) throw new TypeError(`createGame: ${fault}`);
}

/** What programs make of an id that they do not have. */
const NO_ID = /^\s*(undefined|null|nan|n\/a|\[object \w+\]|0{8}-(0{4}-){3}0{12})?\s*$/i;

/** A stored registration, if it names a player. */
export function textOfPlayer(
  registration: Readonly<Record<string, unknown>> = {},
): ({ external_id: string } & Record<string, unknown>) | undefined {
  const { external_id: id } = registration;
  return isText(id) ? { ...registration, external_id: id } : undefined;
}

/** What the requests at the start of a session carry. */
export function requestFields({ player, deviceId, attributes, device, flags }: GameOptions) {
  return {
    registration: {
      external_id: player,
      // JSON leaves out what is undefined.
      device_id: deviceId,
      attributes,
    },
    // A player that is known already is not registered again for nothing.
    registersAlways: deviceId !== undefined || attributes !== undefined,
    initFields: { device_info: device, requested_flags: flags },
  };
}
