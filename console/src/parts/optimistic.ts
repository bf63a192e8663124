import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
  skipToken,
} from '@tanstack/react-query';

/* Quick changes that the screens show at once, and take back if the service refuses them.
 *
 * What failed is said above every screen (`undone.tsx`), because the person may have gone on: an archived flag leads to
 * the list before the service has answered. */

/** What a query holds once the change is made. */
export interface Patch {
  key: QueryKey;
  update: (held: unknown) => unknown;
}

/** @param update gets what the query holds; it is not called if that holds nothing yet */
export function patch<Held>(key: QueryKey, update: (held: Held) => Held): Patch {
  return {
    key,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cache holds what the query of this key read
    update: (held) => update(held as Held),
  };
}

interface OptimisticChange<Input, Answer> {
  send: (input: Input) => Promise<Answer>;
  /** What changes at once. */
  patches: (input: Input) => readonly Patch[];
  /** What is read again afterwards: the first parts of the keys. */
  renews: readonly QueryKey[];
  /** What the change is called where its failure is said. */
  named: (input: Input) => string;
  /** After the patches, and before the answer: to close a dialog, or to leave a screen of what is gone. */
  onShown?: (input: Input) => void;
  onDone?: (answer: Answer) => void;
}

/** A change that is shown at once. A failure restores what was shown before, and is noted for `Undone`. */
export function useOptimistic<Input, Answer>(change: OptimisticChange<Input, Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change.send,
    onMutate: async (input) => {
      const patches = change.patches(input);
      // A read on its way would bring the old state back.
      await Promise.all(patches.map(({ key }) => queries.cancelQueries({ queryKey: key, exact: true })));
      const before = patches.map(({ key }) => ({ key, held: queries.getQueryData(key) }));
      // Named now: the screen is drawn with the change before the answer comes, and would name the opposite one then.
      const name = change.named(input);
      for (const { key, update } of patches) {
        queries.setQueryData(key, (held: unknown) => (held === undefined ? undefined : update(held)));
      }
      change.onShown?.(input);
      return { before, name };
    },
    onSuccess: (answer) => change.onDone?.(answer),
    onError: (error, input, shown) => {
      for (const { key, held } of shown?.before ?? []) if (held !== undefined) queries.setQueryData(key, held);
      noteFailure(queries, { name: shown?.name ?? change.named(input), error });
    },
    onSettled: () => Promise.all(change.renews.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

export interface Failure {
  name: string;
  error: Error;
}

const FAILURES = ['undone changes'];
/** More are not read. */
const MOST_FAILURES = 3;

/** Shows above every screen that something failed. */
export function noteFailure(queries: QueryClient, failure: Failure): void {
  queries.setQueryData<Failure[]>(FAILURES, (noted = []) => [...noted, failure].slice(-MOST_FAILURES));
}

/** The changes that failed and were taken back, the newest last, and how to dismiss one. */
export function useFailures(): [readonly Failure[], (failure: Failure) => void] {
  const queries = useQueryClient();
  const { data = [] } = useQuery<Failure[]>({ queryKey: FAILURES, queryFn: skipToken, staleTime: Infinity });
  const dismiss = (failure: Failure): void => {
    queries.setQueryData<Failure[]>(FAILURES, (noted = []) => noted.filter((each) => each !== failure));
  };
  return [data, dismiss];
}
