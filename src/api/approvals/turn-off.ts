import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { APPROVAL_LIMITS } from './limits.ts';
import { answer, type Answer } from '../route/answer.ts';
import { defineRoute, invalid } from '../route/route.ts';

/*
 * Turning something off without a second person, when players are harmed now.
 *
 * Invariant: it only narrows what players get. Turning on again, and every other change, waits as always.
 */

export const TURN_OFF_PATH = '/v1/console/turn-off';

const PATHS = {
  flag: { path: '/v1/flags/flags/{key}', parameter: 'key' },
  campaign: { path: '/v1/campaigns/campaigns/{id}', parameter: 'id' },
  webhook: { path: '/v1/integrations/webhooks/{id}', parameter: 'id' },
} as const;

export const turnOff = defineRoute({
  tag: 'Console',
  auth: { keys: [], session: true },
  limitClass: 'none',
  method: 'POST',
  path: TURN_OFF_PATH,
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
    statuses: [200],
    description: 'It is off.',
    schema: Type.Object(
      { key: Type.String({ description: 'Key or id, as you sent it.' }) },
      { description: 'What is off now.' },
    ),
    example: { key: 'new_shop' },
  },
  action: {
    kind: 'service',
    async call({ body: { kind, key, reason } }, { perform, services: { clock, ids } }): Promise<Answer> {
      if (reason.trim() === '') return invalid([{ path: '/reason', message: 'must say why it cannot wait' }]);
      const { path, parameter } = PATHS[kind];
      const made = await perform?.({
        id: ids.uuidv7(clock.wallMs()),
        method: 'PATCH',
        path,
        params: { [parameter]: key },
        body: { enabled: false },
        version: null,
      });
      if (made === undefined) return failure('NOT_FOUND');
      return made.kind === 'failure' ? made : answer(JSON.stringify({ key }));
    },
  },
});
