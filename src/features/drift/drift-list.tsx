'use client';
import { GitCompareArrows } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Drift } from '@/domain/change/drift';
import { ADOPTABLE_KINDS, DRIFT_KINDS, DRIFT_SORTS, DRIFT_STATUSES } from '@/domain/change/drift-kinds';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { loadOnOpening } from '@/ui/load-on-opening';
import { DRIFT_KIND_LABELS } from '../shared/changes/change-labels';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { POLICY, WORKLOAD } from '../shared/list/sources';
import { useList, useSelection } from '../shared/list/use-list';
import { driftColumns } from './drift-columns';
import { STATUS_STATES } from './drift-labels';
import { useDriftActions } from './use-drift-actions';

const DriftDrawer = loadOnOpening(() => import('./drift-drawer').then((module) => module.DriftDrawer));
const AcceptDriftDialog = loadOnOpening(() =>
  import('./accept-drift-dialog').then((module) => module.AcceptDriftDialog),
);

const AdoptDriftDialog = loadOnOpening(
  () => import('./adopt-drift-dialog').then((module) => module.AdoptDriftDialog),
  () => true,
);

const DRIFT = declareList({
  from: 'drift.list',
  name: 'drift',
  title: msg('Drift'),
  label: msg('Differences'),
  noun: { one: msg('difference'), many: msg('differences') },
  search: msg('Search drift'),
  sorts: DRIFT_SORTS,
  defaultSort: '-first_seen_at',
  filters: {
    status: choice(msg('Status'), DRIFT_STATUSES, (one) => STATUS_STATES[one].word),
    kind: choice(msg('Difference'), DRIFT_KINDS, (one) => DRIFT_KIND_LABELS[one]),
    policy_id: searched(msg('Policy'), 'id', POLICY),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    cluster_id: CLUSTER,
  },
  common: ['status', 'kind'],
  columns: driftColumns,
  rowId: (drift) => drift.id,
  empty: {
    icon: <GitCompareArrows />,
    title: msg('No differences found'),
    text: msg(
      'Only workloads that were read are compared, with what was last applied to them. Manual changes to rules of policies appear here.',
    ),
  },
});

/** What differs between applied and live rules of policies, and what to do about it. */
export function DriftList() {
  const t = useT();
  // A notification leads to the newest difference of its policy.
  const [driftId, setDriftId] = useUrlValue('drift', URL_TEXT);
  const [dialog, setDialog] = useState<'reconcile' | 'adopt' | 'accept' | null>(null);
  /** Those that were chosen when the dialog opened. */
  const [asked, setAsked] = useState<readonly Drift[]>([]);
  const list = useList(DRIFT);
  const { chosen, selection, select } = useSelection(list);
  const [policyId] = useUrlValue('policy_id', URL_TEXT);
  // Until the rows of this policy are loaded, those of another may be shown.
  const newest = list.table.rows.find(({ policy_id }) => policyId === null || policy_id === policyId)?.id;
  useEffect(() => {
    if (driftId === 'newest' && newest) setDriftId(newest);
  }, [driftId, newest, setDriftId]);
  const done = () => {
    select(new Set());
    setDialog(null);
  };
  const { reconcile } = useDriftActions(done);
  const ids = asked.map(({ id }) => id);
  const workloads = new Set(asked.map(({ workload_id }) => workload_id)).size;
  const ask = (kind: typeof dialog) => {
    setAsked(chosen);
    setDialog(kind);
  };
  const may = (action: Drift['actions'][number]) =>
    chosen.every(({ actions }) => actions.includes(action))
      ? null
      : t('The selection includes differences that are resolved or that you may not change.');
  return (
    <>
      <ListView
        of={list}
        description={t('Differences between what was last applied and what is live, as last read.')}
        onRowOpen={(drift) => void setDriftId(drift.id)}
        selection={selection}
        onSelectionChange={select}
        bulkActions={
          <>
            <Button size="sm" onClick={() => ask('reconcile')} disabledReason={may('reconcile')}>
              {t('Reconcile workloads')}
            </Button>
            <Button
              size="sm"
              onClick={() => ask('adopt')}
              disabledReason={
                chosen.every(({ kind }) => ADOPTABLE_KINDS.includes(kind))
                  ? may('adopt')
                  : t('The selection includes differences that no policy can express.')
              }
            >
              {t('Adopt differences')}
            </Button>
            <Button size="sm" onClick={() => ask('accept')} disabledReason={may('accept')}>
              {t('Accept differences')}
            </Button>
          </>
        }
      />
      <DriftDrawer driftId={driftId === 'newest' ? null : driftId} onClose={() => void setDriftId(null)} />
      {dialog === 'adopt' && <AdoptDriftDialog drifts={asked} onClose={() => setDialog(null)} />}
      {dialog === 'accept' && <AcceptDriftDialog ids={ids} onClose={() => setDialog(null)} onDone={done} />}
      <ConfirmDialog
        open={dialog === 'reconcile'}
        onOpenChange={(next) => {
          if (next) return;
          reconcile.reset();
          setDialog(null);
        }}
        title={t('{n, plural, one {Reconcile # workload?} other {Reconcile # workloads?}}', { n: workloads })}
        confirmLabel={t('Reconcile workloads')}
        tone="primary"
        pending={reconcile.isPending}
        error={reconcile.error ? toFailure(reconcile.error) : null}
        onConfirm={() => reconcile.mutate({ drift_ids: ids })}
      >
        {t('The desired state of the policies is written to these workloads only, pending edits included.')}
      </ConfirmDialog>
    </>
  );
}
