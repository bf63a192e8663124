import type { Sealed, SecretBox } from '../../core/kernel/secrets/secret-box.ts';
import { secretsOf, type DocumentKind } from '../../core/vocabulary/documents/document-kinds.ts';

/* Encrypts and decrypts the secrets of documents, which are plain in memory. */

export type OpenedDocument =
  /** `current`: stored as it would be stored now. */
  { kind: 'opened'; document: unknown; current: boolean } | { kind: 'locked' };

/** @param path the document's key in the bucket */
export function sealDocument(box: SecretBox | undefined, kind: DocumentKind, path: string, document: object): unknown {
  return mapSecrets(kind, document, (stored, context) =>
    typeof stored === 'string' && box !== undefined ? box.seal(stored, `${path}/${context}`) : stored,
  );
}

/** `locked`: a secret in it was encrypted with a key that `box` lacks, or for another document or path. */
export function openDocument(
  box: SecretBox | undefined,
  kind: DocumentKind,
  path: string,
  stored: unknown,
): OpenedDocument {
  let locked = false;
  let current = true;
  const document = mapSecrets(kind, stored, (value, context) => {
    current &&= box === undefined || box.isCurrent(value);
    if (typeof value === 'string') return value;
    const opened = box?.open(value, `${path}/${context}`);
    locked ||= opened === undefined;
    return opened ?? '';
  });
  return locked ? { kind: 'locked' } : { kind: 'opened', document, current };
}

type MapSecret = (stored: Sealed | string, context: string) => Sealed | string;

function mapSecrets(kind: DocumentKind, document: unknown, map: MapSecret): unknown {
  return secretsOf(kind).reduce<unknown>((value, path) => mapAt(value, path.split('.'), '', map), document);
}

function mapAt(value: unknown, [step, ...rest]: readonly string[], context: string, map: MapSecret): unknown {
  if (step === undefined) return typeof value === 'string' || isSealed(value) ? map(value, context) : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, held]) =>
    step === '*' || step === name ? [name, mapAt(held, rest, `${context}/${name}`, map)] : [name, held],
  );
  return Object.fromEntries(entries);
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}
