import type { Readiness } from '../api/route/request-context.ts';

/**
 * The checks behind `/readyz`, by name. A process is ready while all required checks pass. The other checks report a
 * state that operators must know although the process can serve requests: `/readyz?verbose` shows them with details.
 */
export interface Check {
  readonly name: string;
  /** Whether the process is not ready while the check fails. */
  readonly required: boolean;
  /** Reads the state now. Synchronous and cheap: load balancers ask often. */
  readonly read: () => CheckResult;
}

interface CheckResult {
  ok: boolean;
  /** What the verbose form shows beside the result; JSON values. Every request from the network may read it. */
  info?: Readonly<Record<string, unknown>>;
}

export function createReadiness(checks: readonly Check[]): () => Readiness {
  return () => {
    const details = checks.map(({ name, required, read }) => ({ name, required, ...read() }));
    return {
      ready: details.every(({ ok, required }) => ok || !required),
      checks: Object.fromEntries(details.map(({ name, ok }) => [name, ok])),
      details,
    };
  };
}
