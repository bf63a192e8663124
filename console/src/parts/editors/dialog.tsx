import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { TEXTS } from '../../texts.ts';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  size?: string;
  /** Whether a click beside it closes it. Default: until something was entered in it. */
  closesOutside?: boolean;
  /** Whether only its buttons close it, for what cannot be shown again. Default: no. */
  onlyByButton?: boolean;
  yOffset?: string;
  children: ReactNode;
}

/** A dialog. Its head is no second banner of the page, as Mantine's own would be. */
export function Dialog({
  opened,
  onClose,
  title,
  size = 'md',
  closesOutside,
  onlyByButton = false,
  yOffset = '5dvh',
  children,
}: DialogProps) {
  const [isEntered, setEntered] = useState(false);
  const [opener] = useState(() => (opened ? document.activeElement : null));
  // A dialog that is removed instead of closed gives the focus back too.
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => document.activeElement === document.body && opener.focus());
    },
    [opener],
  );
  if (!opened && isEntered) setEntered(false);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      closeOnClickOutside={(closesOutside ?? !isEntered) && !onlyByButton}
      closeOnEscape={!onlyByButton}
      yOffset={yOffset}
    >
      <Modal.Overlay />
      {/* A click beside a dialog must not lose what was typed in it. */}
      <Modal.Content onInput={() => setEntered(true)}>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={TEXTS.close} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
