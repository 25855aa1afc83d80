import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LineBudget } from './line-budget';
import { LogCollector } from './log-collector';
import { LogFlows } from './log-flows';
import type { LogLine } from './log-line';
import { isLogPositions, NO_POSITIONS } from './log-positions';

const NOON = Date.UTC(2026, 10, 20, 12, 0, 0);
let directory: string;
let file: string;
let now: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-logs-'));
  file = join(directory, 'pve-firewall.log');
  now = NOON;
});
afterEach(() => rmSync(directory, { recursive: true }));

function line(time: string, port: number, verdict = 'DROP'): string {
  return `100 6 tap100i0-IN 20/Nov/2026:${time} +0000 ${verdict}: IN=a OUT=b SRC=203.0.113.9 DST=10.0.0.5 LEN=60 PROTO=TCP SPT=${port} DPT=22 \n`;
}

function collector(positions = NO_POSITIONS, flowLimit = 1500) {
  return new LogCollector({ file, kernelBootId: null, flowLimit }, positions, () => now);
}

const listFlows = (logs: LogCollector) =>
  [...logs.flows.all()].map(({ line: { sourcePort }, packets, newPackets }) => [sourcePort, packets, newPackets]);

describe('LogCollector', () => {
  it('takes only the last five minutes of what was there before it', () => {
    writeFileSync(file, line('11:54:59', 1) + line('11:55:01', 2) + line('11:59:59', 2));
    const logs = collector();
    logs.collect();
    expect(listFlows(logs)).toEqual([[2, 2, 2]]);
    logs.close();
  });

  it('adds up by flow and verdict, reports deltas, and forgets after five minutes', () => {
    writeFileSync(file, '');
    const logs = collector();
    appendFileSync(file, line('12:00:00', 1) + line('12:00:00', 1) + line('12:00:00', 1, 'ACCEPT'));
    logs.collect();
    expect(listFlows(logs)).toEqual([
      [1, 2, 2],
      [1, 1, 1],
    ]);
    logs.startInterval();
    appendFileSync(file, line('12:00:20', 1));
    logs.collect();
    expect(listFlows(logs)).toEqual([
      [1, 3, 1],
      [1, 1, 0],
    ]);
    now = NOON + 310_000;
    logs.startInterval();
    expect(listFlows(logs)).toEqual([[1, 3, 0]]);
    logs.close();
  });

  it('reads new lines and forgets old verdicts after a clock that was ahead is put back', () => {
    writeFileSync(file, '');
    now = NOON + 6 * 3_600_000;
    const logs = collector();
    appendFileSync(file, line('18:00:00', 1));
    logs.collect();
    expect(listFlows(logs)).toEqual([[1, 1, 1]]);
    now = NOON;
    logs.startInterval();
    appendFileSync(file, line('12:00:00', 2));
    logs.collect();
    expect(listFlows(logs)).toEqual([[2, 1, 1]]);
    logs.close();
  });

  it('continues where the last run stopped, whatever the age of the lines', () => {
    writeFileSync(file, line('12:00:00', 1));
    const first = collector();
    first.collect();
    const positions = JSON.parse(JSON.stringify(first.positions));
    first.close();
    expect(isLogPositions(positions)).toBe(true);
    appendFileSync(file, line('12:00:01', 2));
    now = NOON + 3_600_000;
    const second = collector(positions);
    second.collect();
    expect(listFlows(second)).toEqual([[2, 1, 1]]);
    second.close();
  });

  it('reads at most twice the flow limit, or 1000 lines, the newest, and counts the rest', () => {
    writeFileSync(file, '');
    const logs = collector(NO_POSITIONS, 600);
    for (let port = 1; port <= 1500; port += 1) appendFileSync(file, line('12:00:00', port));
    logs.collect();
    const ports = listFlows(logs).map(([port]) => port as number);
    expect([ports.length, Math.min(...ports), Math.max(...ports)]).toEqual([1200, 301, 1500]);
    expect(logs.states()[1]?.counts).toMatchObject({ over_limit_lines: 300, packets: 1200 });
    logs.close();
  });

  it('says that there is no file, and begins when it appears', () => {
    const logs = collector();
    logs.collect();
    expect(logs.states()[1]).toMatchObject({ state: 'unavailable', detail: `${file} does not exist` });
    writeFileSync(file, line('12:00:00', 1));
    logs.collect();
    expect(logs.states()[1]).toMatchObject({ state: 'active' });
    expect(listFlows(logs)).toEqual([[1, 1, 1]]);
    logs.close();
  });
  it('reports a log that cannot be read, keeps its position, and reads it once it can', () => {
    writeFileSync(file, line('12:00:00', 1));
    const first = collector();
    first.collect();
    const { positions } = first;
    first.close();
    // A file in place of the directory fails for root, too, who may read everything.
    renameSync(directory, `${directory}.moved`);
    writeFileSync(directory, '');
    const logs = collector(positions);
    logs.collect();
    expect(logs.states()[1]).toMatchObject({ state: 'unavailable', detail: expect.stringContaining('ENOTDIR') });
    expect(logs.positions).toEqual(positions);
    rmSync(directory);
    renameSync(`${directory}.moved`, directory);
    appendFileSync(file, line('12:00:01', 2));
    logs.collect();
    expect(logs.states()[1]).toMatchObject({ state: 'active' });
    expect(listFlows(logs)).toEqual([[2, 1, 1]]);
    logs.close();
  });

  it('keeps no file open that cannot be read', () => {
    writeFileSync(`${file}.1`, line('12:00:00', 1));
    const { ino: inode } = statSync(`${file}.1`);
    mkdirSync(file);
    const position = { inode, offset: 0, fingerprint: createHash('sha1').digest('hex'), fingerprint_bytes: 0 };
    const state = { current: { ...position, inode: statSync(file).ino }, rotated: [position] };
    for (const positions of [NO_POSITIONS, { ...NO_POSITIONS, file: state }]) {
      const logs = collector(positions);
      logs.poll();
      const before = readdirSync('/proc/self/fd').length;
      for (let i = 0; i < 20; i += 1) logs.poll();
      expect(readdirSync('/proc/self/fd')).toHaveLength(before);
      expect(logs.states()[1]).toMatchObject({ state: 'unavailable', detail: expect.stringContaining('EISDIR') });
      logs.close();
    }
  });
});

describe('LineBudget', () => {
  it('keeps the newest in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), (lines, limit) => {
        const budget = new LineBudget<number>(limit);
        for (const one of lines) budget.push(one);
        expect(budget.take()).toEqual({ lines: lines.slice(-limit), dropped: Math.max(0, lines.length - limit) });
        expect(budget.take()).toEqual({ lines: [], dropped: 0 });
      }),
    );
  });
});

describe('LogFlows', () => {
  it('limits the number of flows', () => {
    const flows = new LogFlows();
    const packet = (sourcePort: number): LogLine => ({
      decision: 'drop',
      source: '10.0.0.1',
      destination: '10.0.0.2',
      protocol: 17,
      sourcePort,
      destinationPort: 1,
      icmp: null,
      bytes: null,
      vmid: null,
      nic: null,
      interface: null,
      chain: null,
      excerpt: '',
    });
    for (let i = 0; i < 20_100; i += 1) flows.add(packet(i), 0, 'kernel_log');
    flows.add(packet(0), 1, 'kernel_log');
    expect([...flows.all()]).toHaveLength(20_000);
    expect(flows.overflow).toBe(100);
  });
});

describe('isLogPositions', () => {
  it('never throws and refuses damage', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof isLogPositions(value) === 'boolean'));
    expect(isLogPositions({ kernel: null, file: { current: { inode: 'x' }, rotated: [] } })).toBe(false);
    expect(isLogPositions({ kernel: { kernel_boot_id: 'a', sequence: 1.5 }, file: null })).toBe(false);
  });
});
