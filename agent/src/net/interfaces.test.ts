import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { describe, expect, it } from 'vitest';
import { isCaptureInterface } from '../capture/interface-watch';
import { parseInterfaceCounters } from './interface-counters';
import { bestInterfaces, InterfaceTrafficMeter } from './interface-traffic';

const HEADER = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
const line = (name: string, rx: number, tx: number) =>
  `${name.padStart(6)}: ${rx} ${rx / 10} 1 2 0 0 0 0 ${tx} ${tx / 10} 3 4 0 0 0 0\n`;

describe('parseGuestInterface', () => {
  it('knows the hypervisor names and nothing else', () => {
    expect(parseGuestInterface('tap100i0')).toEqual({ kind: 'tap', vmid: 100, nic: 0 });
    expect(parseGuestInterface('fwpr999999999p31')).toEqual({ kind: 'fwpr', vmid: 999_999_999, nic: 31 });
    expect(parseGuestInterface('fwln100o1')).toEqual({ kind: 'fwln', vmid: 100, nic: 1 });
    for (const name of [
      'tap100',
      'tap100p0',
      'fwpr100i0',
      'tap0i0',
      'tap100i0x',
      'vethabc',
      'veth12ab34',
      'vmbr0',
      'xtap1i0',
    ]) {
      expect(parseGuestInterface(name)).toBeNull();
    }
    expect(['tap1i0', 'veth1i0', 'fwbr1i0', 'fwln1i0', 'fwpr1p0', 'eth0'].filter(isCaptureInterface)).toEqual([
      'tap1i0',
      'veth1i0',
    ]);
  });
});

describe('interface counters', () => {
  it('reads every column it reports', () => {
    expect(
      parseInterfaceCounters(`${HEADER}${line('lo', 10, 10)}${line('tap100i0', 100, 200)}${line('vmbr0', 0, 0)}`),
    ).toEqual([
      {
        name: 'tap100i0',
        kind: 'tap',
        vmid: 100,
        nic: 0,
        rx_bytes: 100,
        rx_packets: 10,
        rx_errors: 1,
        rx_dropped: 2,
        tx_bytes: 200,
        tx_packets: 20,
        tx_errors: 3,
        tx_dropped: 4,
      },
      expect.objectContaining({ name: 'vmbr0', kind: 'bridge' }),
    ]);
  });
});

describe('interface traffic', () => {
  const read = (lines: string) => parseInterfaceCounters(HEADER + lines);

  it('uses one interface per guest NIC: tap, then fwln, fwpr, fwbr', () => {
    const all = ['fwbr100i0', 'fwpr100p0', 'fwln100i0', 'tap100i0', 'fwbr101i1', 'fwpr101p1', 'veth102i0', 'eth0'];
    const names = bestInterfaces(read(all.map((name) => line(name, 10, 10)).join(''))).map(({ name }) => name);
    expect(names.sort()).toEqual(['fwpr101p1', 'tap100i0', 'veth102i0']);
  });

  it('reports what is new, as the guest sees it', () => {
    const meter = new InterfaceTrafficMeter();
    expect(meter.measure(read(line('tap100i0', 1000, 500) + line('fwln101i0', 1000, 500)), 0)).toEqual([]);
    const records = meter.measure(
      read(line('tap100i0', 1100, 520) + line('fwln101i0', 1100, 520) + line('tap103i0', 30, 0)),
      0,
    );
    expect(records).toEqual([
      expect.objectContaining({ interface: 'tap100i0', rx_bytes: 20, tx_bytes: 100, bytes: 120, packets: 12 }),
      expect.objectContaining({ interface: 'fwln101i0', rx_bytes: 100, tx_bytes: 20 }),
      expect.objectContaining({ interface: 'tap103i0', rx_bytes: 0, tx_bytes: 30 }),
    ]);
    expect(meter.measure(read(line('tap100i0', 40, 520)), 0)).toEqual([
      expect.objectContaining({ interface: 'tap100i0', tx_bytes: 40, rx_bytes: 0 }),
    ]);
    expect(meter.measure(read(line('tap100i0', 40, 520)), 0)).toEqual([]);
  });
});
