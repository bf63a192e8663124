import { Type } from 'typebox';
import type { TObject } from 'typebox';
import type { DefinitionKind, TargetingKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { ScheduledChange, ScheduleDocument } from '../../../../core/vocabulary/schedules.ts';
import { failure, type Failure, isFailure } from '../../../../core/kernel/errors.ts';
import { ended, holdSchedule, scheduleAddress } from '../../../../streams/config/schedules.ts';
import { CHANGE_REASON, type ChangeReason, reasonIn } from '../../input/change-reason.ts';
import { jsonAnswer } from '../../route/answer.ts';
import type { RequestContext, WriteContext } from '../../route/request-context.ts';
import { compile } from '../../../../core/kernel/validation/validation.ts';
import { defineRoute, invalid, type KeyedRoute, readBy, writtenBy } from '../../route/route.ts';
import type { Scheduling } from '../definition-resource.ts';
import { changeDefinition, createDefinition, type Written } from '../definition-writes.ts';
import { foreseenDifferences } from '../history/differences.ts';
import type { Params } from '../history/historied.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import { planChanges } from './plan-changes.ts';
import { createPlanner, createScheduler, type ScheduledRoutes, type Scheduler } from './scheduled-kind.ts';
import {
  BODY_EXAMPLE,
  ROLLOUT_EXAMPLE,
  Schedule,
  SCHEDULE_EXAMPLE,
  scheduleBody,
  type ScheduleBody,
  scheduleJson,
} from './schedule-resource.ts';

/* The routes of scheduled changes, which are the same for all kinds of definitions. `keeper.ts` makes the changes. */

/** The scheduled changes of definitions of a kind. */
export interface Schedules {
  routes: KeyedRoute[];
  scheduler: Scheduler;
}

export function createSchedules<K extends DefinitionKind & TargetingKind, B extends TObject>(
  scheduled: ScheduledRoutes<K>,
  scheduling: Scheduling<K, B>,
): Schedules {
  const { kind, routes: definitions, idIn } = scheduled;
  const { historied } = definitions;
  const { by, role, approvals, ruleAt } = scheduling;
  const plan = createPlanner(scheduled, scheduling);
  const hasSteps = scheduling.stepped !== undefined;
  const { aOne, path: itemPath, params } = historied;
  const shared = { ...historied.shared, limitClass: 'none' } as const;
  const path = `${itemPath}/schedule`;
  const reply = { description: 'The scheduled changes.', schema: Schedule, example: SCHEDULE_EXAMPLE };
  const item = Type.Object(params);
  const Body = scheduleBody(hasSteps);
  const headers = Type.Object(CHANGE_REASON);
  // Kinds without steps have a narrower body.
  const check = compile<TObject, ScheduleBody>(Body);
  const errors = [definitions.missing().code, 'CONFLICT', 'SERVICE_UNAVAILABLE'] as const;

  const addressIn = (parameters: Params, context: RequestContext) =>
    scheduleAddress({ ...definitions.addressOf(idIn(parameters), context), kind });
  const shown = ({ entry, replayed }: Written<'schedule'>, context: RequestContext, status: 200 | 201 = 200) =>
    jsonAnswer(scheduleJson(entry.document, context), { status, replayed });

  /** The schedule of the definition that is there now, not of an earlier one with its key. */
  function heldBy(parameters: Params, context: RequestContext): ScheduleDocument | undefined {
    const definition = definitions.find(idIn(parameters), context)?.document;
    const held = context.services.config.get(addressIn(parameters, context))?.document;
    return held?.definedAt === definition?.createdAt ? held : undefined;
  }

  async function planned(parameters: Params, body: object, context: RequestContext) {
    if (!check.accepts(body)) return invalid(check.faultsOf(body));
    const entry = definitions.find(idIn(parameters), context);
    if (entry === undefined) return definitions.missing();
    const made = await planChanges(body, entry, heldBy(parameters, context), { plan, ruleAt }, context);
    return isFailure(made) ? made : { ...made, definition: entry };
  }

  async function add(
    { params: parameters, headers, body }: { params: Params; headers: ChangeReason; body: object },
    context: WriteContext,
  ): Promise<Written<'schedule'> | Failure> {
    const made = await planned(parameters, body, context);
    if (isFailure(made)) return made;
    const { services, origin, key } = context;
    const nowMs = services.clock.wallMs();
    const planId = services.ids.uuidv7(nowMs);
    const changes = made.changes.map((change): ScheduledChange => ({
      ...change,
      id: services.ids.uuidv7(nowMs),
      plan: planId,
      by: { kind: key.user === undefined ? 'key' : 'user', id: key.id },
      reason: reasonIn(headers),
      // Only a request that a second person approves has a mark of its own.
      ...(context.writeMark === undefined ? {} : { approved: true }),
      state: 'pending',
    }));
    const { key: storedKey, document: definition } = made.definition;
    const address = addressIn(parameters, context);
    const first: ScheduleDocument = {
      of: kind,
      key: storedKey,
      definedAt: definition.createdAt,
      changes,
      made: {},
      createdAt: origin.receivedAt,
      updatedAt: origin.receivedAt,
      version: 1,
    };
    const created = await createDefinition<'schedule'>(
      { address, document: first, rivals: () => [], taken: () => TAKEN, overQuota: (of) => overQuota(changes, of) },
      context,
    );
    if (created !== TAKEN) return created;
    const change = (held: ScheduleDocument): ScheduleDocument | Failure => {
      if (held.definedAt !== first.definedAt) return { ...first, version: held.version, createdAt: held.createdAt };
      const all = [...held.changes, ...changes].toSorted((one, other) => one.at - other.at);
      const waiting = all.filter(({ state }) => state === 'pending');
      if (waiting.length > DEFINITION_LIMITS.scheduledOfDefinition) return CHANGED_MEANWHILE;
      return overQuota(changes, context) ?? { ...held, changes: tidied(all, nowMs) };
    };
    return changeDefinition<'schedule'>({ address, basis: {}, missing: definitions.missing(), change }, context);
  }

  async function cancel(parameters: Params, context: WriteContext): Promise<Written<'schedule'> | Failure> {
    const id = (parameters['change'] ?? '').toLowerCase();
    const nowMs = context.services.clock.wallMs();
    if (heldBy(parameters, context) === undefined) return NO_CHANGE;
    const change = (held: ScheduleDocument): ScheduleDocument | Failure => {
      const found = held.changes.find((each) => each.id === id);
      if (found === undefined) return NO_CHANGE;
      if (found.state !== 'pending') return found.state === 'cancelled' ? held : overAlready(found.state);
      if (found.claim !== undefined) return BEING_MADE;
      return {
        ...held,
        changes: held.changes.map((each) => (each === found ? ended(each, 'cancelled', '', nowMs) : each)),
      };
    };
    const address = addressIn(parameters, context);
    return changeDefinition<'schedule'>({ address, basis: {}, missing: NO_CHANGE, change }, context);
  }

  const routes = [
    defineRoute({
      ...shared,
      ...readBy('viewer'),
      method: 'GET',
      path,
      summary: `List the scheduled changes of ${aOne}`,
      description: `Those that wait, and up to ${DEFINITION_LIMITS.scheduledEnded} that ended in the last 90 days.`,
      errors: [definitions.missing().code],
      input: { params: item },
      reply,
      action: {
        kind: 'config',
        read: ({ params: parameters }, context) =>
          definitions.find(idIn(parameters), context) === undefined
            ? definitions.missing()
            : jsonAnswer(scheduleJson(heldBy(parameters, context), context)),
      },
    }),
    defineRoute({
      ...shared,
      ...writtenBy(role, { id: approvals.add, of: kind, in: 'schedule' }),
      method: 'POST',
      path,
      summary: `Schedule changes of ${aOne}`,
      description: ADDS,
      idempotent: true,
      errors,
      input: { params: item, headers, body: Body },
      example: hasSteps ? ROLLOUT_EXAMPLE : BODY_EXAMPLE,
      reply: { ...reply, statuses: [201] },
      action: {
        kind: 'write',
        write: (input, context) => add(input, context),
        toAnswer: (written, context) => shown(written, context, 201),
      },
    }),
    defineRoute({
      ...shared,
      ...readBy('viewer'),
      method: 'POST',
      path: `${path}/preview`,
      summary: `Say what scheduled changes of ${aOne} would change`,
      description: 'Changes nothing. It refuses what scheduling them would refuse.',
      readsOnly: true,
      errors: [definitions.missing().code, 'CONFLICT'],
      input: { params: item, body: Body },
      example: hasSteps ? ROLLOUT_EXAMPLE : BODY_EXAMPLE,
      reply,
      action: {
        kind: 'service',
        async call({ params: parameters, body }, context) {
          const made = await planned(parameters, body, context);
          if (isFailure(made)) return made;
          const by = { kind: context.key.user === undefined ? 'key' : 'user', id: context.key.id } as const;
          const differences = await foreseenDifferences(kind, made.foreseen, context);
          const changes = made.changes.map((change, place): ScheduledChange => ({
            ...change,
            difference: differences[place] ?? change.difference,
            id: '',
            plan: '',
            by,
            reason: '',
            state: 'pending',
          }));
          return jsonAnswer(scheduleJson({ changes }, context));
        },
      },
    }),
    defineRoute({
      ...shared,
      ...writtenBy(role, { id: approvals.cancel, of: kind, in: 'schedule' }),
      method: 'DELETE',
      path: `${path}/{change}`,
      summary: `Cancel a scheduled change of ${aOne}`,
      description: 'The others stay. 409 if it is being made, or has ended.',
      idempotent: true,
      errors: [...errors, 'NOT_FOUND'],
      input: { params: Type.Object({ ...params, change: Type.String({ description: 'Id of the change.' }) }) },
      reply,
      action: {
        kind: 'write',
        write: ({ params: parameters }, context) => cancel(parameters, context),
        toAnswer: (written, context) => shown(written, context),
      },
    }),
    ...(hasSteps ? [holdRoute()] : []),
  ];

  /** Stops roll-outs. */
  function holdRoute(): KeyedRoute {
    return defineRoute({
      ...shared,
      // What is served stays as it is, so it never waits for a second person.
      ...writtenBy(role, 'none'),
      method: 'POST',
      path: `${path}/hold`,
      summary: `Hold the roll-outs of ${aOne}`,
      description:
        'Ends the steps that wait; the percentage stays where it is, and other scheduled changes stay. To go on, schedule ' +
        'the remaining steps. Say why in `X-Change-Reason`. It does not wait for a second person.',
      repeatsById: true,
      errors: [definitions.missing().code, 'SERVICE_UNAVAILABLE'],
      input: { params: item, headers },
      reply,
      action: {
        kind: 'write',
        async write({ params: parameters, headers: sent }, context): Promise<{ kind: 'held' } | Failure> {
          const { config, clock } = context.services;
          if (definitions.find(idIn(parameters), context) === undefined) return definitions.missing();
          const definition = { ...definitions.addressOf(idIn(parameters), context), kind };
          const store = {
            get: config.get.bind(config),
            seen: config.seen.bind(config),
            put: context.writes.put.bind(context.writes),
            get revision() {
              return config.revision;
            },
          };
          const reason = reasonIn(sent);
          const held = await holdSchedule(store, definition, reason === '' ? STOPPED : reason, clock.wallMs());
          return held === 'unavailable' ? failure('SERVICE_UNAVAILABLE') : { kind: 'held' };
        },
        toAnswer: (_, context, { params: parameters }) =>
          jsonAnswer(scheduleJson(heldBy(parameters, context), context)),
      },
    });
  }

  return { routes, scheduler: createScheduler(scheduled, plan, by.conflict) };
}

/** Without the oldest ended changes. */
export function tidied(changes: readonly ScheduledChange[], nowMs: number): ScheduledChange[] {
  const over = changes.filter((change) => change.ended !== undefined);
  const kept = over
    .toSorted((one, other) => (other.ended?.at ?? 0) - (one.ended?.at ?? 0))
    .slice(0, DEFINITION_LIMITS.scheduledEnded)
    .filter((change) => (change.ended?.at ?? 0) + DEFINITION_LIMITS.scheduledEndedMs > nowMs);
  const shown = new Set(kept);
  return changes.filter((change) => change.ended === undefined || shown.has(change));
}

function overQuota(added: readonly ScheduledChange[], { key, services }: RequestContext): Failure | undefined {
  const waiting = services.config
    .list('schedule', key.game, key.environment)
    .flatMap(({ document }) => document.changes.filter(({ state }) => state === 'pending'));
  return waiting.length + added.length > DEFINITION_LIMITS.scheduledOfGame ? GAME_FULL : undefined;
}

const ADDS =
  'Each is made at its time as a change of its own, by the checks of any other change, in your name, within two seconds; ' +
  'late ones, after a downtime, one after the other. A field that was changed in between stays as it is (`skipped`), ' +
  'as does a percentage that is higher by then. A refused change has `failed` and is not repeated. Archiving or deleting ' +
  'the definition cancels what waits. In games that want a second person, the whole plan is approved once.';
const STOPPED = 'The roll-out was held.';
const TAKEN = failure('CONFLICT');
const CHANGED_MEANWHILE = failure(
  'CONFLICT',
  `A definition has at most ${DEFINITION_LIMITS.scheduledOfDefinition} changes that wait. Cancel some first.`,
);
const GAME_FULL = failure(
  'CONFLICT',
  `The environment has ${DEFINITION_LIMITS.scheduledOfGame} changes that wait, the maximum. Cancel some first.`,
);
const NO_CHANGE = failure('NOT_FOUND', 'The definition has no such scheduled change.');
const BEING_MADE = failure('CONFLICT', 'The change is being made now. Look again in a few seconds.');
const overAlready = (state: string): Failure =>
  failure('CONFLICT', `The change has ended: it is \`${state}\`. Restore an earlier version to take it back.`);
