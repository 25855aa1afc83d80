'use client';
import { GitPullRequestArrow } from 'lucide-react';
import { CHANGE_STATES } from '@/domain/change/states';
import { CHANGE_SORTS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { STATE_LABELS } from '../shared/changes/change-labels';
import { declareList } from '../shared/list/declare-list';
import { choice, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { POLICY, WORKLOAD } from '../shared/list/sources';
import { useList } from '../shared/list/use-list';
import { changeColumns } from './change-columns';

const STATUS_LABELS = { open: msg('Open'), ended: msg('Ended') };

const CHANGES = declareList({
  from: 'changes.list',
  name: 'changes',
  title: msg('Changes'),
  label: msg('Changes'),
  noun: { one: msg('change'), many: msg('changes') },
  search: msg('Search changes'),
  sorts: CHANGE_SORTS,
  defaultSort: '-created_at',
  filters: {
    status: choice(msg('Open or ended'), ['open', 'ended'], (one) => STATUS_LABELS[one]),
    state: choice(msg('State'), CHANGE_STATES, (one) => STATE_LABELS[one].word),
    policy_id: searched(msg('Policy'), 'id', POLICY),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
  },
  common: ['status', 'state'],
  columns: changeColumns,
  rowId: (change) => change.id,
  rowPath: (change) => paths.change({ changeId: change.id }),
  empty: {
    icon: <GitPullRequestArrow />,
    title: msg('No changes yet'),
    text: msg(
      'A change collects edits of policies and groups that are reviewed, applied in waves and rolled back as a whole. Start one from a policy.',
    ),
    link: { label: msg('Show policies'), href: paths.policies() },
  },
});

/** All changes with their states and what each waits for. */
export function ChangeList() {
  const list = useList(CHANGES);
  return <ListView of={list} />;
}
