import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cache } from './cache';

/** The source line of each line of a program: `at` has two numbers for each, the source (-1: none) and its line, from 0. */
type LineTable = { sources: readonly string[]; at: Int32Array };

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;
const [COMMA, SEMICOLON] = [44, 59];

/** Reads the mappings of a source map: of each line only where its first part with a source comes from. */
function readLines(mappings: string): Int32Array {
  const lines: number[] = [-1, 0];
  // Since the last part: column, source, line, column there, name. All but the first go on from line to line.
  const parts = [0, 0, 0, 0, 0];
  let [part, value, shift] = [0, 0, 0];
  for (let i = 0; i < mappings.length; i++) {
    const code = mappings.charCodeAt(i);
    if (code === COMMA || code === SEMICOLON) {
      part = 0;
      if (code === SEMICOLON) lines.push(-1, 0);
      continue;
    }
    const digit = VALUES[code] ?? 0;
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    parts[part] = (parts[part] ?? 0) + (value & 1 ? -(value >>> 1) : value >>> 1);
    if (part === 2 && lines.at(-2) === -1) {
      lines[lines.length - 2] = parts[1] ?? 0;
      lines[lines.length - 1] = parts[2] ?? 0;
    }
    [part, value, shift] = [part + 1, 0, 0];
  }
  return Int32Array.from(lines);
}

const tables = cache<LineTable | null>({ name: 'source_lines', maxEntries: 1 });

function readTable(program: string): LineTable | null {
  try {
    const { sources, mappings } = JSON.parse(readFileSync(`${fileURLToPath(program)}.map`, 'utf8')) as {
      sources: string[];
      mappings: string;
    };
    return { sources: sources.map((source) => source.replace(/^(?:\.\.\/)+/, '')), at: readLines(mappings) };
  } catch {
    // Without a source map the positions in the program are all there is.
    return null;
  }
}

/**
 * The frames of a stack with the lines of the sources, such as `src/server/lib/env.ts:12`, instead of those of the program that was
 * built from them. `node --enable-source-maps` would keep every column of every line, which is 120 MiB for each thread of web.
 * @param program URL of the program, beside which is its source map; without one the stack stays as it is
 */
export function toSourceLines(stack: string, program: string = import.meta.url): string {
  if (!program.endsWith('.mjs') || !stack.includes(program)) return stack;
  const table = tables.load(program, null, () => readTable(program));
  if (!table) return stack;
  const [before = '', ...positions] = stack.split(`${program}:`);
  const named = positions.map((text) =>
    text.replace(/^(\d+):\d+/, (position, line: string) => {
      const i = 2 * (Number(line) - 1);
      const source = table.sources[table.at[i] ?? -1];
      return source === undefined ? `${program}:${position}` : `${source}:${(table.at[i + 1] ?? 0) + 1}`;
    }),
  );
  return before + named.join('');
}
