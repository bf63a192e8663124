import { isDeploymentAdmin } from '../../../streams/config/people/user-roles.ts';
import { entriesAnswer, EntriesPage, EntriesQuery, entriesQuestion } from '../audit/audit-entries.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { defineConsoleRoute } from './console-route.ts';

/** The route that lists the changes that belong to no game. */
export const listDeploymentAudit = defineConsoleRoute({
  method: 'GET',
  path: '/v1/console/audit',
  summary: 'List changes that belong to no game',
  description: 'Changes of users and of the deployment, newest first, as `GET /v1/audit`. For admins of all games.',
  adminOnly: isDeploymentAdmin,
  errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  input: { query: EntriesQuery },
  reply: EntriesPage,
  async handle({ query }, { services }) {
    const asked = entriesQuestion({ game: '_', environment: '_' }, query);
    if (asked.kind === 'failure') return asked;
    const found = await services.analytics.auditEntries(asked.question.query);
    return found.kind === 'unavailable' ? clickHouseUnavailable() : entriesAnswer(found.value, asked.question);
  },
});
