'use client';
import { Box } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import {
  MAX_ASSIGNED,
  WORKLOAD_ENFORCEMENTS,
  WORKLOAD_KINDS,
  WORKLOAD_SORTS,
  WORKLOAD_STATUSES,
} from '@/domain/choices';
import { PROTECTIONS, UNPROTECTED_REASONS } from '@/domain/firewall/protection';
import type { Workload } from '@/domain/inventory';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import {
  ENFORCEMENT_LABELS,
  KIND_LABELS,
  PROTECTION_STATES,
  UNPROTECTED_LABELS,
  WORKLOAD_STATES,
} from '../shared/inventory-states';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, flag, inUrl, searched, several, typed } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { PROJECT } from '../shared/list/sources';
import { useList, useSelection } from '../shared/list/use-list';
import { AsOfButton, PastNotice } from '../shared/past/as-of';
import { usePermissions } from '../shared/use-permissions';
import { CreatePolicyButton } from './create-policy-button';
import { useAllMatching } from './use-all-matching';
import { AssignProjectDialog, useAssignProject } from './use-assign-project';
import { useProtectionCounts } from './use-protection-counts';
import { workloadColumns } from './workload-columns';

const WORKLOADS = declareList({
  from: 'workloads.list',
  name: 'workloads',
  label: msg('Workloads'),
  noun: { one: msg('workload'), many: msg('workloads') },
  search: msg('Search workloads'),
  sorts: WORKLOAD_SORTS,
  defaultSort: 'name',
  filters: {
    status: choice(msg('Status'), WORKLOAD_STATUSES, (one) => WORKLOAD_STATES[one].word),
    kind: choice(msg('Kind'), WORKLOAD_KINDS, (one) => KIND_LABELS[one]),
    cluster_id: CLUSTER,
    project_id: searched(msg('Project'), 'id_or_none', PROJECT, msg('Without project')),
    protection: several(msg('Protection'), PROTECTIONS, (one) => PROTECTION_STATES[one].word),
    protection_reason: several(msg('Why not protected'), UNPROTECTED_REASONS, (one) => UNPROTECTED_LABELS[one]),
    template: flag(msg('Templates'), [
      [false, msg('Without templates')],
      [true, msg('Templates only')],
    ]),
    missing: flag(msg('Presence'), [
      [true, msg('Missing from cluster')],
      [false, msg('Present')],
    ]),
    enforcement: choice(msg('Firewall'), WORKLOAD_ENFORCEMENTS, (one) => ENFORCEMENT_LABELS[one]),
    tag: typed(msg('Tag')),
    pool: typed(msg('Pool')),
    as_of: inUrl('time'),
  },
  common: ['status', 'protection', 'protection_reason'],
  columns: workloadColumns,
  rowId: (workload) => workload.id,
  rowPath: (workload) => paths.workload({ workloadId: workload.id }),
  empty: ({ within, can }) =>
    'network_id' in within
      ? { title: msg('No attached workloads'), text: msg('No workload interface uses this network.') }
      : 'node_id' in within
        ? { title: msg('No workloads'), text: msg('No virtual machines or containers on this node.') }
        : {
            icon: <Box />,
            title: msg('No workloads yet'),
            ...(!can('cluster:read')
              ? {
                  text: msg(
                    'Workloads assigned to a project of your tenant appear here. Ask an installation administrator to assign workloads.',
                  ),
                }
              : 'cluster_id' in within
                ? {
                    text: msg('Virtual machines and containers appear with the first successful sync of this cluster.'),
                  }
                : {
                    text: msg('Virtual machines and containers appear with the first successful sync of a cluster.'),
                    link: { label: msg('Go to clusters'), href: paths.clusters() },
                  }),
          },
});

/** Restricts the table to what hangs off one thing, on the page of that thing. */
export type WorkloadTableScope = { cluster_id: string } | { node_id: string } | { network_id: string };

/** What the page of that thing says already. */
const KNOWN = { cluster_id: ['cluster_name'], node_id: ['cluster_name', 'node_name'], network_id: [] };

/** Virtual machines and containers with search and filters. */
export function WorkloadTable({ within }: { within?: WorkloadTableScope }) {
  const t = useT();
  const router = useRouter();
  const assigning = useAssignProject();
  const { can } = usePermissions();
  const mayDraft = can('policy:write');
  const [assigned, setAssigned] = useState<{ what: string; ids: readonly string[] } | null>(null);
  const hide = within ? ['cluster_id', ...Object.keys(within).flatMap((key) => KNOWN[key as keyof typeof KNOWN])] : [];
  const list = useList(WORKLOADS, { within, hide });
  const fields = useProtectionCounts(list.fields, { ...list.state.input, ...within });
  const asOf = list.state.filters.as_of;
  const showTime = (at: string | null) => list.state.setFilter('as_of', at);
  const { rows, total = 0 } = list.table;
  const { chosen, selection, select: setSelection } = useSelection(list);
  const matching = useAllMatching({ ...list.state.input, ...within });
  const select = (next: ReadonlySet<string>) => {
    matching.clear();
    setSelection(next);
  };
  const ids = matching.ids ?? chosen.map(({ id }) => id);
  return (
    <>
      <ListView
        of={{ ...list, fields }}
        id={within && 'workloads-within'}
        summary={<PastNotice at={asOf} onChange={showTime} />}
        {...(asOf !== null && {
          onRowOpen: ({ id }: Workload) => router.push(paths.workload({ workloadId: id, as_of: asOf })),
        })}
        {...(asOf === null &&
          (assigning.possible || mayDraft) && {
            selection,
            onSelectionChange: select,
            bulkActions: (
              <>
                {matching.ids ? (
                  <span>{t('All {n, number} matching selected', { n: matching.ids.length })}</span>
                ) : (
                  chosen.length === rows.length &&
                  total > chosen.length && (
                    <Button size="sm" variant="ghost" onClick={matching.choose} pending={matching.pending}>
                      {t('Select all {n, number}', { n: total })}
                    </Button>
                  )
                )}
                {mayDraft && <CreatePolicyButton workloadIds={ids} />}
                {assigning.possible && (
                  <Button
                    size="sm"
                    onClick={() => setAssigned({ what: describeSelection(t, ids, chosen), ids })}
                    disabledReason={
                      ids.length > MAX_ASSIGNED &&
                      t('Select at most {n, number} workloads. Narrow the filter.', { n: MAX_ASSIGNED })
                    }
                  >
                    {t('Assign to project')}
                  </Button>
                )}
              </>
            ),
          })}
      >
        <AsOfButton at={asOf} onChange={showTime} />
      </ListView>
      {assigned && (
        <AssignProjectDialog
          what={assigned.what}
          workloadIds={assigned.ids}
          mayClear={assigning.mayClear}
          onClose={() => setAssigned(null)}
          onAssigned={() => select(new Set())}
        />
      )}
    </>
  );
}

const describeSelection = (t: Translate, ids: readonly string[], [first]: readonly Workload[]) =>
  ids.length === 1 && first ? first.name : t('{n, plural, one {# workload} other {# workloads}}', { n: ids.length });
