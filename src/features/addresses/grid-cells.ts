import type { SubnetGrid } from '@/domain/ipam/subnet';
import { parseCidr } from '@/domain/net/cidr';
import { addressBits, formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import { msg } from '@/lib/i18n/translator';

type Known = SubnetGrid['cells'][number];
export type CellState = Known['state'] | 'free';
export type GridCell = Omit<Known, 'state'> & { state: CellState /** The last part of the address. */; short: string };
export type GridRow = {
  first: string;
  /** Whether the row begins a block of 256 addresses, in a part that holds several: their last parts repeat. */
  block: boolean;
  cells: GridCell[];
};

/** The largest subnet that is shown as a whole; larger ones come in parts. */
export const WHOLE = 1024;
export const PART = 256;

const BLOCK = 256n;
const FREE = { ip_address_id: null, label: null, workload_id: null, subnet_id: null };

const toShortLabel = ({ family, value }: IpAddress): string =>
  family === 4 ? String(value & 0xffn) : (value & 0xffffn).toString(16);

/** Every address of a part of a subnet, in rows of `columns`; what the service did not name is free. */
export function gridRows(grid: Pick<SubnetGrid, 'first' | 'last' | 'cells'>, columns: number): GridRow[] {
  const [first, last] = [parseIp(grid.first), parseIp(grid.last)];
  if (!first || !last) return [];
  const known = new Map(grid.cells.map((cell) => [cell.address, cell]));
  const rows: GridRow[] = [];
  const blocks = last.value - first.value >= BLOCK;
  for (let value = first.value; value <= last.value; value += 1n) {
    const ip = { family: first.family, value };
    const address = formatIp(ip);
    if (rows.length === 0 || rows.at(-1)?.cells.length === columns) {
      rows.push({ first: address, block: blocks && value % BLOCK === 0n, cells: [] });
    }
    const cell = known.get(address) ?? { ...FREE, address, state: 'free' as const };
    rows.at(-1)?.cells.push({ ...cell, short: toShortLabel(ip) });
  }
  return rows;
}

/** How many addresses of a subnet are asked for at a time. */
export function partSize(cidr: string): number {
  const parsed = parseCidr(cidr);
  if (!parsed) return PART;
  const bits = addressBits(parsed.address.family) - parsed.prefix;
  return bits <= Math.log2(WHOLE) ? 2 ** bits : PART;
}

/** The first address of the part in which `address` lies; null when it is outside the subnet. */
export function findPartStart(cidr: string, address: string): string | null {
  const parsed = parseCidr(cidr);
  const ip = parseIp(address.trim());
  if (!parsed || !ip || ip.family !== parsed.address.family) return null;
  const size = BigInt(partSize(cidr));
  const offset = ip.value - parsed.address.value;
  const total = 1n << BigInt(addressBits(ip.family) - parsed.prefix);
  if (offset < 0n || offset >= total) return null;
  return formatIp({ family: ip.family, value: ip.value - (offset % size) });
}

/** Whether all addresses of a subnet are shown at the same time. */
export function isWhole(cidr: string): boolean {
  const parsed = parseCidr(cidr);
  return parsed !== null && 2 ** (addressBits(parsed.address.family) - parsed.prefix) <= WHOLE;
}

/** How many cells are in each state. */
export function countStates(rows: readonly GridRow[]): Map<CellState, number> {
  const counts = new Map<CellState, number>();
  for (const row of rows) for (const cell of row.cells) counts.set(cell.state, (counts.get(cell.state) ?? 0) + 1);
  return counts;
}

/** Where a key leads from a cell of a grid; null when it is none of the grid's keys. */
export function gridMove(key: string, index: number, columns: number, total: number): number | null {
  const rowStart = index - (index % columns);
  const moves: Record<string, number> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - columns >= 0 ? index - columns : index,
    ArrowDown: index + columns < total ? index + columns : index,
    Home: rowStart,
    End: rowStart + columns - 1,
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(total - 1, next));
}

type Look = {
  word: string;
  /** Fill, border and text; each state differs in more than its color. */
  className: string;
  /** What a press of such a cell does. */
  press: 'assign' | 'address' | 'subnet' | null;
};

/** How the cells of the address grid look, in the order of the legend. */
export const CELLS: Record<CellState, Look> = {
  free: { word: msg('Free'), className: 'border-line bg-surface text-muted', press: 'assign' },
  active: { word: msg('Active'), className: 'border-ok-mark bg-ok-soft font-semibold text-ok', press: 'address' },
  reserved: { word: msg('Reserved'), className: 'border-line-strong bg-surface-3 text-text', press: 'address' },
  dhcp: { word: msg('DHCP'), className: 'border-info-mark bg-info-soft text-info', press: 'address' },
  stale: { word: msg('Stale'), className: 'border-off-mark bg-surface text-faint line-through', press: 'address' },
  conflict: {
    word: msg('Conflict'),
    className: 'border-danger bg-danger font-semibold text-on-solid',
    press: 'address',
  },
  gateway: { word: msg('Gateway'), className: 'border-text bg-text font-semibold text-surface', press: 'assign' },
  dhcp_range: {
    word: msg('DHCP range'),
    className: 'border-dashed border-info-mark bg-surface text-muted',
    press: 'assign',
  },
  reserved_range: {
    word: msg('Reserved range'),
    className: 'border-dashed border-line-strong bg-surface text-muted',
    press: 'assign',
  },
  child: { word: msg('Child prefix'), className: 'border-transparent bg-accent-soft text-accent', press: 'subnet' },
  network: { word: msg('Network address'), className: 'border-transparent bg-surface-2 text-faint', press: null },
  broadcast: { word: msg('Broadcast address'), className: 'border-transparent bg-surface-2 text-faint', press: null },
};

export const CELL_STATES = Object.keys(CELLS) as CellState[];
