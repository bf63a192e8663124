import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../../texts.ts';

interface SideProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  size?: string;
  children: ReactNode;
}

/** A panel over the right side of a screen, for the details of one thing. */
export function Side({ opened, onClose, title, size = 'md', children }: SideProps) {
  return (
    <Drawer.Root opened={opened} onClose={onClose} position="right" size={size}>
      <Drawer.Overlay />
      <Drawer.Content>
        {/* The element is a header, which would be another banner of the page. */}
        <Drawer.Header role="presentation">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={TEXTS.close} />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
