/* Written by scripts/generate-operations.ts from the routes of the service. Do not edit. */

/** An API key. */
type APIKey = {
  /** Id of the key. */
  readonly id: string;
  /** Its name, for people. */
  readonly name: string;
  /** First characters of the key. */
  readonly hint: string;
  /** `client` (pk_): for game clients. */
  readonly kind: 'client' | 'server';
  /** Rate limit of the key: 1000 or 10000 requests a minute, or none. */
  readonly tier: 'growth' | 'pro' | 'enterprise';
  /** The scopes that it names. */
  readonly scopes: readonly string[];
  /** When it was created. */
  readonly created_at: string;
  /** Its last request, to the minute. */
  readonly last_used_at: string | null;
  /** When it ends or ended by itself or by its rotation. */
  readonly expires_at: string | null;
  /** Id of the key that replaces it. */
  readonly successor_id: string | null;
  /** When it was revoked. */
  readonly revoked_at: string | null;
};

/** A passkey. */
type Passkey = {
  /** Id of the passkey. */
  readonly id: string;
  /** Its name, chosen by the user. */
  readonly name: string;
  /** Host name of the console that it works on. */
  readonly host: string;
  /** Time of creation, ISO 8601. */
  readonly created_at: string;
  /** When it last signed in, ISO 8601. */
  readonly last_used_at: string | null;
};

/** A role in a game and environment. */
type Role = {
  /** Id of the game. */
  readonly game: string;
  /** Environment. */
  readonly environment: 'live' | 'test' | '*';
  /** Role there. */
  readonly role: 'viewer' | 'analyst' | 'editor' | 'admin';
};

/** The signed-in user. */
type Signed = {
  /** A user of the console. */
  readonly user: {
    /** Id of the user. */
    readonly id: string;
    /** E-mail address, in lower case. */
    readonly email: string;
    /** Roles of the user. */
    readonly grants: readonly Role[];
    /** Whether the user has chosen a password. */
    readonly has_password: boolean;
    /** Passkeys of the user. */
    readonly passkeys: readonly Passkey[];
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
    /** Whether live changes wait for a second person. */
    readonly approval: boolean;
    /** IANA name of the time zone in which its figures count days. */
    readonly time_zone: string;
    /** ISO 4217 code of the currency of its amounts. */
    readonly currency: string | null;
  }[];
};

/** A user, as an admin sees it. */
type User = {
  /** Id of the user. */
  readonly id: string;
  /** E-mail address, in lower case. */
  readonly email: string;
  /** Roles in the games that you are an admin of, and in all games. */
  readonly grants: readonly Role[];
  /** Whether the user has chosen a password. */
  readonly has_password: boolean;
  /** Passkeys of the user. */
  readonly passkeys: readonly Passkey[];
  /** Number of one-time links that are valid. */
  readonly open_links: number;
  /** Number of browsers that are signed in. */
  readonly sessions: number;
  /** Time of creation, ISO 8601. */
  readonly created_at: string;
  /**
   * Roles in your games that do not count yet: the user has an account that other admins made,
   * and has not proved the address to your game.
   */
  readonly pending: readonly Role[];
  /** E-mail address of the admin who made the account. */
  readonly added_by: string | null;
  /**
   * Whether you may end the sessions of the user, and remove it: you could give all of its
   * roles.
   */
  readonly manageable: boolean;
  /** Whether you may make a link for the user. */
  readonly linkable: boolean;
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
      /** The answer of `navigator.credentials.get()` as JSON. */
      readonly passkey?: {
        /** Id of the passkey. */
        readonly id: string;
        /** The response of the authenticator. */
        readonly response: {
          /** What was signed, base64url. */
          readonly clientDataJSON: string;
          /** State of the authenticator, base64url. */
          readonly authenticatorData: string;
          /** The signature, base64url. */
          readonly signature: string;
          /** Id of the user, base64url. */
          readonly userHandle: string;
        };
      };
      /** What the provider’s redirect brought back. */
      readonly openid?: {
        /** The provider’s code. */
        readonly code: string;
        /** The `state` that came back. */
        readonly state: string;
        /** The `iss` that came back, if there was one. */
        readonly iss?: string;
      };
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
  /** Begin to sign in with a passkey. */
  'POST /v1/console/passkeys/sign-in': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** What the passkey signs, base64url. */
      readonly challenge: string;
      /** Host name of the console. */
      readonly rpId: string;
      /** How long the browser waits for the user, milliseconds. */
      readonly timeout: number;
      /** The authenticator asks for PIN, finger or face. */
      readonly userVerification: 'required';
    };
  };
  /** Begin to add a passkey. */
  'POST /v1/console/passkeys/challenge': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The service. */
      readonly rp: {
        /** Host name of the console. */
        readonly id: string;
        /** Name of the service. */
        readonly name: string;
      };
      /** The user. */
      readonly user: {
        /** Id of the user, base64url. */
        readonly id: string;
        /** E-mail address. */
        readonly name: string;
        /** E-mail address. */
        readonly displayName: string;
      };
      /** What the passkey signs, base64url. */
      readonly challenge: string;
      /** Algorithms that the service knows. */
      readonly pubKeyCredParams: readonly {
        /** Always `public-key`. */
        readonly type: 'public-key';
        /** COSE algorithm. */
        readonly alg: number;
      }[];
      /** How long the browser waits for the user, milliseconds. */
      readonly timeout: number;
      /** Passkeys that the user has. */
      readonly excludeCredentials: readonly {
        /** Id of the passkey, base64url. */
        readonly id: string;
        /** Always `public-key`. */
        readonly type: 'public-key';
      }[];
      /** What the authenticator must do. */
      readonly authenticatorSelection: {
        /** The passkey knows its user. */
        readonly residentKey: 'required';
        /** The authenticator asks for PIN, finger or face. */
        readonly userVerification: 'required';
      };
      /** The service does not ask who made the authenticator. */
      readonly attestation: 'none';
    };
  };
  /** Add a passkey. */
  'POST /v1/console/passkeys': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** A name of your choice, such as that of the device. */
      readonly name: string;
      /** The answer of `navigator.credentials.create()` as JSON. */
      readonly passkey: {
        /** Id of the passkey. */
        readonly id: string;
        /** The response of the authenticator. */
        readonly response: {
          /** What was signed, base64url. */
          readonly clientDataJSON: string;
          /** The public key, base64url. */
          readonly attestationObject: string;
        };
      };
    };
    readonly answer: Signed;
  };
  /** Remove a passkey. */
  'DELETE /v1/console/passkeys/{id}': {
    readonly path: {
      /** Id of the passkey. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Signed;
  };
  /** Get the ways to sign in. */
  'GET /v1/console/sign-in-options': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Host of the identity provider. */
      readonly openid: string | null;
    };
  };
  /** Begin to sign in by the identity provider. */
  'POST /v1/console/openid': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Address of the provider’s page. */
      readonly address: string;
    };
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
  /** List changes that belong to no game. */
  'GET /v1/console/audit': {
    readonly path: undefined;
    readonly query: {
      /**
       * Only entries about things of this kind, such as `flag`, `webhook`, `key`, `user` or
       * `player`.
       */
      readonly kind?: string;
      /** Only entries about the thing with this key or id. */
      readonly key?: string;
      /** Only entries with this action, such as `created`, `changed` or `deleted`. */
      readonly action?: string;
      /**
       * Only entries of this user (e-mail address or id), API key (id) or account of the command
       * line.
       */
      readonly actor?: string;
      /** Only entries about this player. */
      readonly player_id?: string;
      /** `stored`: the change is in effect. */
      readonly outcome?: 'begun' | 'stored' | 'refused' | 'unknown';
      /** Only entries at or after this time. */
      readonly from?: string;
      /** Only entries before this time. */
      readonly to?: string;
      /** Maximum number of entries per page, 1 to 100. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Entries of this page. */
      readonly entries: readonly {
        /** Id of the entry. */
        readonly id: string;
        /** When the change was made. */
        readonly at: string;
        /** `live` or `test`. */
        readonly environment: string | null;
        /** Who made the change, and from where. */
        readonly actor: {
          /** `user`: a person in the console. */
          readonly kind: 'user' | 'key' | 'cli' | 'service';
          /** Id of the user or key. */
          readonly id: string;
          /** E-mail address of the user. */
          readonly email: string | null;
          /** IPv4 address, or first half of the IPv6 address, of the request. */
          readonly network: string;
        };
        /** Kind of the thing, such as `flag`, `webhook`, `key`, `user` or `player`. */
        readonly kind: string;
        /** Key or id of the thing. */
        readonly key: string;
        /** What happened to it. */
        readonly action: string;
        /** The player that the change is about. */
        readonly player_id: string | null;
        /** The thing before the change. */
        readonly before: Readonly<Record<string, unknown>> | null;
        /** The thing after the change, or what the request said. */
        readonly after: Readonly<Record<string, unknown>> | null;
        /** The reason that came with the change (`X-Change-Reason`). */
        readonly reason: string | null;
        /** `stored`: the change is in effect. */
        readonly outcome: 'begun' | 'stored' | 'refused' | 'unknown';
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** List users. */
  'GET /v1/console/users': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The users. */
      readonly users: readonly User[];
    };
  };
  /** Add a user. */
  'POST /v1/console/users': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** E-mail address. */
      readonly email: string;
      /** Roles of the user. */
      readonly grants: readonly Role[];
    };
    readonly answer: {
      /** A user, as an admin sees it. */
      readonly user: User;
      /**
       * Path of a page that signs the user in once, within 24 hours: put the address of the
       * service before it.
       */
      readonly link: string | null;
    };
  };
  /** Give a user a role, or change it. */
  'PUT /v1/console/users/{id}/grants': {
    readonly path: {
      /** Id of the user. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: Role;
    readonly answer: User;
  };
  /** Take a role from a user. */
  'DELETE /v1/console/users/{id}/grants': {
    readonly path: {
      /** Id of the user. */
      readonly id: string;
    };
    readonly query: {
      /** Id of the game. */
      readonly game: string;
      /** Environment. */
      readonly environment: 'live' | 'test' | '*';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: User;
  };
  /** Make a one-time link for a user. */
  'POST /v1/console/users/{id}/link': {
    readonly path: {
      /** Id of the user. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** A user, as an admin sees it. */
      readonly user: User;
      /**
       * Path of a page that signs the user in once, within 24 hours: put the address of the
       * service before it.
       */
      readonly link: string | null;
    };
  };
  /** Sign a user out of all browsers. */
  'DELETE /v1/console/users/{id}/sessions': {
    readonly path: {
      /** Id of the user. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: User;
  };
  /** Remove a user. */
  'DELETE /v1/console/users/{id}': {
    readonly path: {
      /** Id of the user. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly removed: boolean;
    };
  };
  /** List the API keys of a game and environment. */
  'GET /v1/console/keys': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The keys. */
      readonly keys: readonly APIKey[];
      /** The highest tier that you may give a key. */
      readonly highest_tier: 'growth' | 'pro' | 'enterprise';
    };
  };
  /** Create an API key. */
  'POST /v1/console/keys': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** A name for people. */
      readonly name?: string;
      /** `client` (pk_): for game clients. */
      readonly kind: 'client' | 'server';
      /** Rate limit of the key: 1000 or 10000 requests a minute, or none. */
      readonly tier: 'growth' | 'pro' | 'enterprise';
      /** Absent or without one of the first eight: all of those. */
      readonly scopes?: readonly (
        | 'track'
        | 'evaluate'
        | 'read'
        | 'export'
        | 'define'
        | 'configure'
        | 'operate'
        | 'erase'
        | 'notify'
        | 'scoring:write'
        | 'audit:read'
      )[];
      /** When it ends, at most 3650 days ahead. */
      readonly expires_at?: string;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
    };
    readonly answer: {
      /** Id of the key. */
      readonly id: string;
      /** Its name, for people. */
      readonly name: string;
      /** First characters of the key. */
      readonly hint: string;
      /** `client` (pk_): for game clients. */
      readonly kind: 'client' | 'server';
      /** Rate limit of the key: 1000 or 10000 requests a minute, or none. */
      readonly tier: 'growth' | 'pro' | 'enterprise';
      /** The scopes that it names. */
      readonly scopes: readonly string[];
      /** When it was created. */
      readonly created_at: string;
      /** Its last request, to the minute. */
      readonly last_used_at: string | null;
      /** When it ends or ended by itself or by its rotation. */
      readonly expires_at: string | null;
      /** Id of the key that replaces it. */
      readonly successor_id: string | null;
      /** When it was revoked. */
      readonly revoked_at: string | null;
      /** The key. */
      readonly key: string;
    };
  };
  /** Replace an API key by a successor. */
  'POST /v1/console/keys/{id}/rotate': {
    readonly path: {
      /** Id of the key. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Days that the old key stays valid. */
      readonly overlap_days?: number;
      /** When it ends, at most 3650 days ahead. */
      readonly expires_at?: string;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
    };
    readonly answer: {
      /** Id of the key. */
      readonly id: string;
      /** Its name, for people. */
      readonly name: string;
      /** First characters of the key. */
      readonly hint: string;
      /** `client` (pk_): for game clients. */
      readonly kind: 'client' | 'server';
      /** Rate limit of the key: 1000 or 10000 requests a minute, or none. */
      readonly tier: 'growth' | 'pro' | 'enterprise';
      /** The scopes that it names. */
      readonly scopes: readonly string[];
      /** When it was created. */
      readonly created_at: string;
      /** Its last request, to the minute. */
      readonly last_used_at: string | null;
      /** When it ends or ended by itself or by its rotation. */
      readonly expires_at: string | null;
      /** Id of the key that replaces it. */
      readonly successor_id: string | null;
      /** When it was revoked. */
      readonly revoked_at: string | null;
      /** The key. */
      readonly key: string;
      /** An API key. */
      readonly predecessor: APIKey;
    };
  };
  /** Revoke an API key. */
  'DELETE /v1/console/keys/{id}': {
    readonly path: {
      /** Id of the key. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: APIKey;
  };
  /** Turn something off at once. */
  'POST /v1/console/turn-off': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** What to turn off. */
      readonly kind: 'flag' | 'experiment' | 'campaign' | 'webhook';
      /** Key of the flag or experiment, or id of the campaign or webhook. */
      readonly key: string;
      /** Why it cannot wait for a second person. */
      readonly reason: string;
    };
    readonly answer: {
      /** Key or id, as you sent it. */
      readonly key: string;
    };
  };
  /** List the changes that wait for a second person. */
  'GET /v1/console/approvals': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The changes. */
      readonly approvals: readonly {
        /** Id of the proposal. */
        readonly id: string;
        /** Method of the request. */
        readonly method: string;
        /** Path of the request, with `{name}` for parameters. */
        readonly path: string;
        /** Parameters of the path. */
        readonly params: Readonly<Record<string, unknown>>;
        /** Body of the request. */
        readonly body: unknown;
        /** What it changes. */
        readonly kind: 'segment' | 'flag' | 'experiment' | 'campaign' | 'property';
        /** Key of the definition. */
        readonly key: string;
        /** The version that it is based on. */
        readonly version: number | null;
        /** The reason that came with the proposal (`X-Change-Reason`). */
        readonly reason: string | null;
        /** E-mail address of the user who proposed it. */
        readonly proposed_by: string;
        /** Whether you proposed it, so that another person must approve it. */
        readonly own: boolean;
        /**
         * Whether the definition changed since: it cannot be approved before `rebase`, or a new
         * proposal.
         */
        readonly outdated: boolean;
        /** Whether it was approved and the change is not confirmed. */
        readonly approving: boolean;
        /** When it was proposed. */
        readonly created_at: string;
        /** When it expires without a decision. */
        readonly expires_at: string;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Approve a change. */
  'POST /v1/console/approvals/{id}/approve': {
    readonly path: {
      /** Id of the proposal. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the proposal. */
      readonly id: string;
    };
  };
  /** Propose a change again, on the current version. */
  'POST /v1/console/approvals/{id}/rebase': {
    readonly path: {
      /** Id of the proposal. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the proposal. */
      readonly id: string;
    };
  };
  /** Reject a change, or take back your own. */
  'DELETE /v1/console/approvals/{id}': {
    readonly path: {
      /** Id of the proposal. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the proposal. */
      readonly id: string;
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
      | 'PRECONDITION_REQUIRED'
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
      /** The scope that the key lacks. */
      readonly scope?: string;
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
      /** What remains of the purchase that the request refunds, in the game's currency. */
      readonly remaining?: number;
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
