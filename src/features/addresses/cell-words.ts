import { msg } from '@/lib/i18n/translator';
import type { CellState } from './grid-cells';

type Look = {
  word: string;
  /** Fill, border and text; each state differs in more than its colour. */
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
  child: { word: msg('Inner prefix'), className: 'border-transparent bg-accent-soft text-accent', press: 'subnet' },
  network: { word: msg('Network address'), className: 'border-transparent bg-surface-2 text-faint', press: null },
  broadcast: { word: msg('Broadcast address'), className: 'border-transparent bg-surface-2 text-faint', press: null },
};

export const CELL_STATES = Object.keys(CELLS) as CellState[];
