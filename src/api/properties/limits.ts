/** Bounds of the definitions of computed properties. */
export const PROPERTY_LIMITS = {
  /** `key` of a named property, in characters: players and events repeat it. */
  propertyKeyLength: 40,
} as const;
