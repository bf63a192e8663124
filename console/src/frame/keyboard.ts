import { useEffect, useRef } from 'react';
import type { Entry } from '../screens.ts';

interface Shortcuts {
  /** Opens the palette. */
  open: () => void;
  /** Shows the keys. */
  help: () => void;
  go: (path: string) => void;
  entries: readonly Entry[];
}

/** How long `g` waits for its letter. */
const SEQUENCE_MS = 1_200;

/** The keys of all screens: `/` and Ctrl K open the palette, `g` and a letter goes to a screen, `?` shows them. */
export function useKeyboard({ open, help, go, entries }: Shortcuts): void {
  // Outlives the effect: a screen may be drawn again between `g` and its letter.
  const startedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      if (isCommand) {
        event.preventDefault();
        open();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '/') {
        event.preventDefault();
        open();
      } else if (event.key === '?') help();
      else if (event.timeStamp - startedAt.current < SEQUENCE_MS) {
        const entry = entries.find(({ letter }) => letter === event.key);
        startedAt.current = Number.NEGATIVE_INFINITY;
        if (entry !== undefined) go(entry.path);
      } else if (event.key === 'g') startedAt.current = event.timeStamp;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open, help, go, entries]);
}

/** Whether keys are text: in a field, or while a dialog is open. */
function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}
