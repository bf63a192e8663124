/**
 * A change of what live players get that a person proposed and another one approves. Stored under its id. It is the
 * request as it was validated: it is validated again when it is made.
 */
export interface ProposalDocument {
  id: string;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The endpoint's path, with `{name}` for parameters. */
  path: string;
  params: Record<string, string>;
  /** JSON; absent: the request has no body. */
  body?: unknown;
  /** The version that the change is based on; `null`: there was nothing. */
  version: number | null;
  kind: 'flag' | 'campaign' | 'segment' | 'property';
  /** Key of the definition; empty: a new one. */
  key: string;
  by: { id: string; email: string };
  createdAt: number;
  /** Who makes it, and since when; absent: it waits. A process that ended meanwhile leaves it. */
  approving?: { by: string; at: number };
}
