/** Where a fact stands: in FACTS as created then, in the record `sequence`, at `index`. */
export interface FactPlace {
  /** FACTS' creation, as the broker spells it. */
  created: string;
  sequence: number;
  index: number;
}

/** A place that every erasure comes after. */
export const BEFORE_ALL: FactPlace = { created: '', sequence: 0, index: 0 };
