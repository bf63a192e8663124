import { isObject } from '../editors/json-text.ts';

/* What people write on a definition for each other, of every kind. */

export interface Labels {
  owner: string;
  tags: readonly string[];
  note: string;
}

export const NO_LABELS: Labels = { owner: '', tags: [], note: '' };

/** The labels of a definition, or of a document that a person may still be writing. */
export function labelsOf(of: object): Labels {
  const { owner, tags, note }: { owner?: unknown; tags?: unknown; note?: unknown } = of;
  return {
    owner: typeof owner === 'string' ? owner : '',
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    note: typeof note === 'string' ? note : '',
  };
}

/** What lists find a definition by. */
interface Found extends Pick<Labels, 'owner' | 'tags'> {
  key: string;
  name: string;
  description?: string;
}

/** Whether a definition has the text somewhere, and the tag. Empty ones leave out nothing. */
export function isFound({ key, name, description = '', owner, tags }: Found, search: string, tag: string): boolean {
  const text = [key, name, description, owner, ...tags].join('\n').toLowerCase();
  return text.includes(search.trim().toLowerCase()) && (tag === '' || tags.includes(tag));
}

/** The tags that some definitions have, and the chosen one, which may be gone. */
export function tagsOf(definitions: readonly Pick<Labels, 'tags'>[], chosen: string): string[] {
  const tags = new Set(definitions.flatMap((each) => each.tags));
  if (chosen !== '') tags.add(chosen);
  return [...tags].toSorted((one, other) => one.localeCompare(other));
}

export interface Managed {
  by: string;
  /** Whether the last change was made elsewhere. */
  isElsewhere: boolean;
}

/** What manages a definition beside the console; undefined: nothing does. */
export function managedIn(definition: object): Managed | undefined {
  const { managed_by: managed, version }: { managed_by?: unknown; version?: unknown } = definition;
  if (!isObject(managed) || typeof managed['by'] !== 'string') return undefined;
  return { by: managed['by'], isElsewhere: managed['version'] !== version };
}
