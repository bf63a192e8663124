/**
 * Where the client keeps its queue and flags: text by key. React Native's AsyncStorage has this shape. A rejected
 * promise (no space, no permission) is reported, and the client continues in memory.
 */
export interface KeyValueStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getAllKeys(): Promise<readonly string[]>;
}

/** Forgets everything when the process ends. */
export function memoryStorage(): KeyValueStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => Promise.resolve(items.get(key) ?? null),
    setItem: (key, value) => {
      items.set(key, value);
      return Promise.resolve();
    },
    removeItem: (key) => {
      items.delete(key);
      return Promise.resolve();
    },
    getAllKeys: () => Promise.resolve([...items.keys()]),
  };
}
