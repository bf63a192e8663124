import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { checkPlainName, refuse, refuseSystemTable } from './check-names.ts';
import { isQueryAt } from './clause-words.ts';
import {
  PARAMETERISED_VIEWS,
  SHARED_DATABASES,
  SYSTEM_TABLES,
  TABLE_FUNCTIONS,
  TABLES_OF_ROWS,
} from './reviewed-names.ts';
import { isWord, type Token } from './sql-tokens.ts';

/** The tables that a query may name. */
export interface TableRules {
  /** The service's database. */
  database: string;
  /** The default database for names without one. */
  currentDatabase: string;
  /** All databases and tables are allowed; files are still refused. */
  readsEverything: boolean;
  /** The caller reads one game only: tables that describe the stored rows of all games are refused. */
  isOfGame: boolean;
}

/** Both throw unless every table is allowed. */
export interface TableCheck {
  /** Checks the table that is named at `at`; returns the last token of its name. */
  named(at: number): number;
  /** Checks a list after IN. The engine interprets a name in parentheses as a table too, as in `x IN ((name))`. */
  members(open: number): void;
}

/** @param closing the position of each closing bracket, by the position of its opening bracket */
export function createTableCheck(
  tokens: readonly Token[],
  closing: ReadonlyMap<number, number>,
  rules: TableRules,
): TableCheck {
  function named(at: number): number {
    const first = checkPlainName(tokens[at]);
    if (tokens[at + 1]?.value !== '.') {
      checkTable(rules.currentDatabase, first);
      return at;
    }
    checkTable(first, checkPlainName(tokens[at + 2]));
    if (tokens[at + 3]?.value === '.') refuse('A table is named as database.table');
    return at + 2;
  }

  function checkTable(database: string, name: string): void {
    if (rules.readsEverything) return;
    const known = database.toLowerCase();
    // Names of WITH are not exempt, because scopes determine whether a name means the query or the table.
    if (known === 'system' && !SYSTEM_TABLES.has(name.toLowerCase())) refuseSystemTable(name);
    if (rules.isOfGame && known === 'system' && TABLES_OF_ROWS.has(name.toLowerCase())) {
      refuse(`The table system.${name.toLowerCase()} describes rows of all games; a reader of one game cannot read it`);
    }
    checkDatabase(database, rules);
  }

  function members(open: number): void {
    const close = closing.get(open) ?? open;
    if (isQueryAt(tokens, open + 1)) return;
    for (let at = open + 1; at < close; at++) {
      const token = tokens[at];
      const isFirst = at === open + 1 || tokens[at - 1]?.value === ',';
      if (token?.kind === 'symbol') {
        if (token.value === '(' && isFirst) members(at);
        at = closing.get(at) ?? at;
      } else if (isFirst && (token?.kind === 'word' || token?.kind === 'name')) member(at);
    }
  }

  function member(at: number): void {
    const next = tokens[at + 1];
    if (next?.value === '.') {
      checkPlainName(tokens[at]);
      checkPlainName(tokens[at + 2]);
    } else if (next?.value === ',' || next?.value === ')' || isWord(next, 'as')) {
      if (!isWord(tokens[at], 'null', 'true', 'false')) checkTable(rules.currentDatabase, checkPlainName(tokens[at]));
    }
  }

  return { named, members };
}

/** Throws unless the table function is allowed. */
export function checkTableFunction(token: Token | undefined): void {
  const name = token?.value ?? '';
  if (TABLE_FUNCTIONS.has(name.toLowerCase()) || PARAMETERISED_VIEWS.has(name)) return;
  const allowed = [...TABLE_FUNCTIONS, ...PARAMETERISED_VIEWS].join(', ');
  refuse(`The table function ${name.slice(0, 100)} is not allowed. Allowed are: ${allowed}`);
}

/** Throws unless a reader may name the database. */
export function checkDatabase(database: string, rules: Pick<TableRules, 'database' | 'readsEverything'>): void {
  if (rules.readsEverything || database === rules.database || SHARED_DATABASES.has(database.toLowerCase())) return;
  throw new RefusedRequest(
    'UNKNOWN_DATABASE',
    `There is no database ${database.slice(0, 100)}, or it is not allowed. ` +
      `Allowed are: ${rules.database}, system, information_schema`,
  );
}
