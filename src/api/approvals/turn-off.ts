import { Type } from 'typebox';
import { API_LIMITS } from '../limits.ts';
import { APPROVAL_LIMITS } from './limits.ts';
import { jsonAnswer } from '../route/answer.ts';
import { reasonHeader } from '../input/change-reason.ts';
import { defineRoute, invalid, type KeyedRoute } from '../route/route.ts';

/*
 * Turning something off without a second person, when players are harmed now.
 *
 * Invariant: it only narrows what players get. Turning on again, and every other change, waits as always.
 */

/** The parameter that names each kind of thing. */
const PARAMETERS = { flag: 'key', campaign: 'id', webhook: 'id' } as const;

/** @param patches the routes that change fields of each kind */
export const turnOff = (patches: Readonly<Record<keyof typeof PARAMETERS, KeyedRoute>>): KeyedRoute =>
  defineRoute({
    tag: 'Console',
    auth: { keys: [], session: true },
    limitClass: 'none',
    role: 'admin',
    scope: 'none',
    audit: {
      kind: 'flag',
      action: 'turned_off_alone',
      named: namedIn,
      shows: ({ body }) => ({ reason: Object(body).reason }),
    },
    approval: 'none',
    method: 'POST',
    path: '/v1/console/turn-off',
    summary: 'Turn something off at once',
    description:
      'For admins, in an emergency: turns a flag, campaign or webhook off without a second person, whatever its version. ' +
      'The audit shows the reason. Turning it on again waits for approval.',
    repeatsById: true,
    errors: ['NOT_FOUND', 'FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: {
      body: Type.Object(
        {
          kind: Type.Union([Type.Literal('flag'), Type.Literal('campaign'), Type.Literal('webhook')], {
            description: 'What to turn off.',
          }),
          key: Type.String({
            minLength: 1,
            maxLength: API_LIMITS.auditFilterLength,
            description: 'Key of the flag, or id of the campaign or webhook.',
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
      async decide({ body: { kind, key, reason } }, { perform, services: { clock, ids } }) {
        if (reason.trim() === '') return invalid([{ path: '/reason', message: 'must say why it cannot wait' }]);
        const input = {
          params: { [PARAMETERS[kind]]: key },
          query: {},
          headers: reasonHeader(reason),
          body: { enabled: false },
        };
        const made = await perform({ id: ids.uuidv7(clock.wallMs()), route: patches[kind], input });
        return made.kind === 'failure' ? made : jsonAnswer({ key });
      },
    },
  });

function namedIn(body: unknown): Partial<{ kind: string; key: string }> {
  if (typeof body !== 'object' || body === null || !('kind' in body) || !('key' in body)) return {};
  const { kind, key } = body;
  return typeof kind === 'string' && typeof key === 'string' ? { kind, key } : {};
}
