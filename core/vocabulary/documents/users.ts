import type { Environment } from './scope.ts';

/** The roles of people in the console. Each may do everything that the ones before it may. */
export const ROLES = ['viewer', 'analyst', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A role in a game and environment; `*`: in all of them. */
export interface Grant {
  game: string;
  environment: Environment | '*';
  role: Role;
}

/** Where a role holds. */
export type RolePlace = Omit<Grant, 'role'>;

/** A person who uses the console. Stored under its id with game and environment `_`, because it spans games. */
export interface UserDocument {
  id: string;
  /** Lower case, unique. */
  email: string;
  grants: Grant[];
  /**
   * Roles that count only once the person's address is proved there (`streams/config/people/proof.ts`). Absent: none.
   */
  pending?: Grant[];
  /** Where the ways in prove whose account it is: by a link of an admin there, or the provider. */
  proved: readonly RolePlace[];
  /** E-mail address of the admin who added the user. Absent: an operator did. */
  addedBy?: string;
  /** Hash with its salt and cost (`password-hash.ts`); `null`: none was chosen, so only a link signs the user in. */
  password: string | null;
  /** One-time links, by the SHA-256 of their token in hex; bounded in number. */
  links: UserToken[];
  /** Browsers that are signed in, by the SHA-256 of their session's token in hex; bounded in number. */
  sessions: UserToken[];
  /** The person at the identity provider. Absent: it did not sign the user in yet. */
  openId?: { issuer: string; subject: string };
  /** Bounded in number. Absent: none. */
  passkeys?: readonly Passkey[];
  createdAt: number;
  updatedAt: number;
}

/** A passkey: a key pair on the user's device, of which the service has the public key. */
export interface Passkey {
  /** Id of the credential, base64url. */
  id: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** Uses that the authenticator counted; 0 if it counts none. */
  counter: number;
  /** The user's name for it. */
  name: string;
  /** Host name of the console that it was made on; it works there only. */
  rpId: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface UserToken {
  hash: string;
  createdAt: number;
  expiresAt: number;
  /** Of a link: what its use proves. Absent: everything, because an operator or an admin of all games made it. */
  proves?: readonly RolePlace[];
}
