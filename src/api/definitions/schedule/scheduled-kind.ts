import { hash } from 'node:crypto';
import { type Static, type TObject } from 'typebox';
import type { DefinitionKind, TargetingKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../../core/vocabulary/documents/documents.ts';
import type { ScheduledWork } from '../../../../core/vocabulary/schedules.ts';
import { failure, type Failure, isFailure, isTemporary } from '../../../../core/kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../../core/kernel/text/json.ts';
import { compile } from '../../../../core/kernel/validation/validation.ts';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import type { RequestContext, WriteContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';
import { API_LIMITS } from '../../limits.ts';
import type { Change, DefinitionRoutes, Scheduling } from '../definition-resource.ts';
import { LABEL_FIELDS, labelsIn, relabelled } from '../definition-labels.ts';
import { changeDefinition } from '../definition-writes.ts';
import type { Params } from '../history/historied.ts';
import { differenceIn, jsonOf } from '../history/differences.ts';

/*
 * Changes of a definition that are made later: the PUT of the definition as it is then, with a merge patch or a step of
 * a roll-out in it. So the checks are those of every change, and what people edit in between stays.
 */

/** A change as it would be made now. */
export interface Planned<K extends DefinitionKind> {
  kind: 'planned';
  /** The definition as callers see it, before and after. */
  before: JsonObject;
  after: JsonObject;
  next: Documents[K];
  change: Change<K>;
  difference: string[];
}

/** Why a change is left out. */
export interface Skipped {
  kind: 'skipped';
  why: string;
}

export type Made = { kind: 'made'; after: JsonObject; version: number; difference: string[] } | Skipped | Failure;

export interface FoundDefinition {
  version: number;
  createdAt: number;
  marks: string[];
  /** Digests of fields as callers see them. */
  digests: (fields: readonly string[]) => Record<string, string>;
}

/** What the keeper of schedules knows of a kind. */
export interface Scheduler {
  kind: TargetingKind;
  /** The definition with this stored key, if callers see it. */
  find: (
    address: { game: string; environment: Environment; key: string },
    config: Pick<ConfigStore, 'get'>,
  ) => FoundDefinition | undefined;
  /**
   * Makes a change on the current version, at most once for the mark of the context.
   * @param guard why it is left out, from the definition as callers see it before and after
   */
  make: (key: string, work: ScheduledWork, guard: Guard, context: WriteContext) => Promise<Made>;
}

export type Guard = (before: JsonObject, after: JsonObject) => string | undefined;

/** What schedules need to know of the routes of a kind. */
export interface ScheduledRoutes<K extends DefinitionKind & TargetingKind> {
  kind: K;
  routes: Pick<DefinitionRoutes<K>, 'addressOf' | 'find' | 'missing' | 'historied'>;
  /** The id in the parameters of a path. */
  idIn: (params: Params) => string;
  toJson: (document: Documents[K]) => string;
  /** Whether callers see a stored document. Default: always. */
  isThere?: (document: Documents[K]) => boolean;
}

export function createPlanner<K extends DefinitionKind & TargetingKind, B extends TObject>(
  { toJson }: Pick<ScheduledRoutes<K>, 'toJson'>,
  { by, never = {}, stepped }: Scheduling<K, B>,
) {
  const check = compile<TObject, Static<B>>(by.body);
  const names = Object.keys(by.body.properties).filter((name) => name !== 'version');

  function wireOf(document: Documents[K]): JsonObject {
    const shown: Json = JSON.parse(toJson(document));
    const wire = isObject(shown) ? shown : {};
    return Object.fromEntries(
      names.filter((name) => Object.hasOwn(wire, name)).map((name) => [name, wire[name] ?? null]),
    );
  }

  /** The change as it would be made on a definition. */
  return async function plan(
    entry: ConfigEntry<K>,
    work: ScheduledWork,
    context: RequestContext,
  ): Promise<Planned<K> | Skipped | Failure> {
    const before = wireOf(entry.document);
    const refused = work.kind === 'patch' ? faultOf(work.patch) : undefined;
    if (refused !== undefined) return refused;
    const stepMade = work.kind === 'step' ? (stepped?.(before, work) ?? NO_STEPS) : undefined;
    if (stepMade !== undefined && stepMade.kind !== 'stepped') return stepMade;
    const patch = work.kind === 'patch' ? work.patch : {};
    const body = { ...mergePatch(stepMade?.wire ?? before, patch), ...clearedLabels(patch) };
    if (!check.accepts(body)) return invalid(check.faultsOf(body));
    const make = await by.change(body, context);
    if (isFailure(make)) return make;
    const change: Change<K> = (held, at) => {
      const made = make(held, at);
      return isFailure(made) ? made : relabelled(made, labelsIn(body, held));
    };
    const next = change(entry.document, entry);
    if (isFailure(next)) return next;
    const difference = differenceIn(jsonOf(entry.document), jsonOf(next), context);
    return { kind: 'planned', before, after: wireOf(next), next, change, difference };
  };

  function faultOf(patch: JsonObject): Failure | undefined {
    const fields = Object.keys(patch).flatMap((name) => {
      if (!names.includes(name)) return [{ path: `/${name}`, message: 'is no field that a change replaces' }];
      const why = never[name];
      return why === undefined ? [] : [{ path: `/${name}`, message: why }];
    });
    return fields.length === 0 ? undefined : invalid(fields);
  }
}

export type Planner<K extends DefinitionKind> = (
  entry: ConfigEntry<K>,
  work: ScheduledWork,
  context: RequestContext,
) => Promise<Planned<K> | Skipped | Failure>;

export function createScheduler<K extends DefinitionKind & TargetingKind>(
  { kind, routes, toJson, isThere = () => true }: ScheduledRoutes<K>,
  plan: Planner<K>,
  conflict: ((written: Documents[K], context: RequestContext) => Failure | undefined) | undefined,
): Scheduler {
  return {
    kind,
    find(address, config) {
      const document = config.get({ ...address, kind })?.document;
      if (document === undefined || !isThere(document)) return undefined;
      const { version, createdAt, writes = [] } = document;
      return {
        version,
        createdAt,
        marks: writes.map(({ id }) => id),
        digests(fields) {
          const shown: Json = JSON.parse(toJson(document));
          return digestsOf(fields, isObject(shown) ? shown : {});
        },
      };
    },
    async make(key, work, guard, context) {
      for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
        const held = routes.find(key, context);
        if (held === undefined) return routes.missing();
        const planned = await plan(held, work, context);
        if (planned.kind !== 'planned') return planned;
        const why = planned.difference.length === 0 ? CHANGES_NOTHING : guard(planned.before, planned.after);
        if (why !== undefined) return { kind: 'skipped', why };
        const written = await changeDefinition<K>(
          {
            address: routes.addressOf(key, context),
            // Whole: on another version it would take back what was changed in between.
            basis: { version: held.document.version },
            missing: routes.missing(),
            change: planned.change,
            conflict: (document) => conflict?.(document, context),
          },
          context,
        );
        if (written.kind === 'written') {
          const { version } = written.entry.document;
          return { kind: 'made', after: planned.after, version, difference: planned.difference };
        }
        if (written.code !== 'PRECONDITION_FAILED') return written;
      }
      return failure('SERVICE_UNAVAILABLE');
    },
  };
}

/** Whether a failure may pass, so that the change is tried again. */
export const mayPass = ({ code }: Failure): boolean => isTemporary(code);

/** A merge patch (RFC 7396): objects are merged, null removes a field, everything else replaces. */
function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const held = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(isObject(held) ? held : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** What a body leaves out gets its default, except labels, which stay: null clears them. */
const clearedLabels = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(LABEL_FIELDS).flatMap((name) => (patch[name] === null ? [[name, null]] : [])));

/** Digests of fields. */
export function digestsOf(fields: readonly string[], wire: JsonObject): Record<string, string> {
  return Object.fromEntries(fields.map((name) => [name, digestOf(wire[name] ?? null)]));
}

export const digestOf = (value: Json): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);

const CHANGES_NOTHING = 'It would change nothing: the definition is like this already.';
const NO_STEPS = failure('CONFLICT', 'Only flags have roll-outs.');
