import { type CommandBody, ledgerIdOf, type TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { IdempotencyClaim } from '../../../core/vocabulary/commands/idempotency-claim.ts';
import { ZONES } from './change-campaigns.ts';
import { FLAG_KEYS, naming } from './change-flags.ts';
import { createImports } from './import-operations.ts';
import { LISTED_SEGMENTS } from './definitions.ts';
import { LOADS } from '../model/players/model-lists.ts';
import { drawPurchase, drawRefund, drawSession } from './play-operations.ts';
import type { Random } from '../random.ts';
import { createGameClients } from './session-operations.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import { type ClientOutcome, isUnavailable, type Operation, type Send } from './operation.ts';

export interface Operations {
  next(): Operation;
  register(playerId: string): Operation;
  patch(playerId: string): Operation;
  read(playerId: string): Operation;
  /** A single evaluation. What it serves counts as an exposure. */
  evaluate(playerId: string): Operation;
  /** A single tracked event with its own id. */
  probe(playerId: string): Operation;
}

export interface OperationsOptions {
  random: Random;
  players: readonly string[];
  partitionOf: (entityId: string) => number;
}

const LEDGER = ledgerIdOf('key-1');
/** The gateway's findings for an event that violates an enforced schema. */
const BROKEN = { schemaVersion: 1, faults: [{ path: '/s', message: 'must be string' }] };
const COUNTRIES = ['NO', 'DE', 'JP'] as const;
const CALLERS = ['client', 'server'] as const;

/** Random operations on players and events. Every attempt has a unique stamp, which distinguishes it in the log. */
export function createOperations({ random, players, partitionOf }: OperationsOptions): Operations {
  const ofFlags = random.fork('flags');
  const ofTrials = random.fork('trials');
  /** In these lives a player stays in experiments long enough to see several of their changes. */
  const trialsShare = ofTrials.chance(0.5) ? 0.3 : 0;
  const ofPlay = random.fork('play');
  const ofSessions = random.fork('sessions');
  const gameClients = createGameClients(ofSessions);
  const ofErasures = random.fork('erasures');
  const ofQuarantine = random.fork('quarantine');
  const ofCampaigns = random.fork('campaigns');
  const ofTesters = random.fork('testers');
  const ofCallers = random.fork('callers');
  const ofImports = random.fork('imports');
  const importLines = createImports(ofImports, players, partitionOf);
  const ofLists = random.fork('lists');
  /** Ids of events that violated their schemas, by player. */
  const quarantined = new Map<string, string[]>();
  let stamps = 0;
  let keys = 0;
  const stamp = (): number => ++stamps;
  const claim = (share: number): IdempotencyClaim | undefined =>
    random.chance(share) ? { key: `key-${++keys}`, bodyHash: `hash-${keys}` } : undefined;
  const withClaim = (idempotency: IdempotencyClaim | undefined) => (idempotency === undefined ? {} : { idempotency });
  const other = (idempotency: IdempotencyClaim): IdempotencyClaim => ({ ...idempotency, bodyHash: 'another' });

  function keyed(
    playerId: string,
    idempotency: IdempotencyClaim | undefined,
    body: (idempotency: IdempotencyClaim | undefined) => CommandBody,
    safe = idempotency !== undefined,
  ): Operation {
    return {
      safe,
      run: (send) => send(playerId, body(idempotency)),
      ...(idempotency === undefined ? {} : { abuse: (send: Send) => send(playerId, body(other(idempotency))) }),
    };
  }

  function register(playerId: string): Operation {
    const fixed = {
      kind: 'RegisterPlayer',
      playerId,
      externalId: `ext-${playerId}`,
      createOnly: random.chance(0.1),
      byClientKey: random.chance(0.3),
      ...(random.chance(0.4) ? { email: `${random.int(1, 9)}@example.com` } : {}),
    } as const;
    const country = random.chance(0.3) ? { country: random.pick(COUNTRIES) } : {};
    return keyed(
      playerId,
      claim(0.3),
      (idempotency) => ({
        ...fixed,
        attributes: JSON.stringify({ s: stamp(), ...country }),
        ...withClaim(idempotency),
      }),
      true,
    );
  }

  function patch(playerId: string): Operation {
    const changes = random.chance(0.8);
    const field = { [`a${random.int(1, 3)}`]: random.chance(0.3) ? null : random.int(0, 9) };
    const timezone = ofCampaigns.chance(0.2) ? { timezone: ofCampaigns.pick([...ZONES.keys(), 'No/Zone', 7]) } : {};
    const email = random.chance(0.2) ? { email: random.chance(0.5) ? null : 'new@example.com' } : {};
    const marked = ofTesters.chance(0.1) ? { isTestPlayer: ofTesters.chance(0.7) } : {};
    return keyed(playerId, claim(0.3), (idempotency) => ({
      kind: 'PatchPlayer',
      playerId,
      ...email,
      ...marked,
      attributes: JSON.stringify(changes ? { s: stamp(), ...field, ...timezone } : {}),
      ...withClaim(idempotency),
    }));
  }

  /** The properties with which an event reports a flag that the player saw. */
  const sight = () => (ofFlags.chance(0.15) ? { flag_key: ofFlags.pick(FLAG_KEYS), ...naming(ofFlags) } : {});

  /** @param eventId the caller's own, or derived from a key; `undefined`: the gateway generates one */
  function item(playerId: string, index: number, eventId: string | undefined): TrackItem {
    const unique = stamp();
    const response = gameClients.response(playerId);
    const reported = response === undefined ? {} : { intervention_id: response.interventionId };
    const isBroken = ofQuarantine.chance(0.15);
    if (isBroken && eventId !== undefined) quarantined.set(playerId, [...(quarantined.get(playerId) ?? []), eventId]);
    return {
      index,
      playerId,
      eventId: eventId ?? `made-${unique}`,
      remember: eventId !== undefined,
      eventName: response?.eventName ?? `event_${random.int(1, 3)}`,
      properties: JSON.stringify({ s: unique, level: ofCampaigns.int(1, 3), ...reported, ...sight() }),
      sessionId: random.chance(0.2) ? 'session-1' : null,
      timestamp: 1_700_000_000_000 + unique,
      ...(isBroken ? { quarantine: BROKEN } : {}),
    };
  }

  function track(playerId: string): Operation {
    const idempotency = claim(0.3);
    const own = random.chance(0.4) ? `event-${stamp()}` : undefined;
    const eventId = own ?? (idempotency === undefined ? undefined : `${idempotency.key}/0`);
    return keyed(
      playerId,
      idempotency,
      (idempotency) => ({
        kind: 'TrackEvents',
        items: [item(playerId, 0, eventId)],
        ...withClaim(idempotency),
      }),
      eventId !== undefined,
    );
  }

  /**
   * A replay of a quarantined event, which a real replay reads from ClickHouse. Sometimes the event is unknown or was
   * released.
   */
  function release(playerId: string): Operation {
    const number = ofQuarantine.int(1, 6);
    const known = quarantined.get(playerId) ?? [];
    const eventId = known.length > 0 && ofQuarantine.chance(0.5) ? ofQuarantine.pick(known) : `released-${number}`;
    const sender = ofQuarantine.chance(0.3) ? {} : { by: ofQuarantine.pick(CALLERS) };
    const replayed = { eventId, remember: false, release: { number, quarantinedAt: 0, ...sender } };
    return keyed(
      playerId,
      undefined,
      () => ({ kind: 'TrackEvents', items: [{ ...sound(item(playerId, 0, undefined)), ...replayed }] }),
      true,
    );
  }

  /** Without an Idempotency-Key a retry may erase the player's next life. */
  function erase(playerId: string): Operation {
    const idempotency = ofErasures.chance(0.5) ? { key: `erase-${++keys}`, bodyHash: `hash-${keys}` } : undefined;
    return keyed(playerId, idempotency, (again) => ({ kind: 'ErasePlayer', playerId, ...withClaim(again) }));
  }

  /** As the batch endpoint does: it claims the key first, then sends each partition its part. */
  function batch(): Operation {
    const idempotency = claim(0.6);
    const wanted = Array.from({ length: random.int(2, 5) }, (_, index) => ({
      playerId: random.pick(players),
      index,
      eventId: random.chance(0.3) ? `event-${stamp()}` : idempotency && `${idempotency.key}/${index}`,
    }));
    async function run(send: Send, idempotency: IdempotencyClaim | undefined): Promise<ClientOutcome> {
      if (idempotency !== undefined) {
        const claimed = await send(LEDGER, { kind: 'ClaimIdempotencyKey', ledgerId: LEDGER, idempotency });
        if (claimed === 'lost' || claimed.kind === 'failure') return claimed;
      }
      const groups = new Map<number, TrackItem[]>();
      for (const { playerId, index, eventId } of wanted) {
        const partition = partitionOf(playerId);
        groups.set(partition, [...(groups.get(partition) ?? []), item(playerId, index, eventId)]);
      }
      const remembered = idempotency === undefined ? {} : { idempotency, ledgerId: LEDGER };
      const outcomes = await Promise.all(
        [...groups.values()].map((items) =>
          send(items[0]?.playerId ?? '', { kind: 'TrackEvents', items, ...remembered }),
        ),
      );
      return outcomes.find((reply) => isUnavailable(reply)) ?? outcomes[0] ?? 'lost';
    }
    return {
      safe: idempotency !== undefined,
      run: (send) => run(send, idempotency),
      ...(idempotency === undefined ? {} : { abuse: (send: Send) => run(send, other(idempotency)) }),
    };
  }

  /** Its id makes a retry safe, with or without an Idempotency-Key. */
  function recordSession(playerId: string): Operation {
    const session = drawSession(ofPlay, playerId);
    return keyed(playerId, claim(0.3), (idempotency) => ({ ...session(stamp()), ...withClaim(idempotency) }), true);
  }

  /** Without a transaction only an Idempotency-Key makes a retry safe. */
  function recordPurchase(playerId: string): Operation {
    const purchase = drawPurchase(ofPlay, playerId);
    const idempotency = claim(0.5);
    const safe = idempotency !== undefined || purchase(0).transactionId !== null;
    const operation = keyed(playerId, idempotency, (again) => ({ ...purchase(stamp()), ...withClaim(again) }), safe);
    const { transactionId } = purchase(0);
    if (transactionId === null || !ofPlay.chance(0.4)) return operation;
    // A refund, often of a part, that its purchase certainly precedes.
    const refund = drawRefund(ofPlay, playerId);
    return {
      ...operation,
      async run(send) {
        const outcome = await operation.run(send);
        if (outcome !== 'lost' && outcome.kind === 'purchaseRecorded') {
          await send(playerId, { ...refund(stamp()), transactionId });
        }
        return outcome;
      },
    };
  }

  /** Its id makes a retry safe. Without one, only an Idempotency-Key does. */
  function refundPurchase(playerId: string): Operation {
    const refund = drawRefund(ofPlay, playerId);
    const idempotency = claim(0.3);
    const safe = idempotency !== undefined || refund(0).refundId !== null;
    return keyed(playerId, idempotency, (again) => ({ ...refund(stamp()), ...withClaim(again) }), safe);
  }

  /** A call of a game client. Without an Idempotency-Key a retry would be a second call. */
  function call(playerId: string): Operation {
    const dice = ofSessions.next();
    const kind = dice < 0.3 || !gameClients.hasSession(playerId) ? 'init' : dice < 0.85 ? 'sync' : 'end';
    const made = gameClients[kind](playerId);
    const operation = keyed(playerId, claim(0.4), (idempotency) => ({ ...made(stamp()), ...withClaim(idempotency) }));
    return {
      ...operation,
      async run(send) {
        const outcome = await operation.run(send);
        gameClients.onReply(playerId, outcome);
        // A player who opened a session usually continues it.
        if (outcome !== 'lost' && outcome.kind === 'sessionOpened' && ofSessions.chance(0.5)) {
          gameClients.onReply(playerId, await send(playerId, gameClients.sync(playerId)(stamp())));
        }
        return outcome;
      },
    };
  }

  /** Players of one partition, in or out of a load of a segment that may have no list. One may be named twice. */
  function list(): Operation {
    const partition = partitionOf(ofLists.pick(players));
    const near = players.filter((id) => partitionOf(id) === partition);
    const playerIds = Array.from({ length: ofLists.int(1, 4) }, () => ofLists.pick(near));
    const active = LOADS[0];
    const body = {
      kind: 'ListPlayers',
      segmentId: ofLists.pick(LISTED_SEGMENTS),
      load: ofLists.chance(0.6) ? active : ofLists.pick(LOADS),
      active: ofLists.chance(0.8) ? active : ofLists.pick(LOADS),
      change: ofLists.chance(0.7) ? 'add' : 'remove',
      playerIds,
    } as const;
    return { safe: true, run: (send) => send(playerIds[0] ?? '', { ...body, playerIds: [...playerIds] }) };
  }

  const read = (playerId: string): Operation => {
    const environment = random.chance(0.05) ? 'test' : 'live';
    return { safe: true, run: (send) => send(playerId, { kind: 'GetPlayer', playerId }, environment) };
  };

  function override(playerId: string): Operation {
    const flagKey = ofFlags.pick(FLAG_KEYS);
    const value = ofFlags.chance(0.4) ? null : ofFlags.pick(['true', 'false', '"a"', '"b"', '"c"']);
    return keyed(
      playerId,
      claim(0.3),
      (idempotency) => ({ kind: 'OverrideFlag', playerId, flagKey, value, ...withClaim(idempotency) }),
      true,
    );
  }

  const evaluateFlags = (playerId: string, flagKeys: readonly string[] | 'all'): Operation => {
    const query = {
      kind: 'EvaluateFlags',
      playerId,
      flagKeys,
      context: '{}',
      exposes: flagKeys !== 'all',
      by: 'server',
    } as const;
    return { safe: true, run: (send) => send(playerId, query) };
  };
  const evaluate = (playerId: string): Operation => evaluateFlags(playerId, [ofFlags.pick(FLAG_KEYS)]);

  function draw(): Operation {
    if (ofImports.chance(0.05)) return importLines();
    if (ofErasures.chance(0.02)) return erase(ofErasures.pick(players));
    if (ofLists.chance(0.04)) return list();
    if (ofTrials.chance(trialsShare)) {
      const tried = ofTrials.pick(players.slice(0, 2));
      return ofTrials.chance(0.1) ? override(tried) : evaluate(tried);
    }
    const playerId = random.pick(players);
    if (ofQuarantine.chance(0.04)) return release(playerId);
    const dice = random.next();
    if (dice < 0.12) return register(playerId);
    if (dice < 0.24) return patch(playerId);
    if (dice < 0.41) return track(playerId);
    if (dice < 0.5) return batch();
    if (dice < 0.55) return recordSession(playerId);
    if (dice < 0.6) return ofPlay.chance(0.3) ? refundPurchase(playerId) : recordPurchase(playerId);
    if (dice < 0.64) return override(playerId);
    if (dice < 0.73) return evaluate(playerId);
    if (dice < 0.76) return evaluateFlags(playerId, 'all');
    if (dice >= 0.93) return read(playerId);
    // One player is more active than the others, so that its sessions follow each other.
    return call(ofSessions.chance(0.6) ? (players[0] ?? playerId) : playerId);
  }

  /**
   * Sets a client or a server key as caller, sometimes none (as in old records). A misuse comes from another kind of
   * caller.
   */
  function called(operation: Operation): Operation {
    const by = ofCallers.chance(0.1) ? undefined : ofCallers.pick(CALLERS);
    const other = by === 'client' ? 'server' : 'client';
    const byOther = ofCallers.chance(0.4);
    const run = (by: CallerKind | undefined, send: Send) => operation.run(as(by, send));
    const abuse = operation.abuse?.bind(operation);
    return {
      safe: operation.safe,
      run: (send) => run(by, send),
      ...(abuse === undefined ? {} : { abuse: (send: Send) => (byOther ? run(other, send) : abuse(as(by, send))) }),
    };
  }

  return {
    next: () => called(draw()),
    register,
    patch,
    read,
    evaluate,
    probe: (playerId) =>
      keyed(playerId, undefined, () => ({
        kind: 'TrackEvents',
        items: [sound(item(playerId, 0, `probe-${stamp()}`))],
      })),
  };
}

function as(by: CallerKind | undefined, send: Send): Send {
  return (entityId, body, environment) => send(entityId, body, environment, by);
}

/** The same event without the fields that make it invalid. */
function sound(item: TrackItem): TrackItem {
  const { quarantine: _, ...rest } = item;
  return rest;
}
