import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../../core/kernel/text/json.ts';
import { CliError } from '../cli-error.ts';
import type { Current, CurrentDefinition } from './current.ts';
import { type Desired, labelOf } from './definition-files.ts';
import { SEGMENTS } from './file-kinds.ts';
import { textsAt } from './references.ts';

/* Definitions of one environment for another one, each with what it needs there. */

export interface Promotion {
  desired: Desired;
  /** What they need, which the other environment has in another form and keeps. */
  kept: string[];
}

/** @param takesNeeds whether what they need goes too if the other environment has it in another form */
export function promotionOf(labels: readonly string[], from: Current, to: Current, takesNeeds: boolean): Promotion {
  const chosen = labels.map((label) => {
    const found = from.definitions.get(label);
    if (found === undefined || found.isArchived) throw new CliError(`There is no ${label} to promote.`);
    if (found.kind.folder === 'webhooks') throw new CliError(NO_WEBHOOKS);
    return found;
  });
  const needed = [...needsOf(chosen, from)].filter((one) => !chosen.includes(one));
  const differing = needed.filter((one) => {
    const held = to.definitions.get(labelOf(one));
    return held !== undefined && !isDeepStrictEqual(held.normal.wire, one.normal.wire);
  });
  const kept = takesNeeds ? [] : differing;
  const definitions = [...chosen, ...needed.filter((one) => !kept.includes(one))];
  return {
    desired: { definitions: definitions.map(({ kind, key, normal }) => ({ kind, key, normal })), settings: new Map() },
    kept: kept.map(labelOf),
  };
}

const NO_WEBHOOKS =
  'A webhook is not promoted: its URL, headers and secret are those of one environment. Create it with its own.';

function needsOf(chosen: readonly CurrentDefinition[], from: Current): Set<CurrentDefinition> {
  const found = new Set<CurrentDefinition>();
  const visit = (one: CurrentDefinition): void => {
    for (const label of labelsOf(one)) {
      const needed = from.definitions.get(label);
      if (needed === undefined || found.has(needed)) continue;
      found.add(needed);
      visit(needed);
    }
  };
  chosen.forEach(visit);
  return found;
}

function labelsOf({ kind, normal: { wire } }: CurrentDefinition): string[] {
  return [
    ...textsAt(wire, kind.segments).map((key) => `${SEGMENTS}/${key}`),
    ...textsAt(wire, kind.others).map((key) => `${kind.folder}/${key}`),
    ...textsAt(wire, ['flag_key']).map((key) => `flags/${key}`),
    ...computedIn(wire).map((key) => `properties/${key}`),
  ];
}

const COMPUTED = 'computed.';

/** Computed properties that conditions read. */
function computedIn(json: Json): string[] {
  if (Array.isArray(json)) return json.flatMap(computedIn);
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name.startsWith(COMPUTED) ? [name.slice(COMPUTED.length)] : []),
    ...computedIn(value),
  ]);
}
