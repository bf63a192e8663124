/** What must be ended again, in the reverse order of its beginning. */
export interface Cleanup {
  add(end: () => Promise<void>): void;
  /** Ends everything; one that fails does not keep the others. Throws the first failure after all have had their turn. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    async run() {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        try {
          await end();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
