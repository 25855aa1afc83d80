import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSourceLines } from './source-lines';

const directory = mkdtempSync(join(tmpdir(), 'fabric-lines-'));
const program = join(directory, 'program.mjs');
const { href } = pathToFileURL(program);

describe('toSourceLines', () => {
  beforeAll(() =>
    build({
      stdin: {
        contents: `import { loggableError } from './loggable-error';\n\nconsole.log(loggableError(new Error('made here')).stack);`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        sourcefile: 'src/entry.ts',
      },
      outfile: program,
      ...{ bundle: true, platform: 'node', format: 'esm', sourcemap: true, sourcesContent: false },
    }),
  );
  afterAll(() => rmSync(directory, { recursive: true }));

  it('gives each line of a program a line that its source map has for it', () => {
    const map = new SourceMap(JSON.parse(readFileSync(`${program}.map`, 'utf8')));
    const found = new Set<string>();
    for (const [line, text] of readFileSync(program, 'utf8').split('\n').entries()) {
      const mapped = new Set<string>();
      for (let column = 0; column <= text.length; column++) {
        const { generatedLine, originalSource, originalLine } = map.findEntry(line, column) as Partial<SourceMapping>;
        if (originalSource === undefined || generatedLine !== line) continue;
        mapped.add(`${originalSource.replace(/^(\.\.\/)+/, '')}:${(originalLine ?? 0) + 1}`);
      }
      const shown = toSourceLines(`    at find (${href}:${line + 1}:7)\n    at node:events:524:28`, href);
      const [, position = ''] = /^ {4}at find \((.*)\)\n {4}at node:events:524:28$/.exec(shown) ?? [];
      if (mapped.size === 0) expect(position).toBe(`${href}:${line + 1}:7`);
      else expect([...mapped]).toContain(position);
      for (const one of mapped) found.add(one.replace(/:\d+$/, ''));
    }
    expect([...found].filter((source) => source.endsWith('src/server/lib/cache.ts'))).toHaveLength(1);
    expect(found.size).toBeGreaterThan(1);
  });

  it('shows the line of the source in the log of a program that was built', () => {
    const [, frame] = execFileSync(process.execPath, [program], { encoding: 'utf8' }).split('\n');
    expect(frame).toMatch(/^ {4}at (?:<anonymous> \()?[\w/.-]*src\/entry\.ts:3\)?$/);
  });

  it('leaves stacks of other programs, and of one without a source map, as they are', () => {
    const stack = `Error: no\n    at run (${href}:3:4)`;
    expect(toSourceLines(stack)).toBe(stack);
    expect(toSourceLines(stack.replaceAll('program', 'other'), href.replace('program', 'other'))).toContain(
      'other.mjs:3:4',
    );
  });
});
