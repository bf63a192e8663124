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
  children: ReactNode;
}

/** A dialog. Its head is no second banner of the page, as Mantine's own would be. */
export function Dialog({ opened, onClose, title, size = 'md', closesOutside = true, children }: DialogProps) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size} closeOnClickOutside={closesOutside}>
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
