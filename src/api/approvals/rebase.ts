import type { TObject, TString } from 'typebox';
import type { ProposalDocument } from '../../../core/vocabulary/documents/proposal.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { jsonAnswer } from '../route/answer.ts';
import type { Approval } from '../route/access.ts';
import { defineRoute, type KeyedRoute, writtenBy } from '../route/route.ts';
import { isOutdated } from './outdated.ts';
import { targetOf } from './proposals.ts';

interface Documented {
  params: TObject<{ id: TString }>;
  Settled: TObject;
  path: string;
}

/**
 * Proposes a change again, on the current version. It is a new proposal: nobody has approved it, and its mark differs.
 * @param changes the routes whose changes may wait, by the ids of their approvals
 */
export const rebase = (
  changes: ReadonlyMap<string, { route: KeyedRoute; of: Approval['of'] }>,
  { params, Settled, path }: Documented,
): KeyedRoute =>
  defineRoute({
    tag: 'Console',
    auth: { keys: [], session: true },
    limitClass: 'none',
    ...writtenBy('editor', 'none', 'none'),
    method: 'POST',
    path: `${path}/{id}/rebase`,
    summary: 'Propose a change again, on the current version',
    description:
      'For its author, when it is `outdated`. The answer has the id of the new proposal. 409 for a `PUT`, which would take ' +
      'back what others changed meanwhile: propose it again from the current definition.',
    repeatsById: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { params },
    reply: {
      description: 'It waits, on the current version.',
      schema: Settled,
      example: { id: '019bc0de-1234-7abc-8def-0123456789ac' },
    },
    action: {
      kind: 'decide',
      async decide({ params: { id } }, context) {
        const { key, services, writes } = context;
        const { game, environment } = key;
        const address = { game, environment, kind: 'proposal', key: id.toLowerCase() } as const;
        const held = services.config.get(address);
        const change = changes.get(held?.document.change ?? '');
        if (held === undefined || change === undefined) return NONE;
        if (held.document.by.id !== key.id) return NOT_YOURS;
        if (held.document.approving !== undefined) return BUSY;
        if (!isOutdated(held.document, change.of, context)) return jsonAnswer({ id: held.key });
        if (change.route.method === 'PUT') return WHOLE;
        const target = targetOf(change.of, held.document.params, context);
        if (target === undefined) return GONE;
        const createdAt = services.clock.wallMs();
        const next: ProposalDocument = {
          ...held.document,
          id: services.ids.uuidv7(createdAt),
          version: target.version,
          createdAt,
        };
        const written = await writes.put({ ...address, key: next.id }, next, 0);
        if (written.kind !== 'written') return failure('SERVICE_UNAVAILABLE');
        // If it stays, it is outdated and cannot be approved.
        await writes.delete(address, held.revision);
        return jsonAnswer({ id: next.id });
      },
    },
  });

const NONE = failure('NOT_FOUND', 'No such change waits: it was approved, rejected, taken back, or it expired.');
const NOT_YOURS = failure('FORBIDDEN', 'Another person proposed this change. Only they can rebase it.');
const BUSY = failure('CONFLICT', 'Another person is approving this change. Look again in a minute.');
const WHOLE = failure(
  'CONFLICT',
  'It replaces the whole definition, and would take back what others changed since. Propose it again from the current one.',
);
const GONE = failure('CONFLICT', 'The definition was deleted since. Take the change back.');
