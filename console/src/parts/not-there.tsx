import { Anchor, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../frame/api.ts';
import { Empty, Page } from './states.tsx';

/** Whether a thing of an address is not there: no thing has its id, or its text can be no id. */
export function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

interface NotThereProps {
  /** The heading of the screen. */
  title: string;
  /** The id or key of the address, if it is not the heading. */
  id?: string;
  what: string;
  help: string;
  /** Ways back. */
  children: ReactNode;
}

/** The screen of a thing that is not there, with ways back. */
export function NotThere({ title, id, what, help, children }: NotThereProps) {
  return (
    <Page title={title} intro={id}>
      <Empty title={what}>{help}</Empty>
      <Stack align="center" gap="xs">
        {children}
      </Stack>
    </Page>
  );
}

/** A link to another screen of the game. */
export function BackTo({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} underline="always">
      {children}
    </Anchor>
  );
}
