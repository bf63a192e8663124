import { readdirSync } from 'node:fs';

/**
 * Whether this process is confined to its own files (`confine.pl`). Tries instead of trusting how it was started: any
 * other process can list the root folder.
 */
export function isConfined(): boolean {
  try {
    readdirSync('/');
    return false;
  } catch {
    return true;
  }
}
