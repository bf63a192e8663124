/**
 * A change of what live players get that a person proposed and another one approves. Stored under its id. It holds the
 * valid input of its route, which validates it again when it is made: a later version may read what an earlier stored.
 */
export interface ProposalDocument {
  id: string;
  /** The id that its route declares (`approval`). */
  change: string;
  params: Record<string, string>;
  /** JSON; absent: the request has no body. */
  body?: unknown;
  /** Ids of segments and `computed.` names that it would bring back and `body` does not hold. Absent: none. */
  reads?: readonly string[];
  /** Why it was proposed; absent: nothing was said. */
  reason?: string;
  /** The version that the change is based on; `null`: there was nothing. */
  version: number | null;
  /** Key of the definition; empty: a new one. */
  key: string;
  by: { id: string; email: string };
  createdAt: number;
  /** Who makes it, and since when; absent: it waits. A process that ended meanwhile leaves it. */
  approving?: { by: string; at: number };
}
