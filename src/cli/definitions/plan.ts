import { isDeepStrictEqual } from 'node:util';
import { differenceOf } from '../../../actors/difference/difference.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { HIDDEN } from '../../../streams/config/hidden-texts.ts';
import { CliError } from '../cli-error.ts';
import { type Current, type CurrentDefinition, isOver } from './current.ts';
import { type Desired, type DesiredDefinition, labelOf } from './definition-files.ts';
import { driftOf } from './drift.ts';
import { FILE_KINDS, SEGMENTS } from './file-kinds.ts';
import { changedAt, inOrder, textOf, textsAt } from './references.ts';
import type { Answered, Change, GameService } from './service.ts';
import { settingsSteps } from './settings-steps.ts';
import type { Step } from './step.ts';
import { withUrl } from './webhook-values.ts';

/*
 * What makes a service have what files say. A plan changes nothing: each step holds the request that does, with the
 * version that the plan has seen, so a change in between is a conflict.
 */

export interface PlanOptions {
  /** What manages the definitions; undefined: nothing does, as for a promotion. */
  managedBy: string | undefined;
  /** Whether definitions go whose files are gone. */
  deletes: boolean;
  /** Whether definitions are taken that something else manages. */
  takesOver: boolean;
}

export async function planOf(
  desired: Desired,
  current: Current,
  service: GameService,
  options: PlanOptions,
): Promise<Step[]> {
  const refused = refusals(desired, current, options);
  if (refused.length > 0) throw new CliError(refused.join('\n'));
  const steps = await settingsSteps(desired.settings, service);
  for (const kind of FILE_KINDS) {
    const ofKind = desired.definitions.filter((one) => one.kind === kind);
    for (const wanted of inOrder(ofKind, (one) => textsAt(one.normal.wire, kind.others))) {
      steps.push(await stepFor(wanted, current, service, options));
    }
  }
  return [...steps, ...goneSteps(desired, current, service, options)];
}

/** Why there is no plan: names of segments that are nowhere, and definitions that something else manages. */
function refusals({ definitions }: Desired, current: Current, { managedBy, takesOver }: PlanOptions): string[] {
  const made = definitions.filter(({ kind }) => kind.folder === SEGMENTS).map(({ key }) => key);
  const segments = new Set([...made, ...current.segmentIds.keys()]);
  return definitions.flatMap(({ kind, key, normal }) => {
    const label = labelOf({ kind, key });
    const unknown = textsAt(normal.wire, kind.segments).filter((name) => !segments.has(name));
    const held = current.definitions.get(label)?.managedBy?.by;
    return [
      ...unknown.map((name) => `${label} names the segment \`${name}\`, which neither the files nor the service have.`),
      ...(current.repeated.has(label) ? [`The service has two ${kind.folder} named \`${key}\`: rename one.`] : []),
      ...(managedBy === undefined || held === undefined || held === managedBy || takesOver
        ? []
        : [`${label} is managed by ${held}. Let it go there, or take it with --take-over.`]),
    ];
  });
}

async function stepFor(
  wanted: DesiredDefinition,
  current: Current,
  service: GameService,
  { managedBy }: PlanOptions,
): Promise<Step> {
  const { kind } = wanted;
  const label = labelOf(wanted);
  const held = current.definitions.get(label);
  const normal = held === undefined ? wanted.normal : withUrl(wanted.normal, held.normal);
  const ready = (): JsonObject => changedAt(normal.wire, kind.segments, (key) => current.segmentIds.get(key) ?? key);
  if (held === undefined) {
    // A variable that is not set must be found before anything is changed.
    const values = wanted.values?.created();
    const create = async (): Promise<Answered> => {
      const body = { ...ready(), ...values };
      const made = await service.change({ method: 'POST', path: kind.path, body });
      if (made.kind === 'answered' && kind.folder === SEGMENTS) {
        current.segmentIds.set(wanted.key, textOf(made.data['segment_id']));
      }
      return made;
    };
    return { label, action: 'create', difference: [], notes: [], perform: create };
  }
  const isSame = isDeepStrictEqual(held.normal.wire, normal.wire);
  const isOurs = managedBy === undefined || held.managedBy?.by === managedBy;
  if (isSame && isOurs && !held.isArchived) return { label, action: 'same', difference: [], notes: [] };
  const words = isSame ? [] : differenceIn(wanted, held.normal.document, normal.document);
  const difference = [
    ...(held.isArchived ? ['Restored from the archive'] : []),
    ...(words.length === 0 && !isSame ? ['Changed'] : words),
  ];
  const body = () => ({ ...ready(), ...keptPlayers(held), ...wanted.values?.changed() });
  return {
    label,
    action: difference.length === 0 ? 'adopt' : 'change',
    difference,
    notes: isSame ? [] : [...(await driftOf(held, managedBy, service)), ...refusedOf(held, normal.wire)],
    perform: () => changeOn(held, body, service),
  };
}

/** Logs of pipelines hold plans, so these do not have the URL of a webhook whose file hides it. */
function differenceIn({ values }: DesiredDefinition, held: JsonObject, next: JsonObject): string[] {
  if (values?.isUrlHidden !== true) return differenceOf(held, next);
  const isMoved = held['url'] !== next['url'];
  return [...differenceOf({ ...held, url: HIDDEN }, { ...next, url: HIDDEN }), ...(isMoved ? ['URL: changed'] : [])];
}

const refusedOf = ({ kind, answer, normal }: CurrentDefinition, wanted: JsonObject): string[] =>
  kind.lifeOf?.(answer).refusals(normal.wire, wanted) ?? [];

/** A segment keeps the players that it names: they are in no file, and a PUT without them would let them go. */
function keptPlayers({ answer }: CurrentDefinition): JsonObject {
  const { includes, excludes } = answer;
  return { ...(includes === undefined ? {} : { includes }), ...(excludes === undefined ? {} : { excludes }) };
}

async function changeOn(held: CurrentDefinition, body: () => JsonObject, service: GameService): Promise<Answered> {
  const path = pathOf(held);
  let { version } = held;
  if (held.isArchived) {
    const restored = await service.change({ method: 'POST', path: `${path}/restore`, body: {}, version });
    if (restored.kind === 'refused') return restored;
    version = Number(restored.data['version']);
  }
  return service.change({ method: held.kind.method, path, body: body(), version });
}

const pathOf = ({ kind, id }: Pick<CurrentDefinition, 'kind' | 'id'>): string =>
  `${kind.path}/${encodeURIComponent(id)}`;

/** What is managed and has no file: the last kinds first, and in each what needs others before these. */
function goneSteps(
  { definitions }: Desired,
  current: Current,
  service: GameService,
  { managedBy, deletes }: PlanOptions,
): Step[] {
  const wanted = new Set(definitions.map(labelOf));
  const gone = [...current.definitions.values()].filter(
    (held) => !isOver(held) && held.managedBy?.by === managedBy && managedBy !== undefined,
  );
  return FILE_KINDS.toReversed().flatMap((kind) => {
    const ofKind = gone.filter((held) => held.kind === kind && !wanted.has(labelOf(held)));
    return inOrder(ofKind, (held) => textsAt(held.normal.wire, kind.others))
      .toReversed()
      .map((held): Step => {
        const stays = kind.lifeOf?.(held.answer).stays;
        const step = { label: labelOf(held), difference: [], notes: stays === undefined ? [] : [stays] };
        const change: Change = { method: 'DELETE', path: pathOf(held), version: held.version };
        return deletes && stays === undefined
          ? { ...step, action: 'delete', perform: () => service.change(change) }
          : { ...step, action: 'gone' };
      });
  });
}
