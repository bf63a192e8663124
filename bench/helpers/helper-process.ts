/**
 * The side of a helper process (see `start-helper.ts`). Called once, at its start.
 * @returns the specification its parent gave, as JSON text
 */
export function helperSpec(): string {
  // Its parent's death ends it, however the parent died.
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole foreground group; the parent then ends its helpers in order.
  process.on('SIGINT', () => {});
  return process.argv[2] ?? 'null';
}

/** Tells the parent something: its `next()` resolves to it. */
export function tellParent(message: object): void {
  process.send?.(JSON.stringify(message));
}

/** Calls back whenever the parent asks for news. @param listener told what is asked for; empty where there is one thing to ask */
export function onAsked(listener: (what: string) => void): void {
  process.on('message', (what) => listener(typeof what === 'string' ? what : ''));
}
