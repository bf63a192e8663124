import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Confirm } from './confirm.tsx';

interface ConfirmButtonProps {
  /** What the button and the dialog's own button say, such as "Archive". */
  action: string;
  title: string;
  /** @param close ends the dialog, at once or when the change is made */
  onConfirm: (close: () => void) => void;
  /** After the dialog has closed: to forget an error. */
  onClose?: () => void;
  /** While the action runs, the dialog stays and its buttons rest. */
  busy?: boolean;
  error?: Error | null;
  isDangerous?: boolean;
  /** What it changes in live, if not what players get. */
  changes?: string;
  /** Whether the action is not possible, as `children` say. */
  disabled?: boolean;
  /** Of the button. */
  size?: 'xs';
  /** Whether the button rests, because an earlier change is not made yet. */
  isResting?: boolean;
  /** What the change does. */
  children: ReactNode;
}

/** A button for a change of a whole thing, which asks first. */
export function ConfirmButton({
  action,
  title,
  onConfirm,
  onClose,
  isResting = false,
  size,
  children,
  ...rest
}: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  const close = (): void => {
    setAsking(false);
    onClose?.();
  };
  return (
    <>
      <Button
        variant="default"
        w="fit-content"
        {...(size === undefined ? {} : { size })}
        onClick={() => setAsking(true)}
        disabled={isResting}
      >
        {action}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={title}
        action={action}
        onConfirm={() => onConfirm(close)}
        {...rest}
      >
        {children}
      </Confirm>
    </>
  );
}
