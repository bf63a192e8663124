import type { FactsByKind } from '../../../actors/kinds.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { World } from '../world.ts';

/** Something that counts for a player. */
export interface Deed {
  /** Its id, and for a purchase that of its transaction: it counts once for a player. */
  name: string;
  kind: 'event' | 'session' | 'playtime' | 'purchase';
  amount: number;
}

/**
 * Whose deeds count for whom, by the documented rules alone: a merge gives the guest's deeds of that moment to the
 * account, and taking it back gives them back. It reads no state of the service.
 *
 * Invariants
 * 1. A merged player decides nothing.
 * 2. An account absorbs a guest once by a merge, and never after it has released it.
 * 3. A guest is a player again only when no account has its deeds.
 * 4. A variant that a player or one of its guests was exposed to is recorded no second time.
 */
export interface Attributed {
  take(fact: DomainFact): void;
  /** The deeds of a player; undefined: it is merged, or not registered. */
  deedsOf(playerId: string): readonly Deed[] | undefined;
  players(): readonly string[];
  /** Sessions that were opened, and how often each was closed. */
  sessions(): ReadonlyMap<string, number>;
  /** Whether any merge was taken back. */
  readonly hasReleased: boolean;
}

interface Player {
  deeds: Set<Deed>;
  /** By variant, from how many players it is: its own and its guests'. */
  exposures: Map<string, number>;
}

interface Merge {
  guestId: string;
  deeds: ReadonlySet<Deed>;
  exposures: ReadonlyMap<string, number>;
  absorbed: boolean;
  released: boolean;
}

export function createAttributed(world: World): Attributed {
  const players = new Map<string, Player>();
  const merges = new Map<string, Merge>();
  const sessions = new Map<string, number>();
  let hasReleased = false;

  const wrong = (invariant: string, fact: DomainFact, why: string): void =>
    world.violate(invariant, `${fact.kind} of ${fact.entityId}: ${why}`);

  function add(fact: DomainFact, deed: Deed): void {
    const player = players.get(fact.entityId);
    if (player === undefined) wrong('merged-decides-nothing', fact, 'it is merged or unknown');
    else player.deeds.add(deed);
  }

  function mergeOf(fact: DomainFact & { mergeId: string }): Merge {
    const found = merges.get(fact.mergeId);
    if (found !== undefined) return found;
    wrong('merge-begins-first', fact, `the merge ${fact.mergeId} has not begun`);
    return { guestId: '', deeds: new Set(), exposures: new Map(), absorbed: false, released: false };
  }

  function isAgain(fact: DomainFact & { mergeId: string }): void {
    const merge = mergeOf(fact);
    if (merge.absorbed) wrong('counts-once', fact, 'its account has its deeds');
    // Its account never absorbs it later: a late command would double it.
    merge.released = true;
    players.set(fact.entityId, { deeds: new Set(merge.deeds), exposures: new Map(merge.exposures) });
  }

  function expose(fact: FactsByKind['FlagExposed']): void {
    const name = JSON.stringify([fact.flagKey, fact.period, fact.variantKey]);
    const player = players.get(fact.entityId);
    if (player === undefined) wrong('merged-decides-nothing', fact, 'it is merged or unknown');
    else if (player.exposures.has(name)) wrong('exposed-once', fact, name);
    else player.exposures.set(name, 1);
  }

  function begin(fact: FactsByKind['PlayerMerged']): void {
    const { entityId: guestId, mergeId } = fact;
    const player = players.get(guestId);
    if (player === undefined || merges.has(mergeId)) wrong('merges-once', fact, mergeId);
    const { deeds = new Set<Deed>(), exposures = new Map<string, number>() } = player ?? {};
    merges.set(mergeId, { guestId, deeds, exposures, absorbed: false, released: false });
    players.delete(guestId);
  }

  function absorb(fact: FactsByKind['PlayerAbsorbed']): void {
    const merge = mergeOf(fact);
    const account = players.get(fact.entityId);
    if (merge.absorbed || merge.released) wrong('counts-once', fact, `again by ${fact.mergeId}`);
    if (account === undefined) return wrong('merged-decides-nothing', fact, 'the account is merged or unknown');
    merge.absorbed = true;
    for (const deed of merge.deeds) account.deeds.add(deed);
    for (const name of merge.exposures.keys()) account.exposures.set(name, (account.exposures.get(name) ?? 0) + 1);
  }

  function release(fact: FactsByKind['GuestReleased']): void {
    const merge = mergeOf(fact);
    const account = players.get(fact.entityId);
    hasReleased = true;
    if (merge.absorbed !== fact.guest.length > 0) wrong('released-as-absorbed', fact, fact.mergeId);
    const wasAbsorbed = merge.absorbed;
    merge.released = true;
    merge.absorbed = false;
    if (!wasAbsorbed || account === undefined) return;
    for (const deed of merge.deeds) account.deeds.delete(deed);
    for (const name of merge.exposures.keys()) {
      const left = (account.exposures.get(name) ?? 1) - 1;
      if (left === 0) account.exposures.delete(name);
      else account.exposures.set(name, left);
    }
  }

  const handlers: { readonly [K in DomainFact['kind']]?: (fact: FactsByKind[K]) => void } = {
    PlayerRegistered: ({ entityId }) => void players.set(entityId, { deeds: new Set(), exposures: new Map() }),
    EventTracked: (fact) => fact.by !== 'service' && add(fact, { kind: 'event', name: fact.eventId, amount: 1 }),
    SessionOpened(fact) {
      sessions.set(fact.sessionId, 0);
      add(fact, { kind: 'session', name: fact.sessionId, amount: 1 });
    },
    SessionRecorded(fact) {
      add(fact, { kind: 'session', name: fact.sessionId, amount: 1 });
      add(fact, { kind: 'playtime', name: fact.sessionId, amount: fact.durationSeconds });
    },
    SessionClosed(fact) {
      sessions.set(fact.sessionId, (sessions.get(fact.sessionId) ?? 0) + 1);
      add(fact, { kind: 'playtime', name: fact.sessionId, amount: fact.durationSeconds });
    },
    PurchaseRecorded: (fact) =>
      add(fact, { kind: 'purchase', name: fact.transactionId ?? fact.kind, amount: fact.amount }),
    FlagExposed: expose,
    PlayerMerged: begin,
    PlayerAbsorbed: absorb,
    GuestReleased: release,
    PlayerUnmerged: isAgain,
    MergeCancelled: isAgain,
  };
  const takeKind = <K extends DomainFact['kind']>(kind: K, fact: FactsByKind[K]): void => handlers[kind]?.(fact);
  const take = (fact: DomainFact): void => takeKind(fact.kind, fact);

  return {
    take,
    deedsOf: (playerId) => {
      const player = players.get(playerId);
      return player === undefined ? undefined : [...player.deeds];
    },
    players: () => [...players.keys()],
    sessions: () => sessions,
    get hasReleased() {
      return hasReleased;
    },
  };
}
