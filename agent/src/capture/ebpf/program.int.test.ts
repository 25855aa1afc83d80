import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeFrame, frames, ipv6Frames } from '../../../test/frames';
import { describeAsRoot } from '../../../test/requirements';
import { allocateMemory, libc, type Memory } from '../../sys/libc';
import { FlowTable, KEY_WORDS } from '../flow-table';
import { FRAME, FrameKey } from '../ring/frame-key';
import { bpf, bpfAttr, loadProgram, PROGRAM_TYPES } from './bpf';
import { FLOW_FLAGS } from './layout';
import { FlowMaps } from './maps';
import { buildProgram } from './program';

const LOOPBACK = 1;

/** Runs a program on one frame inside the kernel. */
function runOnce(program: number, frame: Memory): void {
  const attr = bpfAttr();
  const out = allocateMemory(4096);
  attr.u32(0, program);
  attr.u32(8, frame.length);
  attr.u32(12, out.length);
  attr.pointer(16, frame);
  attr.pointer(24, out);
  attr.u32(32, 1);
  const result = bpf('testRun', attr.bytes);
  if (result < 0) throw new Error(`test run: errno ${-result}`);
}

// The kernel's test run gives socket filters no Ethernet header; as a classifier the same instructions get the frame.
describeAsRoot()('eBPF program', () => {
  let maps: FlowMaps;
  let program: number;
  beforeEach(() => {
    maps = new FlowMaps(1024);
    program = loadProgram('test', buildProgram(maps.fds), PROGRAM_TYPES.classifier);
  });
  afterEach(() => {
    libc().close(program);
    maps.close();
  });

  function takeAll(map: 0 | 1): { key: number[]; packets: number; bytes: number; flags: number }[] {
    const rows = [];
    for (const { count, keys, values } of maps.take(map)) {
      for (let i = 0; i < count; i += 1) {
        rows.push({
          key: [...keys.slice(i * KEY_WORDS, (i + 1) * KEY_WORDS)],
          packets: values[i * 10] as number,
          bytes: values[i * 10 + 2] as number,
          flags: values[i * 10 + 8] as number,
        });
      }
    }
    return rows;
  }

  it('reads every frame as the parser in TypeScript does', () => {
    const reader = new FrameKey();
    const kinds = new Set<number>();
    fc.assert(
      fc.property(fc.oneof(frames.map(encodeFrame), ipv6Frames), (bytes) => {
        // The kernel refuses to run a test on less than the network header that the first ethertype promises.
        fc.pre(bytes.length >= (bytes[12] === 0x86 && bytes[13] === 0xdd ? 54 : 34));
        const before = maps.statistics();
        runOnce(program, bytes);
        const after = maps.statistics();
        const rows = takeAll(maps.switchMaps());
        const kind = reader.read(bytes, 0, bytes.length, bytes.length, 0, false, LOOPBACK);
        kinds.add(kind);
        expect(after.notIp.packets - before.notIp.packets).toBe(kind === FRAME.notIp ? 1 : 0);
        expect(after.malformed.packets - before.malformed.packets).toBe(kind === FRAME.malformed ? 1 : 0);
        expect(rows).toEqual(
          kind === FRAME.flow ? [{ key: [...reader.key], packets: 1, bytes: bytes.length, flags: reader.flags }] : [],
        );
      }),
      { numRuns: 5000 },
    );
    expect([...kinds].sort()).toEqual([FRAME.flow, FRAME.notIp, FRAME.malformed]);
  });

  it('keeps the TCP flags of a flow as the table does, also of connections that follow one another', () => {
    const reader = new FrameKey();
    const buildFrame = (flags: number): Memory =>
      encodeFrame({
        ...{ tags: [], ethertype: 0x0800, version: 4, headerWords: 5, protocol: 6, fragment: 0, keep: 2000 },
        ...{ source: [10, 0, 0, 1], destination: [10, 0, 0, 2] },
        transport: [0x9c, 0x40, 1, 0xbb, ...Array<number>(8).fill(0), 0x50, flags, ...Array<number>(10).fill(0)],
      });
    const { fin, syn, rst, ack } = FLOW_FLAGS;
    const flags = fc.constantFrom(syn, syn | ack, ack, fin | ack, rst, rst | ack, fin | syn);
    fc.assert(
      fc.property(fc.array(flags, { minLength: 1, maxLength: 8 }), (packets) => {
        const table = new FlowTable();
        for (const frame of packets.map(buildFrame)) {
          runOnce(program, frame);
          reader.read(frame, 0, frame.length, frame.length, 0, false, LOOPBACK);
          table.add(reader.key, 0, 1, frame.length, 1, 1, reader.flags);
        }
        expect(takeAll(maps.switchMaps()).map((row) => [row.packets, row.flags])).toEqual([
          [packets.length, table.flags[0]],
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('counts what finds no room, and gives the room back when a map is emptied', () => {
    const buildFrame = (port: number): Memory =>
      encodeFrame({
        tags: [],
        ethertype: 0x0800,
        version: 4,
        headerWords: 5,
        protocol: 17,
        fragment: 0,
        source: [10, 0, 0, 1],
        destination: [10, 0, 0, 2],
        transport: [port >> 8, port & 255, 0, 53, ...Array<number>(20).fill(0)],
        keep: 2000,
      });
    for (let port = 0; port < 3000; port += 1) runOnce(program, buildFrame(port));
    const { full, inserts } = maps.statistics();
    expect(inserts.packets).toBe(1024);
    expect(full).toEqual({ packets: 3000 - 1024, bytes: (3000 - 1024) * 58 });
    expect(takeAll(maps.switchMaps())).toHaveLength(1024);
    runOnce(program, buildFrame(1));
    expect(takeAll(maps.switchMaps())).toHaveLength(1);
    runOnce(program, buildFrame(1));
    runOnce(program, buildFrame(1));
    expect(takeAll(maps.switchMaps()).map((row) => row.packets)).toEqual([2]);
  });
});
