/** How a line looks: its colour and its dashes. Both together tell forty lines apart. */
export interface LineLook {
  color: string;
  dash: readonly number[];
}

/** Colours with a contrast of at least 4.5 to 1 on the page, in each scheme. */
const COLORS = {
  light: ['#1864ab', '#a34400', '#237032', '#7a3fb0', '#b0246e', '#0b6175', '#7a4a1e', '#495057'],
  dark: ['#74b0ff', '#ffa94d', '#69db7c', '#c89bf5', '#faa2c1', '#66d9e8', '#d9b38c', '#ced4da'],
} as const;

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 5]];

/** @param index the line's place in its chart */
export function lookOf(index: number, scheme: 'light' | 'dark'): LineLook {
  const colors = COLORS[scheme];
  const round = Math.floor(index / colors.length);
  return {
    color: colors[index % colors.length] ?? colors[0],
    dash: DASHES[(index + round) % DASHES.length] ?? [],
  };
}
