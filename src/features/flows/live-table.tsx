'use client';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { Flow } from '@/domain/flow/flow';
import { failureOf } from '@/lib/problem';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { Status } from '@/ui/status';
import { FLOW_COLUMNS } from './flow-columns';
import { NoFlows } from './flow-table';
import { TAIL_ROWS } from './merge-tail';
import { useFlowTail } from './use-flow-tail';
import type { FlowView } from './use-flow-view';

// What is followed has one order: the newest first.
const COLUMNS = FLOW_COLUMNS.map((column) => ({ ...column, sortable: false }));

const NOTHING: Flow[] = [];

/** Flows as they come. */
export function LiveTable({ view, onOpen }: { view: FlowView; onOpen: (flow: Flow) => void }) {
  const [paused, setPaused] = useState(false);
  const tail = useFlowTail(view.filter, { enabled: true, paused });
  const rows = tail.data?.rows ?? NOTHING;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          size="sm"
          icon={paused ? <Play size={14} /> : <Pause size={14} />}
          onClick={() => setPaused((now) => !now)}
        >
          {paused ? 'Go on' : 'Pause'}
        </Button>
        <span role="status">
          <Status tone={paused ? 'off' : tail.error ? 'danger' : 'ok'} pulse={!paused && !tail.error}>
            {paused
              ? 'Paused: what you see stands still.'
              : tail.error
                ? 'Interrupted; trying again.'
                : tail.data?.more
                  ? 'More flows arrive than can be shown. Narrow them down.'
                  : `Following. The newest ${TAIL_ROWS} of the last minutes are shown.`}
          </Status>
        </span>
      </div>
      <DataTable
        id="flows"
        label="Flows, live"
        noun={{ one: 'flow', many: 'flows' }}
        columns={COLUMNS}
        rows={rows}
        rowId={(flow) => flow.id}
        total={rows.length}
        loading={tail.isPending}
        error={tail.error ? failureOf(tail.error) : null}
        onRetry={() => void tail.refetch()}
        filtered={view.narrowed}
        onClearFilters={view.widen}
        onRowOpen={onOpen}
        empty={<NoFlows live />}
      />
    </>
  );
}
