import type { ReactNode } from 'react';

/** A part that scrolls by itself, also by keyboard. */
export function ScrollRegion({
  label,
  className = 'table-scroll',
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
    <div className={className} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
