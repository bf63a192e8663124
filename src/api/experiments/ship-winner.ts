import { afterAction } from '../../../actors/experiments/life.ts';
import { shippedFlag, unshippedFlag, withoutRemains } from '../../../actors/experiments/ship.ts';
import { failure, type Failure, isFailure, isTemporary } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { effectiveVersion } from '../../../core/vocabulary/labels.ts';
import { repeated, type Written } from '../definitions/definition-writes.ts';
import { findFlag, flagEditedTo } from '../flags/flag-edits.ts';
import { editFlag, findStoredFlag } from '../flags/flags.ts';
import { type IfMatch, staleFor } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { invalid } from '../route/route.ts';
import { experiments } from './experiments.ts';
import { impossibleNow } from './life-routes.ts';

/*
 * Ships the winner of an experiment, and takes it back: two writes, one of the flag and one of the experiment.
 *
 * Invariants
 * 1. After a crash between the writes, a repeat of the request makes the second one: the flag says whose winner it
 *    serves. To ship, the flag is first; to take back, the experiment.
 * 2. If the second write is refused, the first is put back; what people changed meanwhile stays.
 */

export interface Shipped {
  kind: 'shipped';
  written: Written<'experiment'>;
  flag: FlagDocument;
  /** The flag before; undefined: this request did not change it. */
  before: FlagDocument | undefined;
}

export async function ship(
  key: string,
  variant: string,
  headers: IfMatch,
  context: WriteContext,
): Promise<Shipped | Failure> {
  const entry = experiments.find(key, context);
  if (entry === undefined) return experiments.missing();
  const { document: held } = entry;
  const earlier = repeated(entry, context) ?? (isShipped(held, variant) ? asItIs(entry) : undefined);
  if (earlier !== undefined) return isFailure(earlier) ? earlier : shipped(earlier, undefined, context);
  const stale = staleFor(headers, held.version);
  if (stale !== undefined) return stale;
  const refused = refusedShip(held, variant, context);
  if (refused !== undefined) return refused;
  const before = findFlag(held.flagKey, context);
  const edit = (flag: FlagDocument) =>
    isServing(flag, key) ? ALREADY : shippedFlag(withoutInterrupted(flag, context), held, variant);
  const flag = isServing(before, key) ? undefined : await editFlag(held.flagKey, context, edit);
  if (flag !== undefined && isFailure(flag)) return flag;
  const at = context.origin.receivedAt;
  const flagVersion = (flag?.entry.document ?? before)?.shippedBy?.version ?? 0;
  const written = await experiments.change(
    { id: key, basis: headers },
    context,
    (current) => {
      // Looked at before, too: players would lose their variants while a write that is put back is in effect.
      const changed = isServing(findFlag(held.flagKey, context), key) ? undefined : CHANGED_MEANWHILE;
      return (
        impossibleNow(current, 'ship') ??
        changed ?? { ...afterAction(current, 'ship', at), winner: variant, shipping: { flagVersion, at } }
      );
    },
    // Another request may have taken it back meanwhile, or a person changed the flag.
    ({ flagKey }) => (isServing(findFlag(flagKey, context), key) ? undefined : CHANGED_MEANWHILE),
  );
  if (!isFailure(written)) return shipped(written, flag === undefined ? undefined : before, context);
  if (flag !== undefined && !isTemporary(written.code)) {
    // Unless another request shipped the experiment with this flag.
    const isOpen = () => experiments.find(key, context)?.document.state !== 'shipped';
    if (isOpen()) {
      await editFlag(held.flagKey, unmarked(context), (now) => (isOpen() ? withoutRemains(now, key) : ALREADY));
    }
  }
  return written;
}

/** The flag as shipping would make it, beside the flag as it is. */
export function previewShip(
  key: string,
  variant: string,
  context: RequestContext,
): { kind: 'previewed'; flag: FlagDocument; before: FlagDocument } | Failure {
  const held = experiments.find(key, context)?.document;
  if (held === undefined) return experiments.missing();
  const before = findFlag(held.flagKey, context);
  const refused = refusedShip(held, variant, context);
  if (refused !== undefined || before === undefined) return refused ?? NO_FLAG;
  const next = shippedFlag(withoutInterrupted(before, context), held, variant);
  const flag = flagEditedTo(before, next, context);
  if (isFailure(flag)) return flag;
  return { kind: 'previewed', flag: { ...flag, version: before.version + 1 }, before };
}

export async function undo(key: string, headers: IfMatch, context: WriteContext): Promise<Shipped | Failure> {
  const entry = experiments.find(key, context);
  if (entry === undefined) return experiments.missing();
  const { document: held } = entry;
  const before = findFlag(held.flagKey, context);
  const isMarked = before?.shippedBy?.experiment === key;
  const earlier = repeated(entry, context);
  if (earlier !== undefined && isFailure(earlier)) return earlier;
  if (earlier !== undefined && !(isMarked && held.state !== 'shipped')) return shipped(earlier, undefined, context);
  // Without a crash only a shipped one has its mark in the flag.
  const impossible = isMarked ? undefined : impossibleNow(held, 'undo');
  const stale = earlier === undefined ? staleFor(headers, held.version) : undefined;
  const refused = impossible ?? stale ?? changedSince(held, before);
  if (refused !== undefined) return refused;
  const stopped =
    held.state === 'shipped'
      ? await experiments.change(
          { id: key, basis: headers },
          context,
          (current) => impossibleNow(current, 'undo') ?? afterAction(current, 'undo', context.origin.receivedAt),
        )
      : asItIs(entry);
  if (isFailure(stopped)) return stopped;
  const flag = await takeBack(held, context);
  if (!isFailure(flag)) return shipped(stopped, before, context);
  if (held.state === 'shipped' && !isTemporary(flag.code)) await putBack(held, context);
  return flag;
}

const isShipped = ({ state, winner }: ExperimentDocument, variant: string): boolean =>
  state === 'shipped' && winner === variant;

/** Whether nothing changed for players since the flag serves the winner. */
const isServing = (flag: FlagDocument | undefined, experiment: string): boolean =>
  flag !== undefined && unshippedFlag(flag, experiment) !== undefined;

const asItIs = (entry: Written<'experiment'>['entry']): Written<'experiment'> => ({
  kind: 'written',
  entry,
  replayed: false,
});

function shipped(written: Written<'experiment'>, before: FlagDocument | undefined, context: RequestContext) {
  const flag = findStoredFlag(written.entry.document.flagKey, context);
  return flag === undefined ? NO_FLAG : ({ kind: 'shipped', written, flag, before } as const);
}

function refusedShip(held: ExperimentDocument, variant: string, context: RequestContext): Failure | undefined {
  const impossible = impossibleNow(held, 'ship');
  if (impossible !== undefined) return impossible;
  const keys = held.variants.map(({ key }) => key);
  if (!keys.includes(variant)) {
    return invalid([{ path: '/variant', message: `must be a variant of the experiment: ${keys.join(', ')}` }]);
  }
  const flag = findFlag(held.flagKey, context);
  if (flag === undefined) return NO_FLAG;
  const served = isServing(flag, held.key) ? flag.shippedBy?.variant : undefined;
  if (served === undefined || served === variant) return undefined;
  const message = `An earlier request, which was interrupted, shipped \`${served}\`; ship that again, or undo it first.`;
  return failure('CONFLICT', message, { variant: served });
}

const takeBack = (held: ExperimentDocument, context: WriteContext) =>
  editFlag(held.flagKey, context, (flag) => unshippedFlag(flag, held.key) ?? changedSince(held, flag) ?? flag);

/** The flag without what a request left that was interrupted while it shipped another experiment. */
function withoutInterrupted(flag: FlagDocument, context: RequestContext): FlagDocument {
  const experiment = flag.shippedBy?.experiment;
  if (experiment === undefined) return flag;
  return experiments.find(experiment, context)?.document.state === 'shipped' ? flag : withoutRemains(flag, experiment);
}

/** Without the mark of the request: the write that it made is put back. */
function unmarked(context: WriteContext): WriteContext {
  const { writeMark: _, ...rest } = context;
  return { ...rest, idempotency: undefined };
}

const putBack = ({ key, state, winner, shipping }: ExperimentDocument, context: WriteContext) =>
  experiments.change({ id: key, basis: {} }, unmarked(context), (current) => ({ ...current, state, winner, shipping }));

function changedSince({ key, shipping }: ExperimentDocument, flag: FlagDocument | undefined): Failure | undefined {
  if (flag === undefined) return NO_FLAG;
  if (isServing(flag, key)) return undefined;
  const version = flag.shippedBy?.experiment === key ? flag.shippedBy.version : (shipping?.flagVersion ?? 0);
  const latest = effectiveVersion(flag);
  return failure(
    'CONFLICT',
    `The flag \`${flag.key}\` was changed since: version ${version} shipped the winner, and version ${latest} is in ` +
      `effect. Change the flag, or restore its version ${version - 1}.`,
    { flag_key: flag.key, shipped_version: version, version: latest },
  );
}

const CHANGED_MEANWHILE = failure(
  'CONFLICT',
  'The flag was changed at the same moment, so nothing was shipped; look at the flag, and ship again.',
);
const ALREADY = failure('CONFLICT', 'Another request is shipping a variant of this experiment; get the experiment.');
const NO_FLAG = failure(
  'CONFLICT',
  'The flag of the experiment is archived; restore it first (`POST /v1/flags/flags/{key}/restore`).',
);
