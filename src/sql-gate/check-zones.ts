import { SQL_GATE_LIMITS } from './limits.ts';
import { pairs } from './check-clauses.ts';
import { refuse } from './check-names.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { isCommonZone, isZone } from './known-zones.ts';
import { isWord, tokenize, type Token } from './sql-tokens.ts';
import { DATE_FUNCTIONS, TYPE_ARGUMENTS, ZONE_ARGUMENTS } from './zone-arguments.ts';

/**
 * Throws unless every time zone of a statement is a literal with the name of a zone. The engine opens other names as
 * files: `toDateTime(0, 'file:/dev/ptmx')` would hold a lock for ever that every new connection needs. Types have zones
 * as well, and a type may be a text, so that has to be a literal too.
 *
 * This is the first of two barriers: the engine's process can open none of these files (`confine.pl`).
 * @param parameters values of `{name:Type}`
 */
export function checkZones(tokens: readonly Token[], parameters: ReadonlyMap<string, string>): void {
  const zones = createZones();
  const closing = pairs(tokens);
  const textOf = (token: Token): string | undefined => {
    if (token.kind === 'string') return plainText(token.text);
    return token.kind === 'parameter' ? parameters.get(token.text.slice(1, token.text.indexOf(':'))) : undefined;
  };
  tokens.forEach((token, place) => {
    if (token.kind === 'string') checkTypeText(decoded(token.text), zones);
    if (token.kind === 'parameter') checkTypeText(token.text.slice(token.text.indexOf(':') + 1, -1), zones);
    if (token.kind === 'name') checkTypeText(token.value, zones);
    if (token.kind !== 'word' && token.kind !== 'name') return;
    if (tokens[place + 1]?.value !== '(' || tokens[place + 1]?.kind !== 'symbol') return;
    const name = token.value.toLowerCase();
    const zonePositions = ZONE_ARGUMENTS.get(name);
    const typePosition = TYPE_ARGUMENTS.get(name);
    if (zonePositions === undefined && typePosition === undefined && name !== 'timestamp') return;
    const given = argumentsAt(tokens, closing, place + 1);
    for (const position of zonePositions ?? []) checkZone(name, given[position]);
    if (name === 'timestamp') checkTimestamp(given);
    if (typePosition !== undefined) checkType(name, given, typePosition);
  });

  function checkZone(name: string, argument: Argument | undefined): void {
    if (argument === undefined) return;
    const first = tokens[argument.start];
    if (first === undefined) return;
    if (argument.end - argument.start === 1) {
      if (first.kind === 'number' || isWord(first, 'null')) return;
      const text = textOf(first);
      if (text !== undefined && zones.has(text)) return;
    }
    // `toStartOfInterval` has an origin where others have the zone.
    const isDate = first.kind === 'word' && DATE_FUNCTIONS.has(first.value);
    if (isDate && closing.get(argument.start + 1) === argument.end - 1) return;
    refuse(`${name}: write the time zone as a literal with the name of a zone, as 'Europe/Berlin'`);
  }

  /** A type with a zone, or the function, whose arguments are dates. */
  function checkTimestamp([argument]: readonly Argument[]): void {
    const only = argument === undefined ? undefined : onlyToken(argument);
    if (only?.kind !== 'string') return;
    if (/^'[\d\s:.TZ+-]*'$/.test(only.text) || zones.has(plainText(only.text) ?? '')) return;
    refuse("timestamp: the text must be a date, or the name of a time zone, as 'Europe/Berlin'");
  }

  function checkType(name: string, given: readonly Argument[], position: number): void {
    const argument = given.at(position);
    // `CAST(x AS T)` has one argument; its type is checked as a part of the statement.
    if (argument === undefined || (given.length === 1 && position !== 0)) return;
    const only = onlyToken(argument);
    const text = only === undefined ? undefined : typeTextOf(only);
    if (text === undefined) refuse(`${name}: write the type as a literal, as 'Float64'`);
    checkTypeText(text, zones);
  }

  function onlyToken({ start, end }: Argument): Token | undefined {
    return end - start === 1 ? tokens[start] : undefined;
  }

  function typeTextOf(token: Token): string | undefined {
    if (token.kind !== 'string') return textOf(token);
    const text = decoded(token.text);
    return text.includes('\\') ? undefined : text;
  }
}

/** Looks up names of zones, a bounded number for a statement. */
interface Zones {
  has(name: string): boolean;
}

function createZones(): Zones {
  let left: number = SQL_GATE_LIMITS.clickhouseStatementZones;
  return {
    has(name) {
      if (isCommonZone(name)) return true;
      if (left === 0)
        refuse(`A statement names at most ${SQL_GATE_LIMITS.clickhouseStatementZones} uncommon time zones`);
      left -= 1;
      return isZone(name);
    },
  };
}

/** Checks the zones of a text if it can be a type with a zone. Other texts pass. */
function checkTypeText(text: string, zones: Zones): void {
  if (!/datetime|timestamp/i.test(text) || !text.includes('(') || !text.includes("'")) return;
  const { tokens, closing } = tokensOf(text);
  tokens.forEach((token, place) => {
    if (!isWord(token, 'datetime', 'datetime32', 'datetime64', 'timestamp')) return;
    for (const { start } of argumentsAt(tokens, closing, place + 1)) {
      const first = tokens[start];
      if (first?.kind === 'string' && !zones.has(plainText(first.text) ?? '')) {
        refuse(`${token.text}: the type has the name of a time zone, as 'Europe/Berlin'`);
      }
    }
  });
}

interface Nested {
  tokens: readonly Token[];
  /** The place of each closing bracket, by that of its opening one. */
  closing: ReadonlyMap<number, number>;
}

/** Nothing for a text that cannot be tokens, and so is no type. */
function tokensOf(text: string): Nested {
  try {
    const { tokens } = tokenize(text, new Map());
    return { tokens, closing: pairs(tokens) };
  } catch (error) {
    if (error instanceof RefusedRequest) return { tokens: [], closing: new Map() };
    throw error;
  }
}

/** The text of a string token without quotes; undefined if it has quotes or escapes inside, or is a binary literal. */
function plainText(quoted: string): string | undefined {
  const text = quoted.slice(1, -1);
  return quoted.startsWith("'") && !text.includes('\\') && !text.includes("'") ? text : undefined;
}

/** The text of a string token with its quotes read; other escapes stay. */
function decoded(quoted: string): string {
  return quoted.startsWith("'") ? quoted.slice(1, -1).replaceAll("''", "'").replaceAll("\\'", "'") : '';
}

/** The tokens from `start` up to, not including, `end`. */
interface Argument {
  start: number;
  end: number;
}

/** The arguments between the brackets that open at `open`; none if there are no brackets. Skips nested brackets. */
function argumentsAt(tokens: readonly Token[], closing: Nested['closing'], open: number): readonly Argument[] {
  const close = closing.get(open);
  if (close === undefined || close === open + 1) return [];
  const found: Argument[] = [];
  let start = open + 1;
  for (let at = start; at < close; at = (closing.get(at) ?? at) + 1) {
    if (tokens[at]?.kind !== 'symbol' || tokens[at]?.value !== ',') continue;
    found.push({ start, end: at });
    start = at + 1;
  }
  return [...found, { start, end: close }];
}
