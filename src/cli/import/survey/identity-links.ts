import { createKeyTable } from './key-table.ts';
import { SURVEY_LIMITS } from './limits.ts';
import { tooMuch } from './too-much.ts';

/** Which user an anonymous id became. */
export interface IdentityLinks {
  /** A line of this time names both. An id that met several users belongs to the first of them. */
  link(id: string, user: string, atMs: number): void;
  /** The user that an id became, over as many steps as there are; `undefined`: none. */
  userOf(id: string): string | undefined;
}

export function createIdentityLinks(mostLinks: number = SURVEY_LIMITS.surveyLinks): IdentityLinks {
  const ids = createKeyTable();
  const users: string[] = [];
  const times: number[] = [];

  function next(id: string): string | undefined {
    const place = ids.placeOf(id);
    return place === undefined ? undefined : users[place];
  }

  return {
    link(id, user, atMs) {
      if (id === user) return;
      const place = ids.add(id);
      const before = times[place];
      // The order of the files does not matter: of two lines of one time the smaller id counts.
      if (before !== undefined && (before < atMs || (before === atMs && (users[place] ?? '') <= user))) return;
      users[place] = user;
      times[place] = atMs;
      if (ids.size > mostLinks) throw tooMuch(`${mostLinks} anonymous ids that became users`);
    },
    userOf(id) {
      const seen = [id];
      for (let user = next(id); user !== undefined; user = next(user)) {
        const from = seen.indexOf(user);
        // Ids that became each other are one player, known by the smallest of them.
        if (from >= 0) return seen.slice(from).reduce((one, other) => (other < one ? other : one));
        seen.push(user);
        if (seen.length > SURVEY_LIMITS.surveyHops) break;
      }
      return seen.length > 1 ? seen.at(-1) : undefined;
    },
  };
}
