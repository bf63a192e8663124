/** A JavaScript regular expression as a tree that contains everything its cost depends on. */
type Part =
  /** One character of a set: a literal, a class, an escape or a dot. */
  | { kind: 'character'; source: string }
  /** `^`, `$`, `\b` and `\B`, which consume no characters. */
  | { kind: 'anchor'; source: string }
  | { kind: 'group'; isLookaround: boolean; alternatives: Part[][] }
  | { kind: 'reference' }
  | { kind: 'repeat'; body: Part; least: number; most: number };

/** Parses the source of a regular expression that the engine has accepted. */
function parseRegex(source: string): Part[][] {
  let at = 0;

  function alternatives(): Part[][] {
    const found: Part[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at += 1;
        found.push([]);
      } else {
        found.at(-1)?.push(quantified(part()));
      }
    }
    return found;
  }

  function part(): Part {
    const character = source[at] ?? '';
    if (character === '(') return group();
    if (character === '[') return { kind: 'character', source: characterClass() };
    at += 1;
    if (character === '^' || character === '$') return { kind: 'anchor', source: character };
    return character === '\\' ? escape() : { kind: 'character', source: character };
  }

  function group(): Part {
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<\w{1,64}>))?/.exec(source.slice(at))?.[0] ?? '(';
    at += opening.length;
    const inside = alternatives();
    at += 1;
    return { kind: 'group', isLookaround: /[=!]$/.test(opening), alternatives: inside };
  }

  function characterClass(): string {
    const start = at;
    for (at += 1; source[at] !== ']'; at += 1) if (source[at] === '\\') at += 1;
    at += 1;
    return source.slice(start, at);
  }

  function escape(): Part {
    const text =
      /^(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|[pP]\{[\w=]{1,40}\}|k<\w{1,64}>|.)/i.exec(
        source.slice(at),
      )?.[0] ?? '';
    at += text.length;
    if (text === 'b' || text === 'B') return { kind: 'anchor', source: `\\${text}` };
    return /^[1-9k]/.test(text) ? { kind: 'reference' } : { kind: 'character', source: `\\${text}` };
  }

  function quantified(body: Part): Part {
    const found = /^(?:([*+?])|\{(\d{1,9})(,?)(\d{0,9})\})\??/.exec(source.slice(at));
    if (found === null) return body;
    at += found[0].length;
    const [, sign, low = '', comma = '', high = ''] = found;
    const least = sign === undefined ? Number(low) : sign === '+' ? 1 : 0;
    const bounded = comma === '' ? Number(low) : high === '' ? Infinity : Number(high);
    return { kind: 'repeat', body, least, most: sign === undefined ? bounded : sign === '?' ? 1 : Infinity };
  }

  return alternatives();
}

/** The maximum number of length combinations that a search through bounded repetitions may try at one position. */
const MOST_COMBINATIONS = 10_000;

/**
 * Whether the tree alone proves that a search takes linear time: it visits each position of the text a bounded number
 * of times. That holds when every repetition is bounded, or when the only unbounded repetition repeats single
 * characters, and either the search begins only at the text's start, or nothing after the repetition can fail.
 */
export function isLinearByConstruction(source: string, flags: string): boolean {
  const tree = parseRegex(source);
  const all = tree.flat();
  if (tree.some(hasReference) || all.some(isNested)) return false;
  const unbounded = flatten(tree).filter((part) => part.kind === 'repeat' && part.most === Infinity);
  if (unbounded.length === 0) return combinations(tree) <= MOST_COMBINATIONS;
  if (unbounded.length > 1 || combinations(tree) > MOST_COMBINATIONS) return false;
  const [only] = unbounded;
  if (only?.kind !== 'repeat' || only.body.kind !== 'character') return false;
  const isAnchored = !flags.includes('m') && tree.every(([first]) => first?.kind === 'anchor' && first.source === '^');
  return isAnchored || (tree.length === 1 && cannotFailAfter(tree[0] ?? [], only));
}

function flatten(tree: readonly Part[][]): Part[] {
  return tree.flat().flatMap((part) => {
    if (part.kind === 'group') return [part, ...flatten(part.alternatives)];
    return part.kind === 'repeat' ? [part, ...flatten([[part.body]])] : [part];
  });
}

function hasReference(parts: readonly Part[]): boolean {
  return flatten([[...parts]]).some((part) => part.kind === 'reference');
}

/** Whether it repeats, more than once, a part that itself has several possible lengths. */
function isNested(part: Part): boolean {
  if (part.kind === 'group') return part.alternatives.flat().some(isNested);
  if (part.kind !== 'repeat') return false;
  const inside = flatten([[part.body]]);
  const varies = inside.some((each) => each.kind === 'repeat' && each.least !== each.most);
  const chooses = inside.some((each) => each.kind === 'group' && each.alternatives.length > 1);
  return isNested(part.body) || (part.most > 1 && (varies || chooses));
}

function combinations(tree: readonly Part[][]): number {
  let product = 1;
  for (const part of flatten(tree)) {
    if (part.kind === 'repeat' && part.most !== Infinity) product *= part.most - part.least + 1;
    if (part.kind === 'group') product *= part.alternatives.length;
  }
  return product;
}

function cannotFailAfter(parts: readonly Part[], repeat: Part): boolean {
  const place = parts.indexOf(repeat);
  return place >= 0 && parts.slice(place + 1).every((part) => part.kind === 'repeat' && part.least === 0);
}

/**
 * The shortest texts that lead a search to each unbounded repetition, and what it repeats. There a search may
 * backtrack.
 */
export function pumpsOf(source: string, flags: string): { prefix: string; unit: string }[] {
  const found: { prefix: string; unit: string }[] = [];
  const plainFlags = flags.replace('g', '').replace('y', '');
  const sample = (character: string): string => sampleOf(character, plainFlags);

  function walk(parts: readonly Part[], before: string): string {
    let text = before;
    for (const part of parts) {
      if (part.kind === 'character') text += sample(part.source);
      else if (part.kind === 'group') text = part.alternatives.map((each) => walk(each, text))[0] ?? text;
      else if (part.kind === 'repeat') {
        const once = walk([part.body], text).slice(text.length);
        if (part.most > 16) found.push({ prefix: text, unit: once });
        text += once.repeat(part.least);
      }
    }
    return text;
  }

  for (const alternative of parseRegex(source)) walk(alternative, '');
  return found;
}

/** Characters for attacks: some of each common class, and the usual separators. */
export const ATTACK_CHARACTERS = 'a0A_ \t\n-.,;:=/\\\'"([{<@+*$#%|'.split('');

function sampleOf(character: string, flags: string): string {
  const one = new RegExp(`^(?:${character})$`, flags);
  const own = character.split('').toReversed();
  const common = [...ATTACK_CHARACTERS, ...'bdxM19!~]})'.split(''), '\u0301', '\u2018', '\uD800'];
  return [...(character.length === 1 ? own : []), ...common, ...own].find((each) => one.test(each)) ?? '';
}
