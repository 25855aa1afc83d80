'use client';
import { Boxes, RefreshCw, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { formatBytes } from '@/lib/format';
import { Button } from '@/ui/button';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { Status } from '@/ui/status';
import { showToast } from '@/ui/toast';
import type { Tone } from '@/ui/tone';
import { KitPart } from './kit-part';

type Guest = {
  id: string;
  name: string;
  vmid: number;
  address: string | null;
  state: 'running' | 'stopped' | 'paused' | 'unknown';
  bytes: number | null;
  seen_at: string | null;
};

const TONES: Record<Guest['state'], Tone> = { running: 'ok', stopped: 'off', paused: 'warn', unknown: 'unknown' };
const STATES = Object.keys(TONES) as Guest['state'][];

const make = columnsOf<Guest>();
const COLUMNS = [
  make.text('name', 'Name', (guest) => guest.name, {
    sortable: true,
    grow: true,
    width: 220,
    render: (guest) => (
      <a className="link" href={`#${guest.id}`}>
        {guest.name}
      </a>
    ),
  }),
  make.custom('state', 'State', (guest) => <Status tone={TONES[guest.state]}>{guest.state}</Status>, {
    width: 110,
    csv: (guest) => guest.state,
  }),
  make.number('vmid', 'VMID', (guest) => guest.vmid, { sortable: true, sortFirst: 'asc', format: String, width: 80 }),
  make.mono('address', 'Address', (guest) => guest.address, { sortable: true, width: 170 }),
  make.number('bytes', 'Traffic', (guest) => guest.bytes, { sortable: true, format: formatBytes, width: 100 }),
  make.time('seen_at', 'Last seen', (guest) => guest.seen_at, { sortable: true, none: 'Never' }),
  make.text('id', 'Id', (guest) => guest.id, { hidden: true, width: 120 }),
];

const NODES = Array.from({ length: 40 }, (_, index) => ({ value: `pve-${index}`, label: `pve-${index}` }));
const NO_ROWS: Guest[] = [];
const COUNT = 5000;
const PAGE = 200;

/** Rows made by arithmetic, the same at every visit. */
function guestAt(index: number, start: number): Guest {
  const state = STATES[index % 17 === 3 ? 3 : index % 5 === 2 ? 1 : index % 23 === 7 ? 2 : 0] ?? 'unknown';
  return {
    id: `guest-${index}`,
    name: `${['web', 'db', 'cache', 'worker', 'gateway'][index % 5]}-${String(index).padStart(4, '0')}`,
    vmid: 100 + index,
    address: state === 'unknown' ? null : `10.${index % 4}.${(index >> 8) % 256}.${index % 256}`,
    state,
    bytes: state === 'running' ? (index * 7919 * 7919) % 9_000_000_000 : null,
    seen_at: state === 'stopped' ? null : new Date(start - index * 61_000).toISOString(),
  };
}

export function KitTable() {
  return (
    <KitPart id="tables" title="Tables">
      <div className="flex h-[32rem] flex-col gap-2">
        <LargeTable />
      </div>
      <div className="grid gap-3 md:grid-cols-3">
        <StateTable kind="loading" />
        <StateTable kind="empty" />
        <StateTable kind="error" />
      </div>
    </KitPart>
  );
}

export function LargeTable() {
  // The rows' times are relative to the visit, which the server does not know.
  const [start, setStart] = useState<number | null>(null);
  useEffect(() => setStart(Date.now()), []);
  const [loaded, setLoaded] = useState(PAGE);
  const [sort, setSort] = useState('name');
  const [search, setSearch] = useState('');
  const [states, setStates] = useState<string[]>([]);
  const [nodes, setNodes] = useState<string[]>([]);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set(['guest-1', 'guest-2']));
  const matches = useMemo(() => {
    if (start === null) return NO_ROWS;
    const desc = sort.startsWith('-');
    const key = sort.replace('-', '') as keyof Guest;
    return Array.from({ length: COUNT }, (_, index) => guestAt(index, start))
      .filter((guest) => guest.name.includes(search) && (states.length === 0 || states.includes(guest.state)))
      .sort((a, b) => {
        const [x, y] = [a[key] ?? '', b[key] ?? ''];
        return (x < y ? -1 : x > y ? 1 : 0) * (desc ? -1 : 1);
      });
  }, [start, sort, search, states]);
  const rows = useMemo(() => matches.slice(0, loaded), [matches, loaded]);
  const clear = () => {
    setSearch('');
    setStates([]);
    setNodes([]);
  };
  return (
    <>
      <FilterBar
        search={{ label: 'Search guests', value: search, onValueChange: setSearch }}
        facets={[
          {
            id: 'state',
            label: 'State',
            value: states,
            onValueChange: setStates,
            options: STATES.map((value) => ({ value, label: value })),
          },
          { id: 'node', label: 'Node', value: nodes, onValueChange: setNodes, options: NODES },
        ]}
        onClear={clear}
      >
        <Button variant="primary">Add guest</Button>
      </FilterBar>
      <DataTable
        id="kit"
        label="Guests"
        noun={{ one: 'guest', many: 'guests' }}
        columns={COLUMNS}
        rows={rows}
        rowId={(guest) => guest.id}
        total={start === null ? undefined : matches.length}
        sort={sort}
        onSortChange={setSort}
        queryKey={JSON.stringify([sort, search, states])}
        loading={start === null}
        error={null}
        onLoadMore={rows.length < matches.length ? () => setLoaded((now) => now + PAGE) : undefined}
        filtered={search !== '' || states.length > 0}
        onClearFilters={clear}
        empty={<EmptyState title="No guests" />}
        onRowOpen={(guest) => showToast('info', { id: 'open', title: `Opened ${guest.name}` })}
        selection={selection}
        onSelectionChange={setSelection}
        bulkActions={<Button size="sm">Assign project</Button>}
        rowActions={(guest) => ({
          name: guest.name,
          entries: [
            { id: 'sync', label: 'Read again', icon: <RefreshCw />, onSelect: () => undefined },
            { id: 'delete', label: 'Forget…', icon: <Trash2 />, tone: 'danger', onSelect: () => undefined },
          ],
        })}
      />
    </>
  );
}

function StateTable({ kind }: { kind: 'loading' | 'empty' | 'error' }) {
  return (
    <DataTable
      id={`kit-${kind}`}
      label={`Guests (${kind})`}
      noun={{ one: 'guest', many: 'guests' }}
      columns={COLUMNS}
      rows={NO_ROWS}
      rowId={(guest) => guest.id}
      total={kind === 'empty' ? 0 : undefined}
      loading={kind === 'loading'}
      error={kind === 'error' ? { title: 'Guests could not be loaded', detail: 'The service does not answer.' } : null}
      onRetry={() => undefined}
      height="auto"
      empty={
        <EmptyState icon={<Boxes />} title="No guests yet" action={<Button>Sync now</Button>}>
          Guests appear after the first sync of a cluster.
        </EmptyState>
      }
    />
  );
}
