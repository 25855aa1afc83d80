'use client';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { CONFLICT_KINDS, CONFLICT_SORTS } from '@/domain/choices';
import type { IpamConflict } from '@/domain/ipam/conflict';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { usePermissions } from '../shared/use-permissions';
import { conflictColumns } from './conflict-columns';
import { CONFLICT_KIND_LABELS, CONFLICT_STATUS_LABELS } from './conflict-labels';

const ResolveConflictDialog = loadOnOpening(() =>
  import('./resolve-conflict-dialog').then((module) => module.ResolveConflictDialog),
);

/** Open ones are shown without a choice. */
const DECIDED = ['resolved', 'gone', 'any'] as const;

const CONFLICTS = declareList({
  from: 'ipamConflicts.list',
  name: 'conflicts',
  label: msg('Conflicts'),
  noun: { one: msg('conflict'), many: msg('conflicts') },
  search: msg('Search conflicts'),
  sorts: CONFLICT_SORTS,
  defaultSort: '-created_at',
  filters: {
    status: choice(msg('Status'), DECIDED, (one) =>
      one === 'any' ? msg('All, including resolved') : CONFLICT_STATUS_LABELS[one],
    ),
    kind: choice(msg('Kind'), CONFLICT_KINDS, (one) => CONFLICT_KIND_LABELS[one]),
    cluster_id: CLUSTER,
  },
  common: ['status'],
  // Without a choice only what waits for a decision is shown.
  ask: ({ status = 'open' as const, ...asked }) => ({ ...asked, ...(status !== 'any' && { status }) }),
  columns: conflictColumns,
  rowId: (conflict) => conflict.id,
  empty: {
    icon: <ShieldCheck />,
    title: msg('No open conflicts'),
    text: msg(
      "Discovery reports contradictions here: one address on two workloads, an address outside its network's prefixes, a duplicate MAC address. Nothing is overwritten until you decide.",
    ),
  },
});

/** Conflicts that are open or, when asked for, decided. A row opens the decision. */
export function ConflictTable() {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [resolving, setResolving] = useState<IpamConflict | null>(null);
  const list = useList(CONFLICTS);
  const reasonFor = (conflict: IpamConflict) =>
    writeReason ?? (conflict.status === 'open' ? null : t('This conflict is already resolved.'));
  return (
    <>
      <ListView
        of={list}
        onRowOpen={(conflict) => reasonFor(conflict) === null && setResolving(conflict)}
        rowActions={(conflict) => ({
          name: conflict.address ?? conflict.mac ?? t('conflict'),
          entries: [
            {
              id: 'resolve',
              label: t('Resolve'),
              onSelect: () => setResolving(conflict),
              disabledReason: reasonFor(conflict),
            },
          ],
        })}
      />
      <ResolveConflictDialog conflict={resolving} onClose={() => setResolving(null)} />
    </>
  );
}
