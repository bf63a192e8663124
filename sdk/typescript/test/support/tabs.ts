import type { Platform } from '../../src/platform.ts';

/** Locks and channels that several clients of one world share, as tabs of a browser do. */
export interface Tabs {
  /** The parts of a new tab's platform. */
  open(): Pick<Platform, 'lock' | 'channel'> & { close(): void };
}

export function createTabs(): Tabs {
  const waiting: { name: string; tab: number; changed: (held: boolean) => void }[] = [];
  const channels = new Set<{ name: string; tab: number; received: (message: unknown) => void }>();
  const holders = new Map<string, number>();
  let opened = 0;

  function grant(): void {
    for (const { name, tab, changed } of waiting.slice()) {
      if (holders.has(name)) continue;
      holders.set(name, tab);
      waiting.splice(
        waiting.findIndex((each) => each.tab === tab && each.name === name),
        1,
      );
      changed(true);
    }
  }

  function leave(tab: number): void {
    for (const [name, holder] of holders) if (holder === tab) holders.delete(name);
    for (const each of waiting.filter((one) => one.tab === tab)) waiting.splice(waiting.indexOf(each), 1);
    grant();
  }

  return {
    open() {
      const tab = (opened += 1);
      return {
        lock(name, changed) {
          waiting.push({ name, tab, changed });
          grant();
          return () => leave(tab);
        },
        channel(name, received) {
          const own = { name, tab, received };
          channels.add(own);
          return {
            post(message) {
              const copy = structuredClone(message);
              for (const each of channels) {
                if (each.name === name && each.tab !== tab)
                  queueMicrotask(() => channels.has(each) && each.received(copy));
              }
            },
            close: () => void channels.delete(own),
          };
        },
        close() {
          for (const each of channels) if (each.tab === tab) channels.delete(each);
          leave(tab);
        },
      };
    },
  };
}
