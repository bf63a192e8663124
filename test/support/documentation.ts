import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Reads the project's Markdown: its pages, fenced blocks, tables, headings and links. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block. `info` is the text after the opening fence, such as `sh` or `sh manual`. */
export interface Block {
  page: string;
  /** Line of the opening fence, from 1. */
  line: number;
  info: string;
  text: string;
}

/** A row of a table by its position: the heading above the table and the cells, trimmed. */
export interface Row {
  heading: string;
  cells: readonly string[];
}

/** A line outside of fenced blocks. */
interface Line {
  number: number;
  text: string;
}

/** Every Markdown file of the project, relative to its root, new ones included. */
export function markdownFiles(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** The pages for users: README.md first, then `docs/` without the decisions, by name. */
export function userPages(): string[] {
  const pages = markdownFiles().filter((file) => /^docs\/[^/]+\.md$/.test(file));
  return ['README.md', ...pages.toSorted()];
}

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return parse(page).blocks;
}

/** Lines outside of fenced blocks. */
export function proseOf(page: string): Line[] {
  return parse(page).prose;
}

/** The body rows of all tables of a page, each with the heading above it. */
export function rowsOf(page: string): Row[] {
  const rows: Row[] = [];
  let heading = '';
  let isBody = false;
  for (const { text } of proseOf(page)) {
    const title = /^#+ (.*)$/.exec(text)?.[1];
    if (title !== undefined) heading = title;
    if (!text.startsWith('|')) {
      isBody = false;
    } else if (/^\|[ :|-]+$/.test(text)) {
      isBody = true;
    } else if (isBody) {
      rows.push({ heading, cells: cellsOf(text) });
    }
  }
  return rows;
}

/**
 * The rows of the tables below a heading. Throws when there are none: a renamed heading would otherwise disable the
 * check.
 */
export function rowsUnder(page: string, heading: string): (readonly string[])[] {
  const rows = rowsOf(page)
    .filter((row) => row.heading === heading)
    .map(({ cells }) => cells);
  if (rows.length === 0) throw new Error(`${page} has no table under "${heading}"`);
  return rows;
}

/** The text below each heading of a page, up to the next heading of any level. */
export function sectionsOf(page: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  let heading = '';
  for (const { text } of proseOf(page)) {
    const title = /^#+ (.*)$/.exec(text)?.[1];
    if (title !== undefined) heading = title;
    else sections.set(heading, `${sections.get(heading) ?? ''}${text}\n`);
  }
  return sections;
}

/** The words between backticks of a cell, in order. */
export function codeIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll('\\|', '|'));
}

/** Links of a page to other files of the project or to its own headings. */
export function linksOf(page: string): string[] {
  return proseOf(page).flatMap(({ text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target)),
  );
}

/** Why a link of a page is broken; undefined when it is not. */
export function linkFault(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return `${page}: ${link}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${page}: ${link}: ${target} has no heading "${anchor}"`;
}

/** Anchors of a page as GitHub makes them of its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { text } of proseOf(page)) {
    const title = /^#+ (.*)$/.exec(text)?.[1];
    if (title === undefined) continue;
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function parse(page: string): { blocks: Block[]; prose: Line[] } {
  const blocks: Block[] = [];
  const prose: Line[] = [];
  let open: { fence: string; block: Block } | undefined;
  for (const [index, text] of pageText(page).split('\n').entries()) {
    const fence = /^\s*(```+)(.*)$/.exec(text);
    if (open !== undefined) {
      if (text.trim() === open.fence) open = undefined;
      else open.block.text += `${text}\n`;
    } else if (fence !== null) {
      const block = { page, line: index + 1, info: (fence[2] ?? '').trim(), text: '' };
      blocks.push(block);
      open = { fence: fence[1] ?? '', block };
    } else {
      prose.push({ number: index + 1, text });
    }
  }
  return { blocks, prose };
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
