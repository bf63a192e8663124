import { useState } from 'react';
import { useSession } from '../../frame/session.tsx';
import { draftPlace } from './draft-places.ts';

/** Changes that a person has not saved: what was edited, and the version that it began with. */
export interface Draft<Base, Edited> {
  base: Base;
  edited: Edited;
}

/**
 * Changes that survive a reload of the page. They stay in this tab, until they are saved or discarded, or the user
 * signs out.
 * @param name unique to what is edited, with game and environment
 * @param storable what of an edit may be stored: secrets may not
 */
export function useDraft<Base, Edited>(
  name: string,
  storable: (edited: Edited) => Edited = (edited) => edited,
): [Draft<Base, Edited> | undefined, (draft: Draft<Base, Edited> | undefined) => void] {
  const { session } = useSession();
  const place = draftPlace(session.kind === 'signed_in' ? session.me.user.id : '', name);
  const [held, setHeld] = useState(() => ({ place, draft: stored<Base, Edited>(place) }));
  const current = held.place === place ? held.draft : stored<Base, Edited>(place);
  const set = (draft: Draft<Base, Edited> | undefined): void => {
    setHeld({ place, draft });
    try {
      if (draft === undefined) sessionStorage.removeItem(place);
      else sessionStorage.setItem(place, JSON.stringify({ ...draft, edited: storable(draft.edited) }));
    } catch {
      // Without storage the changes live as long as the page.
    }
  };
  return [current, set];
}

function stored<Base, Edited>(place: string): Draft<Base, Edited> | undefined {
  try {
    const text = sessionStorage.getItem(place);
    if (text === null) return undefined;
    const draft: Draft<Base, Edited> = JSON.parse(text);
    return draft;
  } catch {
    return undefined;
  }
}
