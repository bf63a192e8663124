/** What all files of a command say together, which single lines need to know. */
export interface Survey {
  /** The user that an anonymous id became; `undefined`: none. */
  userOf(id: string): string | undefined;
  /** The seconds of a session, if the line at this place is the one that it counts at. */
  sessionSeconds(key: string, place: number): number | undefined;
}

/** What a format notes of a line. */
export interface Findings {
  link(id: string, user: string, atMs: number): void;
  /**
   * @param lengthMs what the line says of the length of the session; by default nothing
   * @param id of the event, if lengths are added up: a repeated one adds nothing
   */
  session(key: string, atMs: number, lengthMs?: number, id?: string): void;
}

export const NO_SURVEY: Survey = { userOf: () => undefined, sessionSeconds: () => undefined };

/** The place of a line among all files of a command. */
export const placeOf = (file: number, line: number): number => file * LINES_OF_FILE + line;
/** More than any file has. */
const LINES_OF_FILE = 2 ** 33;
