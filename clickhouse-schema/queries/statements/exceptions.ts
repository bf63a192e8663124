import { HIDDEN_COLUMNS } from '../../hidden-columns.ts';

/** A failed statement in ClickHouse's form: code, text of the HTTP body, and HTTP status. */
export interface EngineFailure {
  code: number;
  status: number;
  /** `Code: 62. DB::Exception: … (SYNTAX_ERROR) (version 26.7.2.1)`. */
  text: string;
}

/** The codes that this interface raises itself, by name. */
const OWN = {
  UNSUPPORTED_METHOD: 1,
  BAD_ARGUMENTS: 36,
  UNKNOWN_FUNCTION: 46,
  SYNTAX_ERROR: 62,
  UNKNOWN_FORMAT: 73,
  UNKNOWN_DATABASE: 81,
  TIMEOUT_EXCEEDED: 159,
  QUERY_IS_TOO_LARGE: 158,
  READONLY: 164,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  TOO_LARGE_STRING_SIZE: 131,
  ABORTED: 236,
  UNKNOWN_COMPRESSION_METHOD: 89,
  SETTING_CONSTRAINT_VIOLATION: 452,
  ACCESS_DENIED: 497,
  AUTHENTICATION_FAILED: 516,
  STD_EXCEPTION: 1001,
} as const;

/** Thrown to respond with one of the codes above. */
export class RefusedRequest extends Error {
  readonly failure: EngineFailure;
  constructor(name: keyof typeof OWN, message: string, status = statusOf(OWN[name])) {
    super(message);
    this.failure = { code: OWN[name], status, text: `Code: ${OWN[name]}. DB::Exception: ${message}. (${name})` };
  }
}

/** Of readers' tables, these alone have columns that readers cannot read. */
const TABLES_WITH_EMAILS = Object.keys(HIDDEN_COLUMNS);
const NO_EMAILS =
  'E-mails need the password of the service. Leave their columns out: SELECT * EXCEPT email FROM players, ' +
  'SELECT * FROM live_players, SELECT * EXCEPT (email, state) FROM player_snapshots, or SELECT * FROM ' +
  'live_audit_entries or live_definition_changes';

/** The engine reports column names that Avro refuses as an internal error, but they are errors of the caller. */
const AVRO_REFUSAL = 'type: avro::Exception, e.what() = ';

/** Converts anything thrown while handling a statement to a response. */
export function failureOf(error: unknown, version: string): EngineFailure {
  if (error instanceof RefusedRequest) return withVersion(error.failure, version);
  const message = error instanceof Error ? error.message : String(error);
  const found = /Code: (\d+)\. DB::[\s\S]*/.exec(message);
  if (found === null) {
    const text = `Code: ${OWN.STD_EXCEPTION}. DB::Exception: ${message}. (STD_EXCEPTION)`;
    return withVersion({ code: OWN.STD_EXCEPTION, status: 500, text }, version);
  }
  const code = Number(found[1]);
  if (code === OWN.ACCESS_DENIED && TABLES_WITH_EMAILS.some((table) => message.includes(`.${table}`))) {
    return withVersion(new RefusedRequest('ACCESS_DENIED', NO_EMAILS).failure, version);
  }
  const avroAt = code === OWN.STD_EXCEPTION ? message.indexOf(AVRO_REFUSAL) : -1;
  if (avroAt >= 0) {
    const reason = message
      .slice(avroAt + AVRO_REFUSAL.length)
      .slice(0, 300)
      .trim();
    const refused = new RefusedRequest('BAD_ARGUMENTS', `Avro cannot hold this result: ${reason}`);
    return withVersion(refused.failure, version);
  }
  return withVersion({ code, status: statusOf(code), text: found[0].trim() }, version);
}

function withVersion(failure: EngineFailure, version: string): EngineFailure {
  return { ...failure, text: `${failure.text} (version ${version})\n` };
}

/** ClickHouse's mapping of codes to statuses, for the codes that clients distinguish. */
function statusOf(code: number): number {
  switch (code) {
    case 158: // QUERY_IS_TOO_LARGE
    case 131: // TOO_LARGE_STRING_SIZE
      return 413;
    case 1: // UNSUPPORTED_METHOD
    case 48: // NOT_IMPLEMENTED
      return 501;
    case 60: // UNKNOWN_TABLE
    case 46: // UNKNOWN_FUNCTION
    case 47: // UNKNOWN_IDENTIFIER
    case 50: // UNKNOWN_TYPE
    case 56: // UNKNOWN_STORAGE
    case 73: // UNKNOWN_FORMAT
    case 81: // UNKNOWN_DATABASE
    case 115: // UNKNOWN_SETTING
      return 404;
    case 159: // TIMEOUT_EXCEEDED
      return 408;
    case 516: // AUTHENTICATION_FAILED
    case 497: // ACCESS_DENIED
      return 403;
    case 202: // TOO_MANY_SIMULTANEOUS_QUERIES
    case 236: // ABORTED
      return 503;
    case 6: // CANNOT_PARSE_TEXT
    case 26: // CANNOT_PARSE_QUOTED_STRING
    case 27: // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    case 36: // BAD_ARGUMENTS
    case 38: // CANNOT_PARSE_DATE
    case 41: // CANNOT_PARSE_DATETIME
    case 53: // TYPE_MISMATCH
    case 62: // SYNTAX_ERROR
    case 72: // CANNOT_PARSE_NUMBER
    case 89: // UNKNOWN_COMPRESSION_METHOD
    case 117: // INCORRECT_DATA
    case 456: // UNKNOWN_QUERY_PARAMETER
    case 457: // BAD_QUERY_PARAMETER
      return 400;
    default:
      return 500;
  }
}
