import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileTail } from './file-tail';

let directory: string;
let path: string;
let now: number;
const clock = () => now;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-tail-'));
  path = join(directory, 'pve-firewall.log');
  now = 1_000_000;
});
afterEach(() => rmSync(directory, { recursive: true }));

function readLines(tail: FileTail): string[] {
  const lines: string[] = [];
  tail.read((line) => lines.push(line));
  return lines;
}

describe('FileTail', () => {
  it('gives each complete line once and waits for the rest of a broken one', () => {
    const tail = new FileTail(path, null, clock);
    expect(readLines(tail)).toEqual([]);
    writeFileSync(path, 'one\ntwo\nthr');
    expect(readLines(tail)).toEqual(['one', 'two']);
    appendFileSync(path, 'ee\n');
    expect(readLines(tail)).toEqual(['three']);
    expect(readLines(tail)).toEqual([]);
    tail.close();
  });

  it('drains a rotated file that is still written to, then the new one', () => {
    writeFileSync(path, 'a\n');
    const tail = new FileTail(path, null, clock);
    expect(readLines(tail)).toEqual(['a']);
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'new\n');
    appendFileSync(`${path}.1`, 'late\n');
    expect(readLines(tail)).toEqual(['late', 'new']);
    now += 30_000;
    appendFileSync(`${path}.1`, 'later\nunfinished');
    expect(readLines(tail)).toEqual(['later']);
    now += 60_000;
    expect(readLines(tail)).toEqual(['unfinished']);
    expect(tail.state.rotated).toEqual([]);
    tail.close();
  });

  it('drains a rotated file once when the new one could not be read for a while', () => {
    writeFileSync(path, 'a\n');
    const tail = new FileTail(path, null, clock);
    readLines(tail);
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'late\n');
    mkdirSync(path);
    for (let i = 0; i < 3; i += 1) expect(() => readLines(tail)).toThrow('EISDIR');
    rmdirSync(path);
    writeFileSync(path, 'new\n');
    expect(readLines(tail)).toEqual(['late', 'new']);
    expect(tail.state.rotated).toHaveLength(1);
    tail.close();
  });

  it('starts over when the file is emptied, also when it has grown past the old place since', () => {
    writeFileSync(path, 'old line one\nold line two\n');
    const tail = new FileTail(path, null, clock);
    readLines(tail);
    truncateSync(path);
    appendFileSync(path, 'x\n');
    expect(readLines(tail)).toEqual(['x']);
    truncateSync(path);
    appendFileSync(path, `${'y'.repeat(100)}\nz\n`);
    expect(readLines(tail)).toEqual(['y'.repeat(100), 'z']);
    tail.close();
  });

  it('counts a rotated file that is gone after a restart', () => {
    writeFileSync(path, 'a\n');
    const first = new FileTail(path, null, clock);
    readLines(first);
    const { state } = first;
    first.close();
    appendFileSync(path, 'b\n');
    renameSync(path, `${path}.2.gz`);
    writeFileSync(path, 'c\n');
    const second = new FileTail(path, state, clock);
    expect(readLines(second)).toEqual(['c']);
    expect(second.lostFiles).toBe(1);
    second.close();
  });

  it('reads only the end of a large file on the first run', () => {
    writeFileSync(path, `${'x'.repeat(99)}\n`.repeat(20_000));
    const tail = new FileTail(path, null, clock);
    const lines = readLines(tail);
    expect(lines.length).toBeGreaterThan(10_000);
    expect(lines.length).toBeLessThan(11_000);
    expect(new Set(lines)).toEqual(new Set(['x'.repeat(99)]));
    tail.close();
  });

  it('loses and repeats nothing over writes, rotations and restarts in any order', () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 40 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('late' as const), count: fc.integer({ min: 1, max: 5 }) }),
      },
      { weight: 2, arbitrary: fc.constant({ kind: 'rotate' as const, count: 0 }) },
      { weight: 3, arbitrary: fc.constant({ kind: 'read' as const, count: 0 }) },
      { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const, count: 0 }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const own = mkdtempSync(join(directory, 'run-'));
        const file = join(own, 'log');
        let tail = new FileTail(file, null, clock);
        let written = 0;
        let rotations = 0;
        const got: string[] = [];
        const read = () => tail.read((line) => got.push(line));
        const write = (to: string, count: number) => {
          for (let i = 0; i < count; i += 1) appendFileSync(to, `line ${written++}\n`);
        };
        for (const { kind, count } of steps) {
          if (kind === 'write') write(file, count);
          else if (kind === 'late' && rotations > 0) write(`${file}.${rotations}`, count);
          else if (kind === 'read') read();
          else if (kind === 'rotate' && written > 0) {
            // As long as a file is looked at between two rotations, nothing of it may be missed.
            read();
            try {
              renameSync(file, `${file}.${rotations + 1}`);
              rotations += 1;
            } catch {
              // Nothing was written since the last rotation.
            }
          } else if (kind === 'restart') {
            read();
            const state = JSON.parse(JSON.stringify(tail.state));
            tail.close();
            tail = new FileTail(file, state, clock);
          }
        }
        read();
        tail.close();
        expect([...got].sort()).toEqual(Array.from({ length: written }, (_, i) => `line ${i}`).sort());
      }),
      { numRuns: 150 },
    );
  });
});
