import { Skeleton } from '@mantine/core';
import { type ComponentType, useEffect, useState } from 'react';
import { TEXTS } from '../../texts.ts';
import { Fault } from '../states.tsx';

/** A part whose code is loaded when it is first drawn. */
export interface Later<Props> {
  /** Begins to load it before it is drawn. */
  preload: () => void;
  Part: ComponentType<Props>;
}

/**
 * React's own `lazy` shows what it waits for for at least 300 ms, also if the code is there after 20. This draws a part
 * as soon as its code is there, and at once where it was loaded before.
 * @param load rejects if the code cannot be loaded; another try loads it again
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting: ComponentType<Props> = Wait,
): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  const begin = (): Promise<ComponentType<Props>> => {
    loading ??= load().then(
      (part) => {
        loaded = part;
        return part;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  function Part(props: Props) {
    const [state, setState] = useState<{ part?: ComponentType<Props> | undefined; error?: Error }>({ part: loaded });
    const [tries, setTries] = useState(0);
    useEffect(() => {
      let isDrawn = true;
      if (loaded === undefined) {
        begin().then(
          (part) => isDrawn && setState({ part }),
          (error: unknown) => isDrawn && setState({ error: error instanceof Error ? error : new Error(String(error)) }),
        );
      }
      return () => {
        isDrawn = false;
      };
    }, [tries]);
    const { part: Shown, error } = state;
    if (Shown !== undefined) return <Shown {...props} />;
    if (error === undefined) return <Waiting {...props} />;
    const again = (): void => {
      setState({});
      setTries(tries + 1);
    };
    return <Fault title={TEXTS.notLoaded} error={error} onRetry={again} />;
  }
  return { preload: () => void begin().catch(() => {}), Part };
}

function Wait() {
  return <Skeleton height={120} aria-busy="true" aria-label={TEXTS.loading} role="status" />;
}
