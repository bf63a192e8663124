import { isDeepStrictEqual } from 'node:util';
import type { Answered, Call, Caller } from './caller.ts';
import type { Random } from '../random.ts';

/*
 * Players who play as a guest on two devices and sign in on each: events before, during and after both merges, some
 * sent again under another of the player's ids, and a purchase on each device.
 */

/** What one player did, as its devices know it. */
export interface SignedIn {
  externalId: string;
  id: string;
  guests: readonly string[];
  /** Ids of the events that were acknowledged. */
  eventIds: readonly string[];
  revenue: number;
}

export interface SignInsOptions {
  caller: Caller;
  random: Random;
  /** Unique in the run. */
  name: string;
  players: number;
  /** Players that sign in at the same time. */
  atOnce: number;
  onViolation: (what: string) => void;
  onDone: (player: SignedIn) => void;
}

const PLAYERS = '/v1/players/players';

export async function signIn(options: SignInsOptions): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < options.players) {
      next += 1;
      await signInOne(`${options.name}-${next}`, options);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, one));
}

async function signInOne(externalId: string, { caller, random, onViolation, onDone }: SignInsOptions): Promise<void> {
  const eventIds: string[] = [];
  let revenue = 0;
  let sent = 0;

  async function must(call: Call, statuses: readonly number[] = [200, 201]): Promise<Answered> {
    const answered = await caller.call(call);
    if (answered === undefined) throw new Error(`never answered: ${call.method} ${call.path}`);
    if (!statuses.includes(answered.status)) {
      onViolation(`${call.method} ${call.path} ${JSON.stringify(call.body)} → ${answered.status} ${answered.text}`);
    }
    return answered;
  }

  const register = async (name: string, key: 'client' | 'server'): Promise<string> =>
    String((await must({ method: 'POST', path: PLAYERS, key, body: { external_id: name } })).data['id']);

  const send = (playerId: string, eventId: string): Promise<Answered> =>
    must({
      method: 'POST',
      path: '/v1/events/events',
      key: 'client',
      body: { player_id: playerId, event_name: 'played', event_id: eventId },
    });

  async function play(playerId: string, count: number, own: string[]): Promise<void> {
    for (let n = 0; n < count; n++) {
      const eventId = `${externalId}-e${(sent += 1)}`;
      await send(playerId, eventId);
      own.push(eventId);
    }
  }

  async function buy(playerId: string, device: number): Promise<void> {
    const amount = random.between(1, 9);
    const path = `${PLAYERS}/${playerId}/purchase?amount=${amount}&transaction_id=${externalId}-t${device}`;
    await must({ method: 'POST', path, key: 'client' });
    revenue += amount;
  }

  async function device(number: number, accountOf: () => Promise<string>): Promise<string> {
    /** A device sends again what it does not know to be stored, under the id that it has then. */
    const own: string[] = [];
    const guest = await register(`${externalId}-guest-${number}`, 'client');
    await play(guest, 2, own);
    await buy(guest, number);
    const account = await accountOf();
    const merge = {
      method: 'POST',
      path: `${PLAYERS}/${guest}/merge`,
      key: 'server',
      body: { into: account },
    } as const;
    await Promise.all([must(merge), play(guest, 1, own), random.chance(0.3) ? must(merge) : undefined]);
    await play(guest, 1, own);
    await play(account, 1, own);
    for (const playerId of [account, guest]) await send(playerId, random.pick(own));
    eventIds.push(...own);
    return guest;
  }

  let account: Promise<string> | undefined;
  const accountOf = (): Promise<string> => (account ??= register(externalId, 'server'));
  const guests = await Promise.all([device(1, accountOf), device(2, accountOf)]);
  const id = await accountOf();
  for (const name of [id, ...guests]) {
    const { data } = await must({ method: 'GET', path: `${PLAYERS}/${name}`, key: 'server' });
    if (data['id'] !== id || data['total_revenue'] !== revenue) {
      onViolation(`${name} of ${externalId} is ${JSON.stringify(data)}; its revenue should be ${revenue}`);
    }
    const merged = Array.isArray(data['merged_players']) ? data['merged_players'].map((one) => String(one.id)) : [];
    if (!isDeepStrictEqual(new Set(merged), new Set(guests))) onViolation(`${externalId} has other guests`);
  }
  onDone({ externalId, id, guests, eventIds, revenue });
}
