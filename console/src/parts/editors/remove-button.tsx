import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import { ConfirmButton } from './confirm-button.tsx';
import { type Patch, useOptimistic } from '../optimistic.ts';

interface RemoveButtonProps {
  /** What the button says, such as "Archive". */
  action: string;
  title: string;
  /** Address of the list, which is shown without what was removed. */
  list: string;
  send: () => Promise<unknown>;
  /** The lists that lose it. */
  patches: readonly Patch[];
  renews: readonly (readonly string[])[];
  /** Whether it cannot be removed, as `children` say. */
  disabled?: boolean;
  children: ReactNode;
}

/**
 * Archives or deletes a definition after a confirmation, and goes to its list: at once where the list is known, else
 * once the service has answered, because a list that is read earlier may still have the definition.
 */
export function RemoveButton({ action, title, list, disabled = false, children, ...change }: RemoveButtonProps) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const hasLeft = useRef(false);
  const isListKnown = (): boolean => change.patches.some(({ key }) => queries.getQueryData(key) !== undefined);
  const remove = useOptimistic({
    send: change.send,
    patches: () => change.patches,
    renews: change.renews,
    named: () => title,
    onShown: () => {
      hasLeft.current = isListKnown();
      if (hasLeft.current) navigate(list);
    },
    onDone: () => {
      if (!hasLeft.current) navigate(list);
    },
  });
  return (
    <ConfirmButton
      action={action}
      title={title}
      isDangerous
      disabled={disabled}
      busy={remove.isPending}
      onConfirm={(close) => remove.mutate(undefined, { onError: close })}
    >
      {children}
    </ConfirmButton>
  );
}
