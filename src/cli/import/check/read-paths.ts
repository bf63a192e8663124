import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import type { Fields } from '../files/line-fields.ts';

/** Fields that note which of their values are read, however deep. */
export interface NotedFields {
  fields: Fields;
  /** Paths of values that were read, and of those that were not, without empty ones, in the order of the line. */
  paths: () => { read: string[]; unread: string[] };
}

/** Paths that are told apart in a line: enough for a look at it. */
const MOST_PATHS = 400;

export function noteReads(line: Fields): NotedFields {
  const seen = new Set<string>();

  function noted(value: object, path: string): object {
    return new Proxy(value, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof name !== 'string' || !Object.hasOwn(target, name)) return member;
        const below = path === '' ? name : `${path}.${name}`;
        const isInner = typeof member === 'object' && member !== null;
        if (!isInner) seen.add(below);
        return isInner ? noted(member, below) : member;
      },
    });
  }

  function paths(): { read: string[]; unread: string[] } {
    const found = { read: [] as string[], unread: [] as string[] };
    const visit = (value: unknown, path: string): void => {
      if (found.read.length + found.unread.length >= MOST_PATHS) return;
      if (value === null || value === undefined || value === '') return;
      const entries = Array.isArray(value) ? value.entries() : isPlainObject(value) ? Object.entries(value) : undefined;
      if (entries === undefined) {
        found[seen.has(path) ? 'read' : 'unread'].push(path);
        return;
      }
      for (const [name, member] of entries) visit(member, path === '' ? String(name) : `${path}.${name}`);
    };
    visit(line, '');
    return found;
  }

  const fields = noted(line, '');
  return { fields: isPlainObject(fields) ? fields : line, paths };
}
