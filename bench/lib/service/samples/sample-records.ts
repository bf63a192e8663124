import { aCommand } from '../../../../actors/testing-players.ts';
import type { Command } from '../../../../core/vocabulary/commands/commands.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import { sampleEvent } from '../../load/traffic/workload.ts';
import type { CommitRecord } from '../../../../core/vocabulary/facts/commit-record.ts';
import { NEW_CONTEXT } from '../../../../core/vocabulary/facts/event-context.ts';
import type { EventTracked } from '../../../../core/vocabulary/facts/event-tracked.ts';

const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const RECEIVED_AT = Date.UTC(2026, 0, 15, 10, 30);

function playerId(turn: number): string {
  return uuidv5(NAMESPACE, `player-${turn}`);
}

/** One request of a game client as the gateway passes it on: a command with one event. */
export function sampleCommand(turn: number): Command {
  const event = sampleEvent(playerId(turn), turn);
  const item = {
    index: 0,
    playerId: event.player_id,
    eventId: uuidv5(NAMESPACE, `event-${turn}`),
    remember: false,
    eventName: event.event_name,
    properties: JSON.stringify(event.properties),
    sessionId: null,
    timestamp: RECEIVED_AT + turn,
  };
  const envelope = {
    requestId: turn.toString(36),
    replyTo: '3f9c1a2b7d4e-5a6b7c8d',
    receivedAt: RECEIVED_AT + turn,
    deadlineAt: RECEIVED_AT + turn + 5_000,
    configRevision: 42,
  };
  return aCommand({ kind: 'TrackEvents', items: [item] }, envelope);
}

/** The fact that such a command results in. */
function sampleFact(turn: number): EventTracked {
  const event = sampleEvent(playerId(turn), turn);
  return {
    kind: 'EventTracked',
    game: 'demo',
    environment: 'live',
    entityId: event.player_id,
    at: RECEIVED_AT + turn,
    eventId: uuidv5(NAMESPACE, `event-${turn}`),
    remember: false,
    eventName: event.event_name,
    properties: JSON.stringify(event.properties),
    sessionId: null,
    timestamp: RECEIVED_AT + turn,
    externalId: `player-${turn}`,
    ...NEW_CONTEXT,
    lifecycleStage: 'active',
    isPayer: turn % 20 === 0,
    country: 'SE',
    platform: turn % 2 === 0 ? 'ios' : 'android',
    appVersion: `2.${turn % 5}.0`,
    build: String(20_400 + (turn % 10)),
  };
}

/** One commit of an owner with that many facts. */
export function sampleCommit(facts: number): CommitRecord {
  return {
    partition: 0,
    epoch: 1,
    owner: '3f9c1a2b7d4e-5a6b7c8d',
    committedAt: RECEIVED_AT,
    position: { stream: '2026-01-15T10:00:00Z', sequence: 77, index: facts - 1, publishedAtMs: RECEIVED_AT },
    configRevision: 42,
    facts: Array.from({ length: facts }, (_, turn) => sampleFact(turn)),
  };
}
