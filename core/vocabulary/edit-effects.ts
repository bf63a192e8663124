/** What an edit of a flag does to the players who take part in its experiment: those whose answer is drawn. */
export const EDIT_EFFECTS = {
  none: 'Nobody joins or leaves, and everybody keeps the variant.',
  widens: 'Players join, and everybody who takes part keeps the variant.',
  narrows: 'Players leave, and everybody else keeps the variant.',
  moves: 'Players join and others leave, and everybody else keeps the variant.',
  reassigns:
    'Players who take part get another variant, or another chance of it. A new period begins, and everybody who took ' +
    'part before is left out of its results.',
} as const;

export type EditEffect = keyof typeof EDIT_EFFECTS;
