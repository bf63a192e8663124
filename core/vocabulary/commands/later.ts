/** Something stored that a newer version may have given more fields. */
export interface Later {
  /** Those fields, by position. Present only if a newer version wrote them. Copies must keep them. */
  later?: readonly unknown[];
}
