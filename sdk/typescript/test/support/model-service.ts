import type { FetchAnswer, FetchRequest } from '../../src/platform.ts';

/* A model of the service's endpoints for game clients, in memory, with faults on demand. */

export interface StoredEvent {
  event_id: string;
  event_name: string;
  timestamp: string;
  session_id: string | undefined;
  player_id: string;
  properties?: unknown;
}

/** What happens to a request. `lost`: it takes effect, and its answer is cut. */
export type Fault =
  | 'ok'
  | 'cut'
  | 'lost'
  | 'hang'
  | 'garbage'
  | 'portal'
  | { status: number; headers?: Record<string, string>; code?: string; details?: unknown };

export interface Received {
  method: string;
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  keepalive: boolean;
}

export interface ModelService {
  fetch(url: string, request: FetchRequest): Promise<FetchAnswer>;
  /** Faults of the next requests, in order; afterwards all is well. */
  faults: Fault[];
  /** Decides for each request before `faults` does. */
  onRequest?: (received: Received) => Fault | undefined;
  /** Changes the data of an answer, to make it one to another request. */
  onAnswer?: (path: string, data: Record<string, unknown>) => Record<string, unknown>;
  received: Received[];
  events: StoredEvent[];
  attributes: Record<string, unknown>;
  flags: Record<string, { enabled: boolean; variant?: string; value?: unknown; reason?: string; period?: number }>;
  interventions: unknown[];
  /** Of every answer. */
  ignoredFields?: string;
  sessions: Map<string, 'open' | 'ended' | 'expired'>;
  recorded: Record<string, unknown>[];
  /** Names of events that are refused. */
  refuses: Set<string>;
  players: Set<string>;
  /** Requests with more bytes get 413. */
  mostBytes: number;
  serverMs: () => number;
  paths(): string[];
}

/** As the service: one id for each external_id. */
function playerIdOf(externalId: string): string {
  const name =
    externalId === 'ann' ? '0d6f0e9c2b11' : Buffer.from(externalId).toString('hex').padStart(12, '0').slice(-12);
  return `6f0f5a3e-8d7b-5c39-9a43-${name}`;
}

export function modelService(serverMs: () => number): ModelService {
  const answers = new Map<string, { body: string; data: Record<string, unknown> }>();
  const shown = new Map<string, string>();
  let opened = 0;

  const service: ModelService = {
    faults: [],
    received: [],
    events: [],
    attributes: {},
    flags: {
      new_shop: { enabled: true, variant: 'b', value: 'blue', reason: 'percentage_rollout', period: 1 },
      double_xp: { enabled: false, value: false, reason: 'default', period: 2 },
    },
    interventions: [],
    sessions: new Map(),
    recorded: [],
    refuses: new Set(),
    players: new Set(),
    mostBytes: 1_048_576,
    serverMs,
    paths: () => service.received.map(({ path }) => path.replace(/^\/v1\/(bff\/game\/|players\/|events\/)/, '')),
    async fetch(url, { method, headers, body, keepalive, signal }) {
      const path = new URL(url).pathname;
      const received = { method, path, body: JSON.parse(body), headers, keepalive };
      service.received.push(received);
      const fault = service.onRequest?.(received) ?? service.faults.shift() ?? 'ok';
      if (signal.aborted) throw new Error('aborted');
      if (fault === 'cut') throw new TypeError('fetch failed');
      if (fault === 'hang') return new Promise(() => {});
      if (fault === 'garbage') return answer(200, '{"success":true,"data":{"hello":1');
      if (fault === 'portal') return answer(200, '<html>Log in to the Wi-Fi</html>');
      if (typeof fault === 'object') {
        const { status, headers = {}, code = 'SERVICE_UNAVAILABLE', details = {} } = fault;
        return answer(status, JSON.stringify({ success: false, error: { code, message: 'No.', details } }), headers);
      }
      const result = body.length > service.mostBytes ? refusal(413, 'PAYLOAD_TOO_LARGE') : handle(received, body);
      if (fault === 'lost') throw new TypeError('terminated');
      return result;
    },
  };

  function answer(status: number, text: string, headers: Record<string, string> = {}): FetchAnswer {
    const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return {
      status,
      headers: { get: (name) => all.get(name.toLowerCase()) ?? null },
      text: () => Promise.resolve(text),
    };
  }

  function refusal(status: number, code: string, details: unknown = {}): FetchAnswer {
    return answer(status, JSON.stringify({ success: false, error: { code, message: `${code}.`, details } }));
  }

  function handle({ path, body, headers }: Received, text: string): FetchAnswer {
    const key = headers['Idempotency-Key'];
    const earlier = key === undefined ? undefined : answers.get(key);
    if (earlier !== undefined) {
      return earlier.body === text ? success(path, earlier.data, true) : refusal(409, 'CONFLICT');
    }
    const data = dataFor(path, body);
    if ('status' in data && typeof data['status'] === 'number')
      return refusal(data['status'], String(data['code']), data);
    if (key !== undefined) answers.set(key, { body: text, data });
    return success(path, data, false);
  }

  function success(path: string, data: Record<string, unknown>, replayed: boolean): FetchAnswer {
    const changed = service.onAnswer?.(path, data) ?? data;
    const headers: Record<string, string> = {
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
      ...(service.ignoredFields !== undefined && { 'X-Ignored-Fields': service.ignoredFields }),
    };
    return answer(200, JSON.stringify({ success: true, data: changed }), headers);
  }

  function dataFor(path: string, body: Record<string, unknown>): Record<string, unknown> {
    const playerId = String(body['player_id']);
    const isKnown = service.players.has(playerId);
    const session = String(body['session_id']);
    const isOpen = service.sessions.get(session) === 'open';
    switch (path) {
      case '/v1/players/players':
        service.players.add(playerIdOf(String(body['external_id'])));
        return { id: playerIdOf(String(body['external_id'])), external_id: body['external_id'] };
      case '/v1/bff/game/init': {
        if (!isKnown) return { status: 404, code: 'PLAYER_NOT_FOUND' };
        opened += 1;
        service.sessions.set(`ses_${opened}`, 'open');
        for (const [flag, value] of Object.entries(service.flags)) shown.set(flag, JSON.stringify(value));
        return {
          player: { player_id: playerId, external_id: 'p', properties: {} },
          session_id: `ses_${opened}`,
          flags: service.flags,
          segments: ['regulars'],
          server_time: new Date(serverMs()).toISOString(),
          unknown_flags: [],
        };
      }
      case '/v1/bff/game/sync': {
        if (!isKnown) return { status: 404, code: 'PLAYER_NOT_FOUND' };
        if (!isOpen) return { status: 404, code: 'SESSION_NOT_FOUND' };
        const tracked = track(list(body['events']), playerId, session);
        Object.assign(service.attributes, body['state_updates']);
        const changed = Object.entries(service.flags).filter(
          ([flag, value]) => shown.get(flag) !== JSON.stringify(value),
        );
        for (const [flag, value] of changed) shown.set(flag, JSON.stringify(value));
        return {
          ...tracked,
          interventions: service.interventions.splice(0),
          updated_flags: Object.fromEntries(changed),
        };
      }
      case '/v1/bff/game/end-session': {
        if (!isOpen) return { status: 404, code: 'SESSION_NOT_FOUND' };
        const { rejected } = track(list(body['final_events']), playerId, session);
        service.sessions.set(session, 'ended');
        return { session_summary: { session_id: session }, rejected };
      }
      case '/v1/events/events/batch': {
        const events = list(body['events']);
        const results = events.map((event, index) => {
          const { rejected, events_accepted: accepted } = track([event], event.player_id, event.session_id);
          const status = rejected.length > 0 ? 'rejected' : accepted === 1 ? 'accepted' : 'duplicate';
          return { ...rejected[0], index, event_id: event.event_id, status };
        });
        const isRefused = results.every(({ status }) => status === 'rejected');
        return isRefused ? { status: 400, code: 'VALIDATION_ERROR', results } : { accepted: 1, results };
      }
      default:
        service.recorded.push(body);
        return { session_id: body['session_id'] };
    }
  }

  function track(events: readonly StoredEvent[], playerId: string, session: string | undefined) {
    const rejected: { index: number; error: { code: string; message: string } }[] = [];
    let accepted = 0;
    const indexed = events.map((event, index) => ({ event, index }));
    for (const { event, index } of indexed.sort(
      (a, b) => Date.parse(a.event.timestamp) - Date.parse(b.event.timestamp),
    )) {
      if (service.refuses.has(event.event_name)) {
        rejected.push({ index, error: { code: 'VALIDATION_ERROR', message: 'Refused.' } });
      } else if (!service.events.some(({ event_id: id }) => id === event.event_id)) {
        service.events.push({ ...event, player_id: playerId, session_id: session });
        accepted += 1;
      }
    }
    return { events_accepted: accepted, rejected };
  }

  return service;
}

function list(value: unknown): StoredEvent[] {
  return Array.isArray(value) ? value : [];
}
