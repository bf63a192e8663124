import type { LifeStepKind } from './life-plan.ts';
import { times } from '../figures/statistics.ts';
import { sampleEvent } from '../load/traffic/workload.ts';

/** Where each step of a life goes. */
export const LIFE_PATHS: Readonly<Record<LifeStepKind, string>> = {
  init: '/v1/bff/game/init',
  sync: '/v1/bff/game/sync',
  end: '/v1/bff/game/end-session',
};

/** Events in a request of each kind. */
export const LIFE_EVENTS: Readonly<Record<LifeStepKind, number>> = { init: 0, sync: 20, end: 1 };

/** A request of a life; `sessionId` is empty in an init. */
export interface LifeRequest {
  kind: LifeStepKind;
  playerId: string;
  sessionId: string;
  /** Changes from request to request of one player. */
  turn: number;
  /** When it is made, in milliseconds since the epoch. */
  wallMs: number;
}

/** Different lists of events and devices; more would only cost memory. */
const VARIANTS = 97;
/** Between two events of a sync. */
const EVENT_SPACING_MS = 250;
/** The play time that the client sends; the service caps it by the time since init. */
const DURATION_SECONDS = 40;

/** Makes the bodies of a game client's requests, as JSON in ASCII. */
export function createLifeBodies(): (request: LifeRequest) => string {
  const eventLists = times(VARIANTS, (variant) => times(LIFE_EVENTS.sync, (index) => eventText(variant * 31 + index)));
  const devices = times(VARIANTS, (variant) => JSON.stringify(deviceOf(variant)));
  const finalEvents = JSON.stringify([
    { event_name: 'session_closed', properties: { reason: 'menu', battery: 61, network: 'wifi' } },
  ]);

  function syncBody({ playerId, sessionId, turn, wallMs }: LifeRequest): string {
    const events = (eventLists[turn % VARIANTS] ?? []).map((rest, index) => {
      const atMs = wallMs - (LIFE_EVENTS.sync - index) * EVENT_SPACING_MS;
      return `{"timestamp":"${new Date(atMs).toISOString()}",${rest}`;
    });
    const state = `{"coins":${(turn * 7919) % 100_000},"last_mode":"${turn % 2 === 0 ? 'ranked' : 'casual'}"}`;
    return `{${who(playerId, sessionId)},"events":[${events.join(',')}],"state_updates":${state}}`;
  }

  return (request) => {
    const { kind, playerId, sessionId, turn } = request;
    switch (kind) {
      case 'init':
        return `{"player_id":"${playerId}","device_info":${devices[turn % VARIANTS] ?? '{}'}}`;
      case 'sync':
        return syncBody(request);
      case 'end':
        return `{${who(playerId, sessionId)},"session_duration_seconds":${DURATION_SECONDS},"final_events":${finalEvents}}`;
    }
  };
}

function who(playerId: string, sessionId: string): string {
  return `"player_id":"${playerId}","session_id":"${sessionId}"`;
}

/** An event without its opening brace: the timestamp is put before it. */
function eventText(turn: number): string {
  const { event_name, properties } = sampleEvent('', turn);
  return JSON.stringify({ event_name, properties }).slice(1);
}

function deviceOf(variant: number): Record<string, string> {
  const isAndroid = variant % 3 === 0;
  return {
    platform: isAndroid ? 'android' : 'ios',
    os_version: isAndroid ? `1${variant % 5}.0` : `17.${variant % 7}`,
    app_version: `2.${variant % 10}.0`,
    device_model: isAndroid ? `Pixel ${5 + (variant % 4)}` : `iPhone1${variant % 6},${1 + (variant % 3)}`,
  };
}
