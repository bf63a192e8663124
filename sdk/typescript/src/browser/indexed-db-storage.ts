import { isText, listOf } from '../wire/json.ts';
import type { KeyValueStorage } from '../events/storage.ts';
import type { Database, DbRequest, DbStore, IndexedDb } from './web-globals.ts';

const NAME = 'player-analytics';
const STORE = 'items';

/**
 * Storage in IndexedDB. A write has happened when its transaction is complete; a full quota aborts the transaction and
 * rejects. A connection that the browser closed is opened again.
 */
export function indexedDbStorage(indexedDb: IndexedDb): KeyValueStorage {
  let opened: Promise<Database> | undefined;

  function open(): Promise<Database> {
    return (opened ??= new Promise<Database>((resolve, reject) => {
      const opening = indexedDb.open(NAME, 1);
      opening.addEventListener('upgradeneeded', () => asDatabase(opening).createObjectStore(STORE));
      opening.addEventListener('error', () => reject(asError(opening.error)));
      opening.addEventListener('success', () => {
        const database = asDatabase(opening);
        database.addEventListener('versionchange', () => {
          database.close();
          opened = undefined;
        });
        resolve(database);
      });
    }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  }

  async function run(mode: 'readonly' | 'readwrite', operate: (store: DbStore) => DbRequest): Promise<unknown> {
    const database = await open();
    return new Promise((resolve, reject) => {
      try {
        const transaction = database.transaction(STORE, mode);
        const request = operate(transaction.objectStore(STORE));
        // By itself it would be committed after the answer to its request, which a page that ends does not see.
        transaction.commit?.();
        transaction.addEventListener('complete', () => resolve(request.result));
        transaction.addEventListener('abort', () => reject(asError(transaction.error ?? request.error)));
      } catch (error) {
        // The connection is gone, for example after the page was frozen.
        opened = undefined;
        reject(asError(error));
      }
    });
  }

  return {
    async getItem(key) {
      const value = await run('readonly', (store) => store.get(key));
      return isText(value) ? value : null;
    },
    async setItem(key, value) {
      await run('readwrite', (store) => store.put(value, key));
    },
    async removeItem(key) {
      await run('readwrite', (store) => store.delete(key));
    },
    async getAllKeys() {
      return listOf(await run('readonly', (store) => store.getAllKeys())).filter(isText);
    },
  };
}

/** The result of a request to open a database is one. */
function asDatabase(opening: DbRequest): Database {
  return Object(opening.result);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('IndexedDB failed.', { cause: error });
}
