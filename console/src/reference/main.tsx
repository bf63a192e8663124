import '@mantine/core/styles.css';
import '../console.css';
import './reference.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { NONCE } from '../nonce.ts';
import { SCHEMES, THEME } from '../theme.ts';
import { App } from './app.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false } } });
const root = document.getElementById('root');

if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={THEME} defaultColorScheme="auto" colorSchemeManager={SCHEMES} getStyleNonce={() => NONCE}>
        <QueryClientProvider client={queries}>
          <Router base="/docs">
            <App />
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
