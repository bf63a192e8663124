import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface NamedLinkProps {
  href: string;
  name: string;
  /** Distinguishes things of the same name, on a line below. */
  below?: ReactNode;
  /** Whether the line below is an id or an address. */
  isId?: boolean;
}

/** The cell of a list that opens the thing of its row. */
export function NamedLink({ href, name, below, isId = false }: NamedLinkProps) {
  return (
    <>
      <Anchor component={Link} href={href} fw={600} underline="always">
        {name}
      </Anchor>
      {below === undefined || below === '' ? null : (
        <Text size="xs" c="dimmed" {...(isId ? { className: 'mono' } : {})}>
          {below}
        </Text>
      )}
    </>
  );
}
