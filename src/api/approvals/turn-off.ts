import { Type } from 'typebox';
import { API_LIMITS } from '../limits.ts';
import { APPROVAL_LIMITS } from './limits.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { mayAct } from '../route/access.ts';
import { jsonAnswer } from '../route/answer.ts';
import { reasonHeader } from '../input/change-reason.ts';
import { oneOf } from '../input/fields.ts';
import { namesOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { defineRoute, invalid, type KeyedRoute } from '../route/route.ts';

/*
 * Turning something off without a second person, when players are harmed now.
 *
 * Invariant: it only narrows what players get. Turning on again, and every other change, waits as always.
 */

/** The parameter that names each kind of thing. */
const PARAMETERS = { flag: 'key', experiment: 'key', campaign: 'id', webhook: 'id' } as const;

/** @param routes what turns off each kind: the change of its fields, or the stop of an experiment */
export const turnOff = (routes: Readonly<Record<keyof typeof PARAMETERS, KeyedRoute>>): KeyedRoute =>
  defineRoute({
    tag: 'Console',
    auth: { keys: [], session: true },
    limitClass: 'none',
    role: 'editor',
    scope: 'none',
    audit: {
      kind: 'flag',
      action: 'broke_glass',
      named: namedIn,
      shows: ({ body }) => ({ reason: Object(body).reason }),
    },
    approval: 'none',
    method: 'POST',
    path: '/v1/console/turn-off',
    summary: 'Turn something off at once',
    description:
      'For emergencies: an editor turns off a flag, experiment or campaign, and an admin a webhook, without a second person ' +
      'and whatever its version. The audit shows it as `broke_glass`, with the reason. Turning it on again waits.',
    repeatsById: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: {
      body: Type.Object(
        {
          kind: oneOf(namesOf(PARAMETERS), 'What to turn off. An experiment is stopped.'),
          key: Type.String({
            minLength: 1,
            maxLength: API_LIMITS.auditFilterLength,
            description: 'Key of the flag or experiment, or id of the campaign or webhook.',
          }),
          reason: Type.String({
            minLength: 1,
            maxLength: APPROVAL_LIMITS.turnOffReasonLength,
            description: 'Why it cannot wait for a second person.',
          }),
        },
        { additionalProperties: false, description: 'What to turn off, and why.' },
      ),
    },
    example: { kind: 'flag', key: 'new_shop', reason: 'The shop charges twice.' },
    reply: {
      description: 'It is off.',
      schema: Type.Object(
        { key: Type.String({ description: 'Key or id, as you sent it.' }) },
        { description: 'What is off now.' },
      ),
      example: { key: 'new_shop' },
    },
    action: {
      kind: 'decide',
      async decide({ body: { kind, key, reason } }, { key: { user }, perform, services: { clock, ids } }) {
        if (user === undefined || !mayAct(user.role, routes[kind].role)) return NOT_ALLOWED;
        if (reason.trim() === '') return invalid([{ path: '/reason', message: 'must say why it cannot wait' }]);
        const input = {
          params: { [PARAMETERS[kind]]: key },
          query: {},
          headers: reasonHeader(reason),
          ...(routes[kind].input.body === undefined ? {} : { body: { enabled: false } }),
        };
        const made = await perform({ id: ids.uuidv7(clock.wallMs()), route: routes[kind], input });
        return made.kind === 'failure' ? made : jsonAnswer({ key });
      },
    },
  });

const NOT_ALLOWED = failure('FORBIDDEN', 'Your role may not change this, so it may not turn it off. Ask an admin.');

function namedIn(body: unknown): Partial<{ kind: string; key: string }> {
  if (typeof body !== 'object' || body === null || !('kind' in body) || !('key' in body)) return {};
  const { kind, key } = body;
  return typeof kind === 'string' && typeof key === 'string' ? { kind, key } : {};
}
