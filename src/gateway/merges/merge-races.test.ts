import { beforeEach, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createDecidingBackend, type DecidingBackend } from '../../../test/support/in-memory/deciding-backend.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { Backend } from '../../api/route/backend.ts';
import { createGatewayMerges, type GatewayMerges } from './merges.ts';

/* Requests about one player that come between the steps of others. */

const GUEST = '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const SECOND = '22222222-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const ACCOUNT = '33333333-6f0b-5f8e-9d2c-0d1e2f3a4b5c';

let clock: FakeClock;
let owner: DecidingBackend;
let merges: GatewayMerges;
/** Called before each command that the gateway sends. */
let onSend: (body: CommandBody) => Promise<unknown> | undefined;

const origin = () => ({
  game: 'demo',
  environment: 'live' as const,
  receivedAt: clock.wallMs(),
  by: 'server' as const,
});
const merge = (guestId: string) => merges.merge(origin(), { guestId, accountId: ACCOUNT, byClientKey: false });
const idOf = async (playerId: string) => {
  const reply = await merges.backend.query(origin(), playerId, { kind: 'GetPlayer', playerId });
  return reply.kind === 'player' ? reply.player.id : reply.kind === 'failure' ? reply.code : reply.kind;
};

beforeEach(async () => {
  clock = createFakeClock();
  owner = createDecidingBackend(clock);
  onSend = () => undefined;
  const owners: Backend = {
    ...owner,
    async send(by, entityId, body) {
      await onSend(body);
      return owner.send(by, entityId, body);
    },
  };
  const log = createMemoryBroker({ clock }).connect('gateway');
  merges = createGatewayMerges({ owners, log, clock, ids: systemIds, logger: silentLogger });
  for (const playerId of [GUEST, SECOND, ACCOUNT]) {
    const body = {
      kind: 'RegisterPlayer',
      playerId,
      externalId: playerId,
      createOnly: false,
      byClientKey: false,
    } as const;
    await owner.send(origin(), playerId, body);
  }
});

/** Does something once, before a command of this kind. */
function before(kind: CommandBody['kind'], act: () => Promise<unknown>): void {
  onSend = (body) => {
    if (body.kind !== kind || ('alias' in body && body.alias)) return undefined;
    onSend = () => undefined;
    return act();
  };
}

it('an erasure fails when a guest joins the account meanwhile, and its repeat erases that one too', async () => {
  await merge(GUEST);
  before('ErasePlayer', () => merge(SECOND));
  const erase = () => merges.backend.send(origin(), ACCOUNT, { kind: 'ErasePlayer', playerId: ACCOUNT });
  expect(await erase()).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
  expect(await erase()).toMatchObject({ kind: 'erased', playerId: ACCOUNT });
  for (const id of [GUEST, SECOND, ACCOUNT]) expect(owner.state(id)?.kind).toBe('erased');
});

it('an account that is erased during a merge absorbs nothing: the guest is a player again', async () => {
  before('AbsorbPlayer', () => merges.backend.send(origin(), ACCOUNT, { kind: 'ErasePlayer', playerId: ACCOUNT }));
  expect(await merge(GUEST)).toMatchObject({ kind: 'failure', code: 'PLAYER_NOT_FOUND' });
  expect(await idOf(GUEST)).toBe(GUEST);
  expect(await merges.intents.find(GUEST)).toBeUndefined();
});

it('an account that was merged itself during a merge hands the guest to its own account', async () => {
  before('AbsorbPlayer', () => merges.merge(origin(), { guestId: ACCOUNT, accountId: SECOND, byClientKey: false }));
  expect(await merge(GUEST)).toMatchObject({ kind: 'merged', guestId: GUEST, accountId: SECOND });
  expect(await Promise.all([GUEST, ACCOUNT, SECOND].map(idOf))).toEqual([SECOND, SECOND, SECOND]);
});

it('taking a merge back that lost its account meanwhile keeps the merge', async () => {
  await merge(GUEST);
  before('ReleaseGuest', () => merges.merge(origin(), { guestId: ACCOUNT, accountId: SECOND, byClientKey: false }));
  expect(await merges.takeBack(origin(), GUEST)).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  expect(await idOf(GUEST)).toBe(SECOND);
});

it('a late intent takes no later merge back', async () => {
  await merge(GUEST);
  before('FinishUnmerge', async () => {
    const stored = await merges.intents.find(GUEST);
    expect(stored?.intent.does).toBe('take back');
    late = stored;
  });
  let late: Awaited<ReturnType<GatewayMerges['intents']['find']>>;
  expect((await merges.takeBack(origin(), GUEST)).kind).toBe('taken back');
  await merge(GUEST);
  if (late === undefined) throw new Error('no intent was stored');
  expect(await merges.resume(late)).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  expect(await idOf(GUEST)).toBe(ACCOUNT);
});
