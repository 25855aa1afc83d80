import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../../test/network-namespaces';
import { describeAsRoot } from '../../test/requirements';
import { Spool } from './spool';

const BODY_BYTES = 60_000;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-full-'));
  run(`mount -t tmpfs -o size=1m tmpfs ${directory}`);
});
afterEach(() => {
  run(`umount ${directory}`);
  rmSync(directory, { recursive: true });
});

describeAsRoot('mount')('Spool on a full disk', () => {
  it('drops the oldest for the newest, and leaves nothing half-written', () => {
    const spool = new Spool(directory);
    const bodies = Array.from({ length: 100 }, () => randomBytes(BODY_BYTES));
    for (const body of bodies) spool.put(body);
    expect(spool.size).toBeGreaterThan(10);
    expect(spool.size + spool.discarded).toBe(bodies.length);
    expect(readdirSync(directory)).toHaveLength(spool.size);
    for (const body of bodies.slice(-spool.size).reverse()) {
      const entry = spool.newest();
      expect(entry?.body.equals(body)).toBe(true);
      spool.remove(entry?.name ?? '');
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  it('drops at most one for each that does not fit', () => {
    const spool = new Spool(directory);
    for (let i = 0; i < 3; i += 1) spool.put(randomBytes(BODY_BYTES));
    for (let left = 2; left >= 0; left -= 1) {
      expect(() => spool.put(randomBytes(2_000_000))).toThrow('ENOSPC');
      expect(readdirSync(directory)).toHaveLength(left);
    }
    expect(() => spool.put(randomBytes(2_000_000))).toThrow('ENOSPC');
    expect(readdirSync(directory)).toEqual([]);
    expect(spool.discarded).toBe(3);
  });
});
