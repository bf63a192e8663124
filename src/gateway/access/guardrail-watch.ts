import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { hasRecent, isWatched, startGuardrailKeeper } from '../../api/experiments/guardrails/guardrail-keeper.ts';
import type { WriteContext } from '../../api/route/request-context.ts';
import { keepWithLease, type KeeperOptions, type Kept } from './keeper-lease.ts';

/* The guardrails of experiments, watched by one of the gateways: the holder of a lease. It writes as the service. */

const LEASE_KEY = 'guardrails';

export interface GuardrailWatchOptions extends KeeperOptions {
  everyMs: number;
}

/** @returns the function that stops it, and leaves the guardrails to another process */
export function startGuardrailWatch(options: GuardrailWatchOptions): () => Promise<void> {
  const { clock } = options;
  const kept: Kept<'experiment'> = {
    key: LEASE_KEY,
    kind: 'experiment',
    needs: (entry) => isWatched(entry) || hasRecent(entry, clock.wallMs()),
  };
  return keepWithLease(kept, options, (isHolder) =>
    startGuardrailKeeper({ ...options, isHolder, contextOf: (scope, reason) => contextOf(scope, reason, options) }),
  );
}

/** The context of a write that waits for no second person: it turns something off. */
function contextOf(
  { game, environment }: Scope,
  reason: string,
  { config, services, audited, clock }: GuardrailWatchOptions,
): WriteContext | undefined {
  const held = config.get(gameAddress(game))?.document;
  if (held === undefined) return undefined;
  const { tenant, namespace } = held;
  return {
    services,
    key: {
      id: LEASE_KEY,
      kind: 'server',
      tier: 'growth',
      scopes: new Set(),
      game,
      environment,
      limitPerMinute: null,
      requiresPlayerToken: false,
      tenant,
      namespace,
    },
    player: undefined,
    origin: { game, environment, receivedAt: clock.wallMs(), by: 'server' },
    idempotency: undefined,
    faults: [],
    body: undefined,
    ignored: [],
    audited: undefined,
    propose: undefined,
    perform: undefined,
    writes: audited.writesAs({ actor: { kind: 'service', id: LEASE_KEY, name: '' }, network: '', reason }),
  };
}
