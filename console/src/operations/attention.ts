import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../frame/api.ts';
import { labelOf, lagOf, LATE_SECONDS, seconds } from '../overview/outputs.ts';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import type { OpsStatus } from './ops-status.ts';

/* What needs attention: the overview and the operations show the same list. */

const texts = TEXTS.overview;

export type Freshness = AnswerOf<'GET /v1/ops/freshness'>;
export type Checks = NonNullable<AnswerOf<'GET /readyz'>['details']>;
type Webhooks = AnswerOf<'GET /v1/integrations/webhooks'>['webhooks'];

/** Something that a person should look at now. */
export interface Concern {
  key: string;
  text: string;
  /** What it is about, as people know it; empty: the deployment. */
  subject: string;
  /** The screen of what it is about, below the game. */
  path?: string;
  /** The entry of the runbook, for those who run the deployment. */
  runbook?: string;
}

/** Checks of a process that no finding names. */
const ONLY_CHECKS: readonly string[] = ['owners', 'storage'];

/**
 * Everything that is read to know what needs attention. Admins get the findings of the deployment; others what they
 * may read: checks, lags and webhooks that are off.
 */
export function useAttention(refreshMs: number) {
  const { scope, isAdmin } = usePlace();
  const { game, environment } = scope;
  const refetchInterval = refreshMs;
  const ready = useQuery({
    queryKey: ['readyz'],
    queryFn: ({ signal }) => call(undefined, 'GET /readyz', { query: { verbose: 'true' }, signal }),
    refetchInterval,
  });
  const freshness = useQuery({
    queryKey: ['freshness', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/ops/freshness', { signal }),
    refetchInterval,
    placeholderData: keepPreviousData,
  });
  const status = useQuery({
    queryKey: ['ops', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/ops/status', { signal }),
    refetchInterval,
    placeholderData: keepPreviousData,
    enabled: isAdmin,
  });
  const webhooks = useQuery({
    queryKey: ['webhooks', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhooks', { query: { limit: 500 }, signal }),
  });
  const known = webhooks.data?.webhooks ?? [];
  const checks = ready.data?.details ?? [];
  const concerns = isAdmin
    ? status.data && [...findingsAsConcerns(status.data, known), ...failing(checks, ONLY_CHECKS)]
    : ready.data && freshness.data && othersConcerns(checks, freshness.data, known);
  return { ready, freshness, status, concerns };
}

function findingsAsConcerns({ findings }: OpsStatus, webhooks: Webhooks): Concern[] {
  return findings.map(({ runbook, subject, message }) => {
    const key = `${runbook} ${subject}`;
    const webhook = webhooks.find(({ webhook_id: id }) => id === subject);
    if (webhook === undefined) return { key, text: message, subject, runbook };
    const { name, url, webhook_id: id } = webhook;
    return { key, text: message, subject: `${name} (${url})`, path: `webhooks/${id}`, runbook };
  });
}

function failing(checks: Checks, names?: readonly string[]): Concern[] {
  return checks
    .filter(({ name, ok }) => !ok && names?.includes(name) !== false)
    .map(({ name }) => ({ key: `check ${name}`, text: texts.failing(labelOf(name)), subject: '' }));
}

function othersConcerns(checks: Checks, freshness: Freshness, webhooks: Webhooks): Concern[] {
  const late = freshness.outputs.flatMap((output) => {
    const lag = lagOf(output, freshness);
    const name = labelOf(output.output);
    return lag === null || lag <= LATE_SECONDS
      ? []
      : [{ key: `late ${name}`, text: texts.late(name, seconds(lag)), subject: '' }];
  });
  const off = webhooks.flatMap(({ name, url, webhook_id: id, disabled }) =>
    disabled === undefined
      ? []
      : [
          {
            key: `off ${id}`,
            text: texts.webhookOff(name, texts.reasons[disabled.reason]),
            subject: `${name} (${url})`,
            path: `webhooks/${id}`,
          },
        ],
  );
  const noRows = freshness.game === null ? [{ key: 'rows', text: texts.noClickhouse, subject: '' }] : [];
  return [...failing(checks), ...late, ...noRows, ...off];
}
