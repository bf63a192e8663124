import { hash } from 'node:crypto';
import { type Cancel, type Clock, nextTick } from '../../../../core/kernel/clock.ts';
import { failure, isFailure } from '../../../../core/kernel/errors.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { ledgerIdOf } from '../../../../core/vocabulary/commands/commands.ts';
import {
  type ExperimentDocument,
  type GuardrailAlert,
  isActive,
} from '../../../../core/vocabulary/documents/experiments.ts';
import type { Environment, Scope } from '../../../../core/vocabulary/documents/scope.ts';
import { IDEMPOTENCY_LIMITS } from '../../../../actors/idempotency/limits.ts';
import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import { gameAddress, zoneOf } from '../../../../streams/config/games.ts';
import { DEFAULT_WINDOW_DAYS } from '../../flags/results/experiment-period.ts';
import type { Services, WriteContext } from '../../route/request-context.ts';
import { experiments } from '../experiments.ts';
import { askedMetrics } from '../results/asked-metrics.ts';
import { guardrailStates } from '../results/guardrail-states.ts';
import { measurePhases } from '../results/measured-phases.ts';
import { actingMargin, guardrailText, isKnown } from './alerts.ts';
import { afterTrips, reasonOf, type Trip, tripsOf } from './tripped.ts';

/*
 * Looks at the guardrails of running experiments, and does what they say.
 *
 * Invariants
 * 1. It acts on the version of the experiment that it looked at. After a change meanwhile it looks again.
 * 2. A finding and its action are one write of the definition, once per guardrail and phase, and once more whenever a
 *    person has overridden it. What is found is reported until it is stored; the ledger of the game stores it once.
 * 3. Without an answer of ClickHouse nothing happens.
 * 4. Looks may be as many as they like: the verdicts hold at every look.
 */

export interface GuardrailKeeperOptions {
  config: Pick<ConfigStore, 'list' | 'get'>;
  services: Pick<Services, 'analytics' | 'metrics' | 'backend'>;
  clock: Clock;
  logger: Logger;
  everyMs: number;
  /** Whether this process looks now. */
  isHolder: () => boolean;
  /** The context of a write by the service; undefined: the game is gone. */
  contextOf: (scope: Scope, reason: string) => WriteContext | undefined;
}

export interface GuardrailKeeper {
  /** Looks at every experiment with guardrails. */
  pass(): Promise<void>;
  stop(): Promise<void>;
}

type Entry = ConfigEntry<'experiment'>;

/** Only the live environment has exposures. */
export const isWatched = ({ environment, document }: Entry): boolean =>
  environment === 'live' && isActive(document) && document.guardrails.length > 0;

/** Whether something found is not older than the ledger's memory of what was reported. */
export const hasRecent = ({ document: { alerts = [] } }: Entry, nowMs: number): boolean =>
  alerts.some((alert) => isRecent(alert, nowMs));

const isRecent = ({ at }: GuardrailAlert, nowMs: number): boolean =>
  nowMs - at < IDEMPOTENCY_LIMITS.idempotencyTtlMs / 2;

export function startGuardrailKeeper(options: GuardrailKeeperOptions): GuardrailKeeper {
  const { config, services, clock, logger, everyMs, isHolder, contextOf } = options;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel: Cancel = () => {};
  /** Reports of this process that are stored. */
  const reported = new Set<string>();

  async function pass(): Promise<void> {
    for (const { game, environment, key } of config.list('experiment').filter(isWatched)) {
      if (stopped || !isHolder()) return;
      // It may have changed during the looks before.
      const entry = config.get({ game, environment, kind: 'experiment', key });
      if (entry === undefined || !isWatched(entry)) continue;
      await lookAt(entry).catch((error: unknown) => {
        services.metrics.guardrailChecks.inc({ outcome: 'failed' });
        logger.error(
          { err: error, game, experiment: key },
          'guardrails could not be checked; the next look tries again',
        );
      });
      // A look at all the others may take long.
      const now = config.get({ game, environment, kind: 'experiment', key });
      if (now !== undefined) await report(now);
    }
    for (const entry of config.list('experiment')) {
      if (!stopped && isHolder()) await report(entry);
    }
  }

  async function lookAt({ game, document }: Entry): Promise<void> {
    if (document.guardrails.every((guardrail) => isKnown(document, guardrail))) return;
    const asked = askedMetrics(document);
    const scope = { game, environment: 'live', zone: zoneOf(config.get(gameAddress(game))?.document) } as const;
    const days = { windowDays: DEFAULT_WINDOW_DAYS, minExposureAgeDays: 0, withoutDays: true } as const;
    const period = { scope, ...days, nowMs: clock.wallMs() };
    const measured = await measurePhases(services.analytics, document, asked.metrics, period);
    const outcome = measured.kind === 'unavailable' ? 'unavailable' : 'judged';
    services.metrics.guardrailChecks.inc({ outcome });
    if (measured.kind === 'unavailable') {
      logger.warn({ game, experiment: document.key }, 'guardrails were not checked: ClickHouse gave no answer');
      return;
    }
    const trips = tripsOf(document, guardrailStates(document, measured.value, asked, actingMargin));
    if (trips.length > 0) await act({ game, environment: 'live' }, document, trips);
  }

  async function act(scope: Scope, { key, version }: ExperimentDocument, trips: readonly Trip[]): Promise<void> {
    const reason = reasonOf(trips);
    const context = contextOf(scope, reason);
    if (context === undefined) return;
    const written = await experiments.change({ id: key, basis: {} }, context, (held) =>
      held.version === version ? afterTrips(held, trips, clock.wallMs()) : failure('CONFLICT'),
    );
    if (isFailure(written)) {
      logger.warn({ game: scope.game, experiment: key, code: written.code, reason }, 'a guardrail could not act yet');
      return;
    }
    for (const { action } of trips) services.metrics.guardrailTrips.inc({ action });
    const { state } = written.entry.document;
    logger.warn({ game: scope.game, experiment: key, state, reason }, 'a guardrail found a variant harmful');
  }

  /** Reports what was found lately; what is known to be reported is not repeated. */
  async function report({ game, environment, document }: Entry): Promise<void> {
    const nowMs = clock.wallMs();
    if (environment === '_') return;
    for (const alert of document.alerts ?? []) {
      const digest = digestOf({ game, environment }, document, alert);
      if (!isRecent(alert, nowMs) || reported.has(digest)) continue;
      const { at: _, overridden: __, metric, ...found } = alert;
      const { key: experiment, flagKey } = document;
      const ledgerId = ledgerIdOf(`guardrails:${game}/${environment}`);
      const reply = await services.backend.send({ game, environment, receivedAt: nowMs, by: 'server' }, ledgerId, {
        kind: 'ReportGuardrail',
        ledgerId,
        found: { ...found, experiment, flagKey, metric: JSON.stringify(metric) },
        idempotency: { key: digest, bodyHash: digest },
      });
      if (reply.kind !== 'failure') reported.add(digest);
      else logger.warn({ game, experiment, code: reply.code }, 'a finding of a guardrail could not be reported yet');
    }
  }

  function run(): void {
    running = (isHolder() ? pass() : Promise.resolve())
      .catch((error: unknown) => logger.error({ err: error }, 'guardrails could not be checked'))
      .then(() => {
        if (!stopped) cancel = nextTick(clock, everyMs, run);
      });
  }
  cancel = nextTick(clock, everyMs, run);

  return {
    pass,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** Names a finding. The key of an experiment that started is never used again. */
function digestOf(
  { game, environment }: { game: string; environment: Environment },
  { key }: ExperimentDocument,
  alert: GuardrailAlert,
): string {
  const found = JSON.stringify([game, environment, key, alert.phase, guardrailText(alert), alert.at]);
  return hash('sha256', found, 'hex').slice(0, 32);
}
