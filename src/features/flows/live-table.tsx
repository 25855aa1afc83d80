'use client';
import { Pause, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { Status } from '@/ui/status';
import { conversationText } from '../shared/flows/flow-labels';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { toFlowSeed } from '../shared/policy-draft/draft-link';
import { flowColumns } from './flow-columns';
import { NoFlows } from './no-flows';
import { TAIL_ROWS, useFlowTail } from './use-flow-tail';
import type { FlowView } from './use-flow-view';

// What is followed has one order: the newest first.
const columnsFor = (t: Translate) => flowColumns(t).map((column) => ({ ...column, sortable: false }));

const NOTHING: EvaluatedFlow[] = [];

/** Flows as they come. */
export function LiveTable({ view, onOpen }: { view: FlowView; onOpen: (flow: EvaluatedFlow) => void }) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  const [paused, setPaused] = useState(false);
  const tail = useFlowTail(view.flowFilter, { enabled: true, paused });
  const rows = tail.data?.rows ?? NOTHING;
  const draftMenu = useDraftMenu<EvaluatedFlow>(toFlowSeed, conversationText);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          size="sm"
          icon={paused ? <Play size={14} /> : <Pause size={14} />}
          onClick={() => setPaused((now) => !now)}
        >
          {paused ? t('Resume') : t('Pause')}
        </Button>
        <span role="status">
          <Status tone={paused ? 'off' : tail.error ? 'danger' : 'ok'} pulse={!paused && !tail.error}>
            {paused
              ? t('Paused')
              : tail.error
                ? t('Connection interrupted. Retrying.')
                : tail.data?.more
                  ? t('More flows arrive than can be shown. Narrow the filter.')
                  : t('Live. Shows the newest {n, number} flows of the last minutes.', { n: TAIL_ROWS })}
          </Status>
        </span>
      </div>
      <DataTable
        id="flows"
        label={t('Live flows')}
        noun={{ one: t('flow'), many: t('flows') }}
        columns={columns}
        rows={rows}
        rowId={(flow) => flow.id}
        total={rows.length}
        loading={tail.isPending}
        error={tail.error ? toFailure(tail.error) : null}
        onRetry={() => void tail.refetch()}
        filtered={view.narrowed}
        onClearFilters={view.widen}
        onRowOpen={onOpen}
        {...draftMenu}
        empty={<NoFlows live />}
      />
    </>
  );
}
