import '@mantine/core/styles.css';
import '../console.css';
import './reference.css';
import { QueryClient } from '@tanstack/react-query';
import { mount } from '../frame/mount.tsx';
import { App } from './app.tsx';

mount('/docs', new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false } } }), <App />);
