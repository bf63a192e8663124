import type { EndSession, InitSession, SyncSession, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import { FLAG_KEYS, naming } from './change-flags.ts';
import type { Attempted } from './play-operations.ts';
import type { Random } from '../random.ts';
import type { ClientOutcome } from './operation.ts';

/** How long sessions stay open: usually so short that they expire during the run. */
const TTLS_MS = [1_500, 5_000, 1_800_000];

/** The operations of game clients, and the sessions that their replies named. */
export interface GameClients {
  init(playerId: string): Attempted<InitSession>;
  sync(playerId: string): Attempted<SyncSession>;
  end(playerId: string): Attempted<EndSession>;
  /** Whether a reply has named a session of the player. */
  hasSession(playerId: string): boolean;
  /** Records a reply, so that later calls name its session. */
  onReply(playerId: string, reply: ClientOutcome): void;
  /** What an event of the player reports about an intervention; `undefined`: nothing. */
  response(playerId: string): Response | undefined;
}

export interface Response {
  eventName: 'intervention_shown' | 'intervention_clicked' | 'intervention_dismissed';
  interventionId: string;
}

export function createGameClients(random: Random): GameClients {
  const sessions = new Map<string, string[]>();
  const ofCampaigns = random.fork('campaigns');
  /** Interventions that syncs delivered, by player. */
  const interventions = new Map<string, string[]>();

  /** Usually the latest one, sometimes one that has expired or never existed. */
  function pickSession(playerId: string): string {
    const known = sessions.get(playerId) ?? [];
    if (known.length === 0 || random.chance(0.05)) return 'ses_unheard-of';
    return random.chance(0.6) ? (known.at(-1) ?? '') : random.pick(known);
  }

  /** Usually the player's latest one, sometimes another player's, or one that does not exist. */
  function response(playerId: string): Response | undefined {
    const known = interventions.get(playerId);
    if (!ofCampaigns.chance(known === undefined ? 0.02 : 0.4)) return undefined;
    const others = [...interventions.values()].flat();
    const isOwn = known !== undefined && ofCampaigns.chance(0.95);
    const interventionId = isOwn
      ? ofCampaigns.chance(0.7)
        ? (known.at(-1) ?? '')
        : ofCampaigns.pick(known)
      : ofCampaigns.pick(['int_unheard-of', ...others]);
    if (ofCampaigns.chance(0.6)) return { eventName: 'intervention_shown', interventionId };
    // Every fourth is dismissed, by its id.
    const isDismissed = /[0-3]$/.test(interventionId);
    return { eventName: isDismissed ? 'intervention_dismissed' : 'intervention_clicked', interventionId };
  }

  function drawEvents(playerId: string): Attempted<Omit<TrackItem, 'playerId' | 'sessionId'>[]> {
    const drawn = Array.from({ length: random.int(0, 3) }, () => ({
      unlocks: random.chance(0.3) ? random.pick(['first', 'second']) : undefined,
      flagKey: random.chance(0.15) ? random.pick(FLAG_KEYS) : undefined,
      named: naming(random),
      agoMs: random.int(0, 5_000),
      turn: random.int(1, 3),
      ownId: random.chance(0.3) ? `played-${random.int(1, 20)}` : undefined,
      level: ofCampaigns.int(1, 3),
      response: response(playerId),
    }));
    return (stamp) =>
      drawn.map(({ unlocks, flagKey, named, agoMs, turn, ownId, level, response }, index) => ({
        index,
        eventId: ownId ?? `made-${stamp}-${index}`,
        remember: ownId !== undefined,
        eventName: response?.eventName ?? (unlocks === undefined ? `event_${turn}` : 'achievement_unlocked'),
        properties: JSON.stringify({
          s: `${stamp}-${index}`,
          level,
          ...(response === undefined ? {} : { intervention_id: response.interventionId }),
          ...(unlocks === undefined ? {} : { achievement_id: unlocks }),
          ...(flagKey === undefined ? {} : { flag_key: flagKey, ...named }),
        }),
        timestamp: 1_700_000_000_000 - agoMs,
      }));
  }

  const itemsOf = (
    playerId: string,
    sessionId: string,
    events: ReturnType<ReturnType<typeof drawEvents>>,
  ): TrackItem[] =>
    events.map(({ index, eventId, remember, eventName, properties, timestamp }) => ({
      index,
      playerId,
      eventId,
      remember,
      eventName,
      properties,
      sessionId,
      timestamp,
    }));

  return {
    init(playerId) {
      const platform = random.pick(['ios', 'android']);
      const device = random.chance(0.5)
        ? {
            platform,
            osVersion: null,
            appVersion: `${random.int(1, 3)}.0`,
            build: `${random.int(100, 102)}`,
            deviceModel: null,
          }
        : null;
      const flagKeys = random.chance(0.5) ? null : [random.pick(FLAG_KEYS), random.pick(FLAG_KEYS), 'no-flag'];
      const ttlMs = random.pick(TTLS_MS);
      return (stamp) => ({ kind: 'InitSession', playerId, sessionId: `ses_${stamp}`, device, flagKeys, ttlMs });
    },
    sync(playerId) {
      const sessionId = pickSession(playerId);
      const events = drawEvents(playerId);
      const changes = random.chance(0.4) ? { [`a${random.int(1, 3)}`]: random.int(0, 9) } : undefined;
      return (stamp) => ({
        kind: 'SyncSession',
        playerId,
        sessionId,
        events: itemsOf(playerId, sessionId, events(stamp)),
        stateUpdates: changes === undefined ? null : JSON.stringify({ s: stamp, ...changes }),
      });
    },
    end(playerId) {
      const sessionId = pickSession(playerId);
      const events = drawEvents(playerId);
      const durationSeconds = random.int(0, 5);
      return (stamp) => ({
        kind: 'EndSession',
        playerId,
        sessionId,
        durationSeconds,
        events: itemsOf(playerId, sessionId, events(stamp)),
      });
    },
    response,
    hasSession: (playerId) => sessions.has(playerId),
    onReply(playerId, reply) {
      if (reply === 'lost') return;
      if (reply.kind === 'sessionSynced' && reply.interventions.length > 0) {
        const delivered = reply.interventions.map(({ interventionId }) => interventionId);
        interventions.set(playerId, [...(interventions.get(playerId) ?? []), ...delivered]);
      }
      if (reply.kind !== 'sessionOpened') return;
      sessions.set(playerId, [...(sessions.get(playerId) ?? []), reply.sessionId]);
    },
  };
}
