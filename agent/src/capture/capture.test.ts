import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addRow } from '../../test/capture-snapshot';
import { Capture, type CaptureSource } from './capture';
import type { FlowTable } from './flow-table';
import { InterfaceWatch } from './interface-watch';

const row = { source: '10.0.0.1', destination: '10.0.0.2', protocol: 17, ifindex: 1, packets: 2, bytes: 200 };

/** A source that counts one flow per drain and otherwise does what the test sets. */
class FakeSource implements CaptureSource {
  readonly name = 'ring';
  attached: number[] = [];
  drains = 0;
  fillLevel = 0;
  refuses: number | null = null;
  attach(ifindex: number): void {
    if (ifindex === this.refuses) throw new Error('ENODEV');
    this.attached.push(ifindex);
  }
  detach(ifindex: number): void {
    this.attached = this.attached.filter((index) => index !== ifindex);
  }
  async drain(table: FlowTable): Promise<void> {
    this.drains += 1;
    this.fillLevel = 0;
    addRow(table, { ...row, first: Date.now(), last: Date.now() });
  }
  fill(): number {
    return this.fillLevel;
  }
  counts(): Record<string, number> {
    return {};
  }
  async close(): Promise<void> {}
}

let interfaces: Map<number, string>;
let source: FakeSource;
let capture: Capture;

beforeEach(() => {
  vi.useFakeTimers();
  interfaces = new Map([[1, 'tap100i0']]);
  source = new FakeSource();
  capture = new Capture(Date.now, new InterfaceWatch(() => new Map(interfaces)), [() => source]);
  return async () => {
    await capture.stop();
    vi.useRealTimers();
  };
});

describe('Capture', () => {
  it('uses the first method that works and reports why others did not', () => {
    const second = new Capture(Date.now, new InterfaceWatch(() => interfaces), [
      () => {
        throw new Error('EPERM');
      },
      () => source,
    ]);
    expect(second.state()).toMatchObject({ state: 'active', detail: expect.stringContaining('EPERM') });
    const none = new Capture(Date.now, new InterfaceWatch(() => interfaces), []);
    expect([none.isActive, none.snapshot(), none.state().state]).toEqual([false, null, 'unavailable']);
  });

  it('follows interfaces, and tries again where it failed', async () => {
    capture.start();
    expect(source.attached).toEqual([1]);
    interfaces = new Map([
      [2, 'tap100i0'],
      [3, 'tap101i0'],
    ]);
    source.refuses = 3;
    await vi.advanceTimersByTimeAsync(4000);
    expect(source.attached).toEqual([2]);
    expect(capture.state()).toMatchObject({ state: 'degraded', detail: expect.stringContaining('ENODEV') });
    source.refuses = null;
    await vi.advanceTimersByTimeAsync(4000);
    expect(source.attached).toEqual([2, 3]);
    expect(capture.state()).toMatchObject({ state: 'active' });
  });

  it('reports no error of an interface that vanished while it was attached', async () => {
    capture.start();
    interfaces = new Map([[3, 'tap101i0']]);
    source.refuses = 3;
    await vi.advanceTimersByTimeAsync(4000);
    expect(capture.state().state).toBe('degraded');
    interfaces = new Map();
    await vi.advanceTimersByTimeAsync(4000);
    expect(capture.state().state).toBe('active');
  });

  it.each([-6, 6])(
    'follows interfaces, drains and forgets as before when the clock is set by %i hours',
    async (hours) => {
      capture.start();
      await capture.drain();
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      interfaces.set(2, 'tap101i0');
      await vi.advanceTimersByTimeAsync(4000);
      expect(source.attached).toEqual([1, 2]);
      expect(source.drains).toBe(1);
      capture.startInterval();
      expect(capture.snapshot()?.table.size).toBe(0);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(source.drains).toBe(2);
    },
  );

  it('drains every minute without heartbeats, and immediately when the map fills', async () => {
    capture.start();
    await vi.advanceTimersByTimeAsync(190_000);
    expect(source.drains).toBe(3);
    // A heartbeat takes the place of the next drain.
    await capture.drain();
    await vi.advanceTimersByTimeAsync(55_000);
    expect(source.drains).toBe(4);
    const before = source.drains;
    source.fillLevel = 0.6;
    await vi.advanceTimersByTimeAsync(1100);
    expect(source.drains).toBe(before + 1);
  });

  it('looks more often when the map fills fast', async () => {
    capture.start();
    let looks = 0;
    source.fill = () => {
      looks += 1;
      return Math.min(0.49, looks * 0.2);
    };
    await vi.advanceTimersByTimeAsync(2000);
    expect(looks).toBeGreaterThanOrEqual(2);
  });

  it('keeps the name of a vanished interface as long as its flows are reported', async () => {
    capture.start();
    await capture.drain();
    interfaces = new Map();
    await vi.advanceTimersByTimeAsync(4000);
    expect(capture.snapshot()?.names.get(1)).toBe('tap100i0');
    capture.startInterval();
    expect(capture.snapshot()?.conversations.size).toBe(0);
    await vi.advanceTimersByTimeAsync(1000);
    source.drain = async () => undefined;
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    capture.startInterval();
    expect(capture.snapshot()?.names.has(1)).toBe(false);
    expect(capture.snapshot()?.table.size).toBe(0);
  });

  it('reports a failed drain instead of stopping', async () => {
    source.drain = async () => {
      throw new Error('EIO');
    };
    capture.start();
    await vi.advanceTimersByTimeAsync(65_000);
    expect(capture.state()).toMatchObject({ state: 'degraded', detail: expect.stringContaining('EIO') });
    source.drain = async () => undefined;
    await vi.advanceTimersByTimeAsync(65_000);
    expect(capture.state().state).toBe('active');
  });
});
