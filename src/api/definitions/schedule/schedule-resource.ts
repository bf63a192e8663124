import { Type, type Static } from 'typebox';
import {
  SCHEDULED_STATES,
  type ScheduledChange,
  type ScheduleDocument,
} from '../../../../core/vocabulary/schedules.ts';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../../core/kernel/text/timestamp.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { integerOrNull, nullable, nullableTimeOut, oneOf, textOrNull, timeIn, timeOut } from '../../input/fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import { Difference } from '../history/version-resource.ts';

/* Scheduled changes in requests and responses. */

const WHEN = {
  at: Type.Optional(timeIn('When it is made, not in the past. Leave out `at` and `after` to make it at once.')),
  after: Type.Optional(
    Type.String({
      format: 'delay',
      description:
        'How long after the change before it in this request, in minutes, hours or days of 24 hours: `90m`, `24h`, `7d`. ' +
        'For the first one: after now.',
    }),
  ),
};
const EITHER = 'With `at`, with `after`, or with neither: at once.';

const Patch = Type.Unsafe<JsonObject>({
  type: 'object',
  description:
    'A merge patch (RFC 7396) of the definition as GET shows it: objects are merged, lists are replaced, null sets a ' +
    `field to its default. At most ${DEFINITION_LIMITS.scheduledPatchBytes} bytes as JSON.`,
});

const Changes = Type.Array(
  Type.Object({ ...WHEN, patch: Patch }, { additionalProperties: false, description: `A change. ${EITHER}` }),
  { minItems: 1, maxItems: DEFINITION_LIMITS.scheduledOfDefinition, description: 'Changes of any fields.' },
);

const Rollout = Type.Object(
  {
    rule: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Which targeting rule, by its place from 1. Default: 1.' }),
    ),
    steps: Type.Array(
      Type.Object(
        {
          percentage: Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of the rule from then on.' }),
          ...WHEN,
        },
        { additionalProperties: false, description: `A step. ${EITHER}` },
      ),
      {
        minItems: 1,
        maxItems: DEFINITION_LIMITS.scheduledOfDefinition,
        description: 'The steps; each has a higher percentage than the one before.',
      },
    ),
  },
  { additionalProperties: false, description: 'The percentage of a rule rises step by step.' },
);

/** The body that plans changes. @param hasSteps whether definitions of the kind have roll-outs */
export const scheduleBody = (hasSteps: boolean) =>
  Type.Object(
    {
      changes: Type.Optional(Changes),
      ...(hasSteps ? { rollout: Type.Optional(Rollout) } : {}),
    },
    {
      additionalProperties: false,
      description: hasSteps ? 'Exactly one of `changes` and `rollout`.' : 'Changes that are made later.',
    },
  );

export interface ScheduleBody {
  changes?: Static<typeof Changes>;
  rollout?: Static<typeof Rollout>;
}

const Scheduled = Type.Object(
  {
    id: Type.String({ description: 'Id of the change.' }),
    plan_id: Type.String({ description: 'The same for all changes of one request.' }),
    at: timeOut('When it is made.'),
    state: oneOf(
      SCHEDULED_STATES,
      '`pending`: it waits; `made`; `skipped`: what it replaces was changed in between, or it would change nothing; ' +
        '`failed`: it was refused; `cancelled`; `held`: the rest of a roll-out that was stopped.',
    ),
    patch: Type.Unsafe<JsonObject | null>({
      type: ['object', 'null'],
      description: 'The patch, until the change ends; else null.',
    }),
    step: nullable(
      Type.Object(
        {
          rule: Type.String({ description: 'Name of the rule; empty: it has none.' }),
          percentage: Type.Number({ description: 'Percentage of the rule from then on.' }),
        },
        { description: 'The step of a roll-out; null: it is none.' },
      ),
    ),
    difference: Difference,
    reason: textOrNull('Why, as said in `X-Change-Reason`; null: nothing was said.'),
    made_by: Type.Object(
      {
        kind: oneOf(['user', 'key'], 'A person or an API key.'),
        id: Type.String({ description: 'Id of the user or key.' }),
        email: textOrNull('E-mail address of the person, for people who are signed in; otherwise null.'),
      },
      { description: 'Who planned it, and in whose name it is made.' },
    ),
    ended_at: nullableTimeOut('When it ended; null: it waits.'),
    version: integerOrNull('The version that it made; null: none, or it is not known.'),
    why: textOrNull('Why it was not made; null: it was, or it waits.'),
  },
  { description: 'A change that is made later.' },
);

export const Schedule = Type.Object(
  { changes: Type.Array(Scheduled, { description: 'By time, with those that ended lately.' }) },
  { description: 'The scheduled changes of a definition.' },
);

const EXAMPLE = {
  id: '019bc0de-1234-7abc-8def-0123456789ab',
  plan_id: '019bc0de-1234-7abc-8def-0123456789aa',
  at: '2026-01-16T10:30:00.000Z',
  state: 'pending',
  patch: null,
  step: { rule: 'Payers', percentage: 20 },
  difference: ['Rule 1: 5 % → 20 %'],
  reason: 'The shop is ready.',
  made_by: { kind: 'user', id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b', email: 'ann@example.com' },
  ended_at: null,
  version: null,
  why: null,
};
export const SCHEDULE_EXAMPLE = { changes: [EXAMPLE] };
export const BODY_EXAMPLE = { changes: [{ at: '2026-01-16T10:30:00Z', patch: { enabled: false } }] };
export const ROLLOUT_EXAMPLE = {
  rollout: {
    rule: 1,
    steps: [{ percentage: 5 }, { percentage: 20, after: '24h' }, { percentage: 100, after: '24h' }],
  },
};

/** A pending change in the list of a game. */
export const ScheduledOfGame = Type.Object(
  {
    kind: Type.String({ description: 'Kind of the definition, as `flag`.' }),
    key: Type.String({ description: 'Key of a flag, id of another definition, as in its path.' }),
    ...Scheduled.properties,
  },
  { description: 'A change that is made later.' },
);
export const OF_GAME_EXAMPLE = { kind: 'flag', key: 'new_shop', ...EXAMPLE };

export function scheduledJson(change: ScheduledChange, { key, services }: RequestContext) {
  const { id, plan, at, does, difference, reason, by, state, ended } = change;
  const isShown = by.kind === 'user' && key.user !== undefined;
  const email = isShown ? (services.config.get(userAddress(by.id))?.document.email ?? null) : null;
  return {
    id,
    plan_id: plan,
    at: formatTimestamp(at),
    state,
    patch: does.kind === 'patch' && state === 'pending' ? does.patch : null,
    step: does.kind === 'step' ? { rule: does.rule.name, percentage: does.percentage } : null,
    difference: [...difference],
    reason: reason === '' ? null : reason,
    made_by: { ...by, email },
    ended_at: formatTimestampOrNull(ended?.at),
    version: ended?.version ?? null,
    why: ended === undefined || ended.why === '' ? null : ended.why,
  };
}

export const scheduleJson = (document: Pick<ScheduleDocument, 'changes'> | undefined, context: RequestContext) => ({
  changes: (document?.changes ?? []).map((change) => scheduledJson(change, context)),
});
