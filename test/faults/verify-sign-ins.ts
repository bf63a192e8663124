import { scanFacts } from './verify-facts.ts';
import type { SignedIn } from './clients/sign-ins.ts';

export interface SignInVerdict {
  lost: number;
  doubled: number;
  /** Players whose state differs between a replay of FACTS and what they did. */
  differing: readonly string[];
}

/** Compares what players did on their devices with a replay of all facts. */
export async function verifySignIns(natsUrl: string, players: readonly SignedIn[]): Promise<SignInVerdict> {
  const { events, states } = await scanFacts(natsUrl);
  const counts = new Map<string, number>();
  for (const { fact } of events) counts.set(fact.eventId, (counts.get(fact.eventId) ?? 0) + 1);
  let lost = 0;
  let doubled = 0;
  const differing: string[] = [];
  for (const { externalId, id, guests, eventIds, revenue } of players) {
    for (const eventId of eventIds) {
      const count = counts.get(eventId) ?? 0;
      if (count === 0) lost += 1;
      if (count > 1) doubled += 1;
    }
    const state = states.get(id);
    const isPlayer = state?.kind === 'player' && state.totalRevenue === revenue * 10_000;
    const played = state?.kind === 'player' ? state.counters.find(({ name }) => name === 'played') : undefined;
    const counted = played?.counts.reduce((sum, count) => sum + count, 0);
    const areMerged = guests.every((guest) => {
      const held = states.get(guest);
      return held?.kind === 'merged' && held.into.playerId === id && held.stage === 'moved';
    });
    if (!isPlayer || !areMerged || (counted !== undefined && counted !== eventIds.length)) differing.push(externalId);
  }
  return { lost, doubled, differing };
}
