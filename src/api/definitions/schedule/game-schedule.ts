import { Type } from 'typebox';
import { NextCursor, PageQuery, pageOf } from '../../input/paging.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { defineRoute, readBy } from '../../route/route.ts';
import { OF_GAME_EXAMPLE, ScheduledOfGame, scheduledJson } from './schedule-resource.ts';

/** All changes of a game that wait, by time. */
export const listScheduled = defineRoute({
  ...readBy('viewer'),
  tag: 'Feature flags',
  auth: { keys: ['server'] },
  limitClass: 'none',
  method: 'GET',
  path: '/v1/schedule',
  summary: 'List the scheduled changes of all definitions',
  description: 'Those that wait, by time.',
  errors: [],
  input: { query: PageQuery },
  reply: {
    description: 'A page of changes.',
    schema: Type.Object(
      { changes: Type.Array(ScheduledOfGame, { description: 'The changes of this page.' }), next_cursor: NextCursor },
      { description: 'A page of changes.' },
    ),
    example: { changes: [OF_GAME_EXAMPLE], next_cursor: null },
  },
  action: {
    kind: 'config',
    read({ query }, context) {
      const { game, environment } = context.key;
      const waiting = context.services.config
        .list('schedule', game, environment)
        .flatMap(({ document: { of: kind, key, changes } }) => changes.map((change) => ({ kind, key, change })))
        .filter(({ change: { state } }) => state === 'pending');
      const page = pageOf(waiting, ({ change }) => `${String(change.at).padStart(15, '0')} ${change.id}`, query);
      if (page.kind === 'failure') return page;
      return jsonAnswer({
        changes: page.items.map(({ kind, key, change }) => ({ kind, key, ...scheduledJson(change, context) })),
        next_cursor: page.nextCursor,
      });
    },
  },
});
