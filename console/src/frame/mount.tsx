import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { NONCE } from './nonce.ts';
import { SCHEMES, THEME } from './theme.ts';

/** Draws a page: the console or the API reference. Its addresses begin with `base`. */
export function mount(base: string, queries: QueryClient, page: ReactNode): void {
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={THEME} defaultColorScheme="auto" colorSchemeManager={SCHEMES} getStyleNonce={() => NONCE}>
        <QueryClientProvider client={queries}>
          <Router base={base}>{page}</Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
