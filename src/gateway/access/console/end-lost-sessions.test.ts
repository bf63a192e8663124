import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../access/api-key.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createMemoryConfigStore } from '../../../../test/support/in-memory/memory-config-store.ts';
import { newUser, userAddress, withToken } from '../../../../streams/config/people/users.ts';
import { systemIds } from '../../../../core/kernel/ids.ts';
import { GATEWAY_LIMITS } from '../../limits.ts';
import { SIGN_IN_LIMITS } from '../../../api/console/sign-in/limits.ts';
import { createStreamRegistry } from '../../sse/stream-registry.ts';
import { createConsoleSessions } from './console-session.ts';
import { endLostSessions } from './end-lost-sessions.ts';

const KEY: ApiKey = {
  id: 'a key',
  kind: 'server',
  game: 'demo',
  environment: 'live',
  tier: 'growth',
  limitPerMinute: null,
  scopes: new Set(),
  requiresPlayerToken: false,
  tenant: 'demo',
  namespace: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
};

async function openStreams(lifeMs: number) {
  const clock = createFakeClock();
  const config = createMemoryConfigStore();
  const registry = createStreamRegistry();
  const stop = endLostSessions({
    config,
    sessions: createConsoleSessions(config, clock),
    registries: [registry],
    clock,
  });
  const grants = [{ game: 'demo', environment: 'live', role: 'viewer' }] as const;
  const signedIn = withToken(newUser('ann@example.com', grants, clock, systemIds), 'session', lifeMs, clock, systemIds);
  const { user } = signedIn;
  await config.put(userAddress(user.id), user, 0);
  const ended: string[] = [];
  const [session] = user.sessions;
  if (session === undefined) throw new Error('the user has no session');
  const ofUser = { ...KEY, id: user.id, user: { email: user.email, role: 'viewer', session: session.hash } } as const;
  registry.add(ofUser, undefined, () => ended.push('user'));
  registry.add(KEY, undefined, () => ended.push('key'));
  return { clock, config, user, ended, stop };
}

describe('a stream of a person', () => {
  it('ends when the session expires, though nobody changes the user', async () => {
    const { clock, ended, stop } = await openStreams(2 * GATEWAY_LIMITS.sessionLookMs);
    await clock.advance(2 * GATEWAY_LIMITS.sessionLookMs - 1);
    expect(ended).toEqual([]);
    await clock.advance(GATEWAY_LIMITS.sessionLookMs);
    expect(ended).toEqual(['user']);
    stop();
  });

  it('ends at once when the role is taken', async () => {
    const { config, user, ended, stop } = await openStreams(SIGN_IN_LIMITS.userSessionMs);
    await config.put(userAddress(user.id), { ...user, grants: [] }, config.get(userAddress(user.id))?.revision ?? 0);
    expect(ended).toEqual(['user']);
    stop();
  });
});
