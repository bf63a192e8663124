import { API_LIMITS } from '../limits.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { entriesAnswer, EntriesPage, type EntriesQuestion, EntriesQuery, entriesQuestion } from './audit-entries.ts';

/* The route that lists who changed what in a game. */

export const listAudit = defineRoute({
  method: 'GET',
  path: '/v1/audit',
  tag: 'Audit',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('admin', 'audit:read'),
  summary: 'List changes that people, API keys and operators made',
  description:
    'Lists the changes of definitions, webhooks, keys, users and overrides, and erasures, newest first. They appear ' +
    `one or two seconds after they are made, and are kept for ${API_LIMITS.auditYears} years. Without \`outcome\`, changes ` +
    'that were refused are left out. `from` is inclusive, `to` exclusive. A cursor is valid only with the same filters.',
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: EntriesQuery },
  reply: EntriesPage,
  action: {
    kind: 'analytics',
    rowsOf: 'AUDIT',
    toQuestion: ({ query }, { key }) => entriesQuestion(key, query),
    read: (analytics, { query }: EntriesQuestion) => analytics.auditEntries(query),
    toAnswer: (found, question) => entriesAnswer(found, question),
  },
});
