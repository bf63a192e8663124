import { Type } from 'typebox';
import type { SqlResult } from './sql-reader.ts';
import type { Role, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { SQL_LIMITS } from './limits.ts';
import { answer, type Answer } from '../../route/answer.ts';
import { invalid } from '../../route/route.ts';
import { defineConsoleRoute } from '../console-route.ts';
import { mayAct } from '../../route/access.ts';
import { withoutTexts } from './statement-shown.ts';

/*
 * The route that runs SQL of people. ClickHouse's rows are not divided by game for a reader, so it is for those who may
 * see all games.
 */

const LEAST: Role = 'analyst';

const Result = Type.Object(
  {
    columns: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the column.' }),
          type: Type.String({ description: 'Its ClickHouse type.' }),
        },
        { description: 'A column.' },
      ),
      { description: 'The columns, in order.' },
    ),
    rows: Type.Array(Type.Array(Type.Unknown({ description: 'A value.' }), { description: 'A row, by column.' }), {
      description: 'The rows. Integers of 64 bits and decimals are texts, because JSON readers round them.',
    }),
    truncated: Type.Boolean({ description: 'Whether there were more rows than these.' }),
  },
  { description: 'The result of a statement.' },
);

export const runSql = defineConsoleRoute({
  method: 'POST',
  path: '/v1/console/sql',
  summary: 'Run a statement that reads ClickHouse',
  description:
    `For people with the role \`${LEAST}\` or more in all games and both environments. One SELECT, SHOW, DESCRIBE, ` +
    'EXISTS or EXPLAIN, as readers of the embedded ClickHouse may send; no e-mails, files or addresses. It has ' +
    `${SQL_LIMITS.sqlSeconds} seconds and ${SQL_LIMITS.sqlMemoryBytes / 1024 / 1024} MiB of memory, and ends when its caller ` +
    `disconnects. The answer has at most ${SQL_LIMITS.sqlRows} rows and ${SQL_LIMITS.sqlResultBytes / 1024 / 1024} MiB. In ` +
    `one process a user has ${SQL_LIMITS.sqlOfUser} statements at a time: one runs, the others wait for it.`,
  repeatCounts: true,
  errors: [
    'VALIDATION_ERROR',
    'FORBIDDEN',
    'NOT_FOUND',
    'QUERY_TOO_LARGE',
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
  ],
  input: {
    body: Type.Object(
      {
        statement: Type.String({
          minLength: 1,
          maxLength: SQL_LIMITS.sqlLength,
          description: 'The statement, without FORMAT.',
        }),
      },
      { additionalProperties: false, description: 'A statement.' },
    ),
  },
  example: { statement: "SELECT event_name, count() FROM events WHERE game_id = 'demo' GROUP BY ALL" },
  reply: {
    description: 'The result.',
    schema: Result,
    example: {
      columns: [
        { name: 'event_name', type: 'LowCardinality(String)' },
        { name: 'count()', type: 'UInt64' },
      ],
      rows: [['level_up', '1520']],
      truncated: false,
    },
  },
  async handle({ body: { statement } }, { services, signedIn, whenGone, auditAs }) {
    if (!readsAll(signedIn.user)) return NOT_ALL;
    const gone = new AbortController();
    whenGone(() => gone.abort());
    const { user, session } = signedIn;
    const end = await auditAs(user, { kind: 'sql', action: 'ran', shows: { statement: withoutTexts(statement) } });
    if (end === undefined) return failure('SERVICE_UNAVAILABLE', 'The statement cannot be audited now. Try again.');
    const result = await services.sql.run(statement, { user: user.id, signal: gone.signal });
    end(result.kind === 'rows' ? 'stored' : 'refused');
    // Role or session may end while a statement runs.
    const now = services.config.get(userAddress(user.id))?.document;
    const isOpen = now?.sessions.some(({ hash }) => hash === session.hash) === true;
    return isOpen && readsAll(now) ? answerOf(result) : NOT_ALL;
  },
});

/** Whether a user has the role in every game, those included that are made later. */
function readsAll({ grants }: UserDocument): boolean {
  return grants.some(({ game, environment, role }) => game === '*' && environment === '*' && mayAct(role, LEAST));
}

function answerOf(result: SqlResult): Answer {
  switch (result.kind) {
    case 'rows': {
      const { columns, rows, truncated } = result;
      return answer(`{"columns":${JSON.stringify(columns)},"rows":[${rows.join()}],"truncated":${truncated}}`);
    }
    case 'refused':
      return invalid([{ path: '/statement', message: `is refused: ${result.message}` }]);
    case 'too_large':
      return tooLarge(result.bound);
    case 'busy':
      return TOO_MANY;
    case 'share':
      return TOO_MANY_OWN;
    case 'unavailable':
      return failure('SERVICE_UNAVAILABLE', 'ClickHouse does not answer; retry later.');
    case 'off':
      return failure('NOT_FOUND', OFF);
  }
}

const BOUNDS = {
  time: `${SQL_LIMITS.sqlSeconds} seconds`,
  rows: 'the rows that it may read',
  memory: `${SQL_LIMITS.sqlMemoryBytes / 1024 / 1024} MiB of memory`,
  result: `${SQL_LIMITS.sqlResultBytes / 1024 / 1024} MiB of result`,
} as const;

function tooLarge(bound: keyof typeof BOUNDS): Failure {
  const message = `The statement exceeds ${BOUNDS[bound]}; read fewer days or columns, or add a LIMIT.`;
  return failure('QUERY_TOO_LARGE', message, { bound });
}

const NOT_ALL = failure(
  'FORBIDDEN',
  `SQL reads the rows of all games, so it needs the role ${LEAST} in all of them: an operator grants it with ` +
    '`npm run cli -- users grant <e-mail> --role analyst --game "*"`.',
);
const TOO_MANY = failure('RATE_LIMIT_EXCEEDED', 'Too many statements are running; retry when one of them has ended.');
const TOO_MANY_OWN = failure(
  'RATE_LIMIT_EXCEEDED',
  `You have ${SQL_LIMITS.sqlOfUser} statements that run or wait, the maximum; end one of them, or wait for it.`,
);
const OFF =
  'This service has no account to read ClickHouse with. Set CLICKHOUSE_READER_USER and CLICKHOUSE_READER_PASSWORD; ' +
  'docs/console.md says what the account needs.';
