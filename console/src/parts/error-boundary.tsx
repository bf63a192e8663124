import { Component, type ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { Fault } from './states.tsx';

interface Props {
  /** Another value, such as an address, draws the children again. */
  of: string;
  children: ReactNode;
}

interface State {
  of: string;
  error?: Error | undefined;
}

/** Shows an error of its children in their place, so that the rest of the page stays. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { of, error: undefined };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Fault title={TEXTS.broken} error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
