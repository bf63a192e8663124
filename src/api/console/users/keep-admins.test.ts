import { expect, it } from 'vitest';
import type { Grant, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import { newUser, userAddress } from '../../../../streams/config/people/users.ts';
import { createMemoryConfigStore } from '../../../../test/support/in-memory/memory-config-store.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { systemIds } from '../../../../core/kernel/ids.ts';
import { changeWithAdmins, removeWithAdmins } from './keep-admins.ts';

const ADMIN: Grant = { game: 'demo', environment: '*', role: 'admin' };

/** Two admins. Another process takes the role of the second one just before the first write, or deletion, is stored. */
async function racing() {
  const config = createMemoryConfigStore();
  const [one, other] = ['one', 'other'].map((name) => newUser(`${name}@example.com`, [ADMIN], systemClock, systemIds));
  if (one === undefined || other === undefined) throw new Error('two users were made');
  for (const user of [one, other]) await config.put(userAddress(user.id), user);
  let raced = false;
  const race = async (): Promise<void> => {
    if (raced) return;
    raced = true;
    await config.put(userAddress(other.id), { ...other, grants: [] });
  };
  const late: ConfigStore = {
    ...config,
    get revision() {
      return config.revision;
    },
    async put(address, document, revision) {
      await race();
      return config.put(address, document, revision);
    },
    async delete(address, revision) {
      await race();
      return config.delete(address, revision);
    },
  };
  return { late, id: one.id, stored: (): UserDocument | undefined => config.get(userAddress(one.id))?.document };
}

it('a role that was taken while the other admin lost its own is given back', async () => {
  const { late, id, stored } = await racing();
  const taken = await changeWithAdmins(late, id, (user) => ({
    kind: 'changed',
    user: { ...user, grants: [] },
    value: null,
  }));
  expect(taken).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  expect(stored()?.grants).toEqual([ADMIN]);
});

it('a user that was removed while the other admin lost its role is there again', async () => {
  const { late, id, stored } = await racing();
  expect(await removeWithAdmins(late, id, () => undefined)).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  expect(stored()).toMatchObject({ grants: [ADMIN], sessions: [] });
});

it('the roles of the others are read once for each state, however many games a user is an admin of', async () => {
  const config = createMemoryConfigStore();
  const grants = Array.from({ length: 50 }, (_, n): Grant => ({ ...ADMIN, game: `game-${n}` }));
  const user = newUser('many@example.com', grants, systemClock, systemIds);
  let reads = 0;
  const other: UserDocument = {
    ...newUser('other@example.com', [], systemClock, systemIds),
    get grants() {
      reads += 1;
      return [];
    },
  };
  for (const each of [user, other]) await config.put(userAddress(each.id), each);
  await changeWithAdmins(config, user.id, () => ({ kind: 'changed', user, value: null }));
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(20);
});
