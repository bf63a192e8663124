import type { Static } from 'typebox';
import { flagFaults } from '../../../actors/flags/check/flag-faults.ts';
import { CYCLE, prerequisiteFaults } from '../../../actors/flags/check/prerequisite-faults.ts';
import { withPeriods } from '../../../actors/flags/periods.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { computedFaults } from '../definitions/computed-quota.ts';
import { heldByExperiment } from '../experiments/rivals.ts';
import type { RequestContext } from '../route/request-context.ts';
import { invalid } from '../route/route.ts';
import { segmentLookup, withSegmentIds } from '../segments/segment-lookup.ts';
import { contentOf, emptyContent, type FlagContent, formFaults } from './flag-content.ts';
import type { FlagPatch } from './flag-resource.ts';

/* What edits make of flags, and why an edit cannot be. */

/** The flag with this key in the caller's game and environment; undefined if there is none or it is archived. */
export function findFlag(
  key: string,
  { key: { game, environment }, services }: RequestContext,
): FlagDocument | undefined {
  const document = services.config.get({ game, environment, kind: 'flag', key })?.document;
  return document?.archivedAt === null ? document : undefined;
}

/** The edited flag, or why it cannot be. @param kept the content of what the body leaves out */
export function flagChangedBy(
  held: FlagDocument,
  body: Static<typeof FlagPatch>,
  kept: FlagContent,
  context: RequestContext,
  archivedAt = held.archivedAt,
): FlagDocument | Failure {
  if (body.key !== undefined && body.key !== held.key) return fixed('/key');
  if (body.flag_type !== undefined && body.flag_type !== held.flagType) return fixed('/flag_type');
  const malformed = formFaults(body);
  if (malformed.length > 0) return invalid(malformed);
  const content = contentIn(body, kept, emptyContent(held.key, held.flagType), context);
  const { defaultServe: _serve, bucketBy: _by, endsAt: _ends, ...rest } = held;
  const document = withPeriods(held, { ...rest, ...content, archivedAt }, context.origin.receivedAt);
  return faultsOf(document, context, held) ?? heldByExperiment(document, context) ?? document;
}

/** The flag that a service-made edit makes, or why it cannot be. */
export function flagEditedTo(held: FlagDocument, next: FlagDocument, context: RequestContext): FlagDocument | Failure {
  const document = withPeriods(held, next, context.origin.receivedAt);
  return faultsOf(document, context, held) ?? document;
}

/** What a body sets, with segments by their ids in conditions. */
export function contentIn(
  body: Static<typeof FlagPatch>,
  kept: FlagContent,
  empty: FlagContent,
  context: RequestContext,
): FlagContent {
  const content = contentOf(body, kept, empty);
  const rules = content.rules.map((rule) =>
    rule.conditions === undefined ? rule : { ...rule, conditions: withSegmentIds(rule.conditions, context) },
  );
  return { ...content, rules };
}

/**
 * The faults of a flag that its schema cannot express. Write marks and periods do not count towards its size.
 * @param held the current flag, whose faults the changed one may keep
 */
export function faultsOf(document: FlagDocument, context: RequestContext, held?: FlagDocument): Failure | undefined {
  const faults = flagFaults(
    bare(document),
    { ...segmentLookup(context), flag: (other) => findFlag(other, context) },
    held && bare(held),
  );
  if (faults.length > 0) return invalid(faults);
  const conditions = document.rules.map((rule) => rule.conditions ?? null);
  const computed = computedFaults({ kind: 'flag', key: document.key, conditions }, '/targeting_rules', context);
  return computed.length === 0 ? undefined : invalid(computed);
}

/** What a flag must not be beside definitions that were written at the same time. */
export function conflictOf(document: FlagDocument, context: RequestContext): Failure | undefined {
  return cycleOf(document, context) ?? heldByExperiment(document, context);
}

/** Two concurrent edits may each be free of a cycle, and make one together. */
export function cycleOf(document: FlagDocument, context: RequestContext): Failure | undefined {
  const faults = prerequisiteFaults(document, (other) => findFlag(other, context));
  return faults.some(({ message }) => message.endsWith(CYCLE)) ? invalid(faults) : undefined;
}

/** A flag without the fields that the service maintains. */
function bare(document: FlagDocument): FlagDocument {
  return { ...document, writes: [], periods: [] };
}

const fixed = (path: string): Failure => invalid([{ path, message: 'cannot be changed; create another flag instead' }]);
