import type { WorkloadAddress } from '@/domain/inventory';
import { columnsOf } from '@/ui/columns';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

const make = columnsOf<WorkloadAddress>();

const STATES: Record<WorkloadAddress['state'], { tone: Tone; word: string }> = {
  active: { tone: 'ok', word: 'Active' },
  reserved: { tone: 'neutral', word: 'Reserved' },
  dhcp: { tone: 'info', word: 'DHCP' },
  stale: { tone: 'off', word: 'Stale' },
  conflict: { tone: 'danger', word: 'Conflict' },
};

const SOURCES: Record<WorkloadAddress['source'], string> = {
  agent: 'Guest agent',
  sdn: 'SDN',
  config: 'Configuration',
  cloudinit: 'Cloud-init',
  manual: 'By hand',
};

export const ADDRESS_COLUMNS = [
  make.mono('address', 'Address', (item) => item.address, { width: 220, grow: true }),
  make.custom('state', 'State', (item) => <Status tone={STATES[item.state].tone}>{STATES[item.state].word}</Status>, {
    width: 110,
    csv: (item) => STATES[item.state].word,
  }),
  make.mono('subnet_cidr', 'Subnet', (item) => item.subnet_cidr, { width: 180 }),
  make.text('source', 'Known from', (item) => SOURCES[item.source], { width: 130 }),
];
