import { quoteIdentifier, quoteString } from './quoting.ts';

/**
 * The columns that readers without the service's password do not see, by table. The embedded engine, the grants of a
 * ClickHouse server (`npm run cli -- clickhouse grants`) and the documents follow this list.
 *
 * Players and their encoded states contain e-mail addresses. Audit entries name the team's people, and what they
 * changed; changes of definitions name them. Writers keep e-mail addresses out of all other columns:
 * `quarantined_events` and `webhook_deliveries` too.
 */
export const HIDDEN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  players: ['email'],
  player_snapshots: ['email', 'state'],
  audit_entries: ['actor', 'network', 'before', 'after'],
  definition_changes: ['actor'],
};

/** Nullable columns, which have a subcolumn for that. */
const NULLABLE: ReadonlySet<string> = new Set(['player_snapshots.email']);
/** A view, whose columns have no subcolumns. */
const VIEWS: ReadonlySet<string> = new Set(['players']);

/** The list for a database: quoted columns with their subcolumns, which have grants of their own, and the table. */
export function hiddenColumnsIn(database: string): { columns: string; table: string }[] {
  return Object.entries(HIDDEN_COLUMNS).map(([table, names]) => {
    const all = VIEWS.has(table) ? names : names.flatMap((name) => withSubcolumns(table, name));
    return { columns: all.map(quoteIdentifier).join(', '), table: `${quoteIdentifier(database)}.${table}` };
  });
}

const withSubcolumns = (table: string, name: string): string[] => [
  name,
  ...(NULLABLE.has(`${table}.${name}`) ? [`${name}.null`] : []),
  `${name}.size`,
];

/** What the accounts on a ClickHouse server are for. */
export const READERS = ['analyst', 'console'] as const;
const MEMORY_BYTES = { analyst: 4_000_000_000, console: 1_000_000_000 } as const;

/** The statements that create an account which reads all tables of a database but these columns. */
export function readerGrants(reader: (typeof READERS)[number], database: string, password: string): string[] {
  const user = quoteIdentifier(reader);
  return [
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY ${quoteString(password)} ` +
      `SETTINGS readonly = 2, max_memory_usage = ${MEMORY_BYTES[reader]}, max_execution_time = 60`,
    `GRANT SELECT ON ${quoteIdentifier(database)}.* TO ${user}`,
    ...hiddenColumnsIn(database).map(({ columns, table }) => `REVOKE SELECT(${columns}) ON ${table} FROM ${user}`),
  ];
}
