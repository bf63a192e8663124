/* Written by scripts/generate-operations.ts from the routes of the service. Do not edit. */

/** The signed-in user. */
type Signed = {
  /** A user of the console. */
  readonly user: {
    /** Id of the user. */
    readonly id: string;
    /** E-mail address, in lower case. */
    readonly email: string;
    /** Roles of the user. */
    readonly grants: readonly {
      /** Id of the game. */
      readonly game: string;
      /** Environment. */
      readonly environment: 'live' | 'test' | '*';
      /** Role there. */
      readonly role: 'viewer' | 'analyst' | 'editor' | 'admin';
    }[];
    /** Whether the user has chosen a password. */
    readonly has_password: boolean;
    /** Number of one-time links that are valid. */
    readonly open_links: number;
    /** Number of browsers that are signed in. */
    readonly sessions: number;
    /** Time of creation, ISO 8601. */
    readonly created_at: string;
  };
  /** Send it as X-CSRF-Token with every request that changes something. */
  readonly csrf_token: string;
  /** When the session ends, ISO 8601. */
  readonly expires_at: string;
  /** Games in which the user has a role. */
  readonly games: readonly {
    /** Id of the game. */
    readonly id: string;
    /** Name of the game. */
    readonly name: string;
  }[];
};

/**
 * Every endpoint by method and path: its parameters, its body, and what it answers. Left out are the headers that
 * many endpoints share: Idempotency-Key and X-Player-Token.
 */
export interface Operations {
  /** Sign in to the console. */
  'POST /v1/console/sessions': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The token of a one-time link. */
      readonly link?: string;
      /** E-mail address. */
      readonly email?: string;
      /** The password, with `email`. */
      readonly password?: string;
    };
    readonly answer: Signed;
  };
  /** Sign out of all browsers. */
  'DELETE /v1/console/sessions': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly signed_out: boolean;
    };
  };
  /** Get the signed-in user. */
  'GET /v1/console/me': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Signed;
  };
  /** Sign out of this browser. */
  'DELETE /v1/console/session': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly signed_out: boolean;
    };
  };
  /** Choose a password. */
  'PUT /v1/console/password': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The new password. */
      readonly password: string;
      /** The password until now. */
      readonly current?: string;
    };
    readonly answer: Signed;
  };
  /** Run a statement that reads ClickHouse. */
  'POST /v1/console/sql': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The statement, without FORMAT. */
      readonly statement: string;
    };
    readonly answer: {
      /** The columns, in order. */
      readonly columns: readonly {
        /** Name of the column. */
        readonly name: string;
        /** Its ClickHouse type. */
        readonly type: string;
      }[];
      /** The rows. */
      readonly rows: readonly (readonly unknown[])[];
      /** Whether there were more rows than these. */
      readonly truncated: boolean;
    };
  };
}

/** The body of a failed request. */
export type ErrorBody = {
  /** Always false. */
  readonly success: false;
  /** The error. */
  readonly error: {
    /** Error code. */
    readonly code:
      | 'VALIDATION_ERROR'
      | 'UNAUTHORIZED'
      | 'FORBIDDEN'
      | 'NOT_FOUND'
      | 'PLAYER_NOT_FOUND'
      | 'SESSION_NOT_FOUND'
      | 'FLAG_NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'CONFLICT'
      | 'DUPLICATE_PLAYER'
      | 'PRECONDITION_FAILED'
      | 'PAYLOAD_TOO_LARGE'
      | 'QUERY_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'RATE_LIMIT_EXCEEDED'
      | 'INTERNAL_ERROR'
      | 'MODEL_UNAVAILABLE'
      | 'SERVICE_UNAVAILABLE';
    /** Explanation for people. */
    readonly message: string;
    /** Details of the error. */
    readonly details: {
      /** The session in the request that is not open. */
      readonly session_id?: string;
      /** How a game client can continue. */
      readonly suggestion?: string;
      /** The current version, if `If-Match` names another one. */
      readonly version?: number;
      /** The field whose value is already taken. */
      readonly field?: string;
      /** Whether the value belongs to a deleted flag. */
      readonly archived?: boolean;
      /** Keys of the flags that use the segment. */
      readonly flags?: readonly string[];
      /** Keys of the campaigns that use the segment. */
      readonly campaigns?: readonly string[];
      /** Start time of the recovery that is already running. */
      readonly since?: string;
      /** The faults of the request. */
      readonly fields?: readonly {
        /** JSON Pointer into the body, or the name of a header or parameter. */
        readonly path: string;
        /** The rule that the value breaks. */
        readonly message: string;
      }[];
    };
  };
};
