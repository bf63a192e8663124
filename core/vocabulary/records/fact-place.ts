/** The position of a record: the stream FACTS, identified by its creation, and the sequence in it. */
export interface RecordPlace {
  /** Creation time of FACTS, in the broker's spelling. */
  created: string;
  sequence: number;
}

/** The position of a fact: a record of FACTS, and the fact's index in it. */
export interface FactPlace extends RecordPlace {
  index: number;
}
