import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrBounds, cidrContains, parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { countStates, findPartStart, gridMove, gridRows, PART, partSize } from './grid-cells';

const used = {
  address: '10.0.0.5',
  state: 'active' as const,
  ip_address_id: 'a1',
  label: 'web-01',
  workload_id: 'w1',
  subnet_id: null,
};

describe('rows', () => {
  test('hold every address once, in order; what is not named is free', () => {
    const rows = gridRows({ first: '10.0.0.0', last: '10.0.0.19', cells: [used] }, 8);
    expect(rows.map((row) => [row.first, row.cells.length])).toEqual([
      ['10.0.0.0', 8],
      ['10.0.0.8', 8],
      ['10.0.0.16', 4],
    ]);
    expect(rows[0]?.cells[5]).toEqual({ ...used, short: '5' });
    expect(rows[0]?.cells[6]).toMatchObject({ address: '10.0.0.6', state: 'free', label: null });
    expect(countStates(rows)).toEqual(
      new Map([
        ['free', 19],
        ['active', 1],
      ]),
    );
  });

  test('separates blocks of 256 when there are several', () => {
    const rows = gridRows({ first: '10.0.0.0', last: '10.0.1.255', cells: [] }, 32);
    expect(rows.filter((row) => row.block).map((row) => row.first)).toEqual(['10.0.0.0', '10.0.1.0']);
    expect(gridRows({ first: '10.0.0.0', last: '10.0.0.255', cells: [] }, 32).some((row) => row.block)).toBe(false);
  });

  test('IPv6 is counted in hex', () => {
    const rows = gridRows({ first: 'fd00::fe', last: 'fd00::101', cells: [] }, 16);
    expect(rows[0]?.cells.map((cell) => cell.short)).toEqual(['fe', 'ff', '100', '101']);
  });
});

test.each([
  ['10.0.0.0/24', 256],
  ['10.0.0.0/22', 1024],
  ['10.0.0.0/21', PART],
  ['10.0.0.4/31', 2],
  ['10.0.0.4/32', 1],
  ['fd00::/64', PART],
  ['fd00::/120', 256],
])('%s shows %i addresses at a time', (cidr, size) => expect(partSize(cidr)).toBe(size));

test('each address is in the part that is found for it', () => {
  const cidr = fc.constantFrom('10.16.0.0/12', '192.0.2.0/24', '10.0.0.0/21', 'fd00::/64', '0.0.0.0/0');
  fc.assert(
    fc.property(cidr, fc.bigInt(0n, 2n ** 64n), (text, offset) => {
      const parsed = parseCidr(text);
      if (!parsed) throw new Error(text);
      const { first, last } = cidrBounds(parsed);
      const value = first.value + (offset % (last.value - first.value + 1n));
      const start = parseIp(findPartStart(text, formatIp({ family: first.family, value })) ?? '');
      expect(start && cidrContains(parsed, start)).toBe(true);
      const distance = value - (start?.value ?? 0n);
      expect(distance >= 0n && distance < BigInt(partSize(text))).toBe(true);
    }),
  );
  expect(findPartStart('10.0.0.0/24', '10.0.1.0')).toBeNull();
  expect(findPartStart('10.0.0.0/24', 'fd00::1')).toBeNull();
  expect(findPartStart('10.0.0.0/24', 'x')).toBeNull();
});

test('keys move inside the grid and never out of it', () => {
  expect(gridMove('ArrowDown', 3, 8, 20)).toBe(11);
  expect(gridMove('ArrowDown', 13, 8, 20)).toBe(13);
  expect(gridMove('ArrowUp', 3, 8, 20)).toBe(3);
  expect(gridMove('Home', 13, 8, 20)).toBe(8);
  expect(gridMove('End', 17, 8, 20)).toBe(19);
  expect(gridMove('ArrowLeft', 0, 8, 20)).toBe(0);
  expect(gridMove('x', 0, 8, 20)).toBeNull();
});
