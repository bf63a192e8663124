import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  size?: string;
  /** Whether a click beside it closes it. Default: yes. */
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
  closesOutside = true,
  onlyByButton = false,
  yOffset = '5dvh',
  children,
}: DialogProps) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      closeOnClickOutside={closesOutside && !onlyByButton}
      closeOnEscape={!onlyByButton}
      yOffset={yOffset}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={TEXTS.close} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
