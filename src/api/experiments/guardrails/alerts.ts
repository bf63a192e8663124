import type {
  ExperimentDocument,
  Guardrail,
  GuardrailAlert,
} from '../../../../core/vocabulary/documents/experiments.ts';

/* What guardrails found so far, and what a person made of it. */

/** Identifies a guardrail of an experiment: one with another margin or action found nothing yet. */
export const guardrailText = ({ metric, worse, margin, action }: Guardrail): string =>
  JSON.stringify([metric, worse, margin, action]);

/** What a guardrail found in the current phase, the latest. */
export function foundNow(
  { alerts = [], phases }: ExperimentDocument,
  guardrail: Guardrail,
): GuardrailAlert | undefined {
  const phase = phases.at(-1)?.phase ?? 0;
  const text = guardrailText(guardrail);
  return alerts.findLast((one) => one.phase === phase && guardrailText(one) === text);
}

/** A resumed experiment: who resumes it takes over what guardrails found in the current phase. */
export function overridden(resumed: ExperimentDocument, at: number, by: string): ExperimentDocument {
  const { alerts, phases } = resumed;
  if (alerts === undefined) return resumed;
  const phase = phases.at(-1)?.phase;
  return {
    ...resumed,
    alerts: alerts.map((alert) =>
      alert.phase === phase && alert.overridden === undefined ? { ...alert, overridden: { at, by } } : alert,
    ),
  };
}

/** The loss that a guardrail accepts after it was overridden: what it had found. null: that was no figure. */
export function tolerated({ margin }: Guardrail, { lift }: GuardrailAlert): number | null {
  return lift === null ? null : Math.max(margin, Math.abs(lift));
}

/** Whether what a guardrail found in the current phase stands, so that it finds nothing more: it was not overridden. */
export function isKnown(experiment: ExperimentDocument, guardrail: Guardrail): boolean {
  const found = foundNow(experiment, guardrail);
  return found !== undefined && (found.overridden === undefined || tolerated(guardrail, found) === null);
}

/**
 * The margin by which a guardrail acts: its own, or what was accepted. The confidence sequence holds for every margin
 * at once, so that another one costs no error rate.
 */
export function actingMargin(experiment: ExperimentDocument, guardrail: Guardrail): number {
  const found = foundNow(experiment, guardrail);
  return (found && tolerated(guardrail, found)) ?? guardrail.margin;
}
