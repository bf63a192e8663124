// Runs before the first paint, so that a dark page does not flash white.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('console-scheme') ?? 'auto';
  } catch {
    // Storage is blocked: the system's scheme applies.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
