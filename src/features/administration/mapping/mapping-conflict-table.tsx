'use client';
import { CircleCheck } from 'lucide-react';
import type { MappingConflict } from '@/domain/mapping-rule';
import { msg, type Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { ClusterLink, WorkloadLink } from '../../shared/entity-links';
import { declareList } from '../../shared/list/declare-list';
import { CLUSTER } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { ruleName } from './mapping-labels';

const CONFLICTS = declareList({
  from: 'mappingRules.conflicts',
  name: 'mapping-conflicts',
  label: msg('Conflicts'),
  noun: { one: msg('workload'), many: msg('workloads') },
  search: msg('Search workloads'),
  sorts: ['name'],
  defaultSort: 'name',
  filters: { cluster_id: CLUSTER },
  columns: (t) => columnsFor(t),
  rowId: (conflict) => conflict.id,
  rowPath: (conflict) => paths.workload({ workloadId: conflict.id }),
  empty: {
    icon: <CircleCheck />,
    title: msg('No conflicts'),
    text: msg(
      'No workload matches rules for different projects. Order of rules: lowest priority number, then rules for one cluster, then the oldest.',
    ),
  },
});

const make = createColumnHelper<MappingConflict>();
const placeText = ({ rules }: MappingConflict) =>
  rules[0] ? `${rules[0].project_name} (${rules[0].tenant_name})` : '';
const overruledText = (t: Translate, { rules }: MappingConflict) =>
  rules
    .slice(1)
    .filter((rule) => rule.project_id !== rules[0]?.project_id)
    .map((rule) => `${ruleName(t, rule)} → ${rule.project_name}`)
    .join(', ');

const columnsFor = (t: Translate) => [
  make.text('name', t('Workload'), (conflict) => conflict.name, {
    sortable: true,
    width: 170,
    grow: true,
    render: (conflict) => <WorkloadLink id={conflict.id} name={conflict.name} />,
  }),
  make.text('cluster_name', t('Cluster'), (conflict) => conflict.cluster_name, {
    width: 130,
    render: (conflict) => <ClusterLink id={conflict.cluster_id} name={conflict.cluster_name} />,
  }),
  make.text('decides', t('Applied rule'), ({ rules }) => (rules[0] ? ruleName(t, rules[0]) : ''), { width: 150 }),
  make.text('project_name', t('Project'), placeText, { width: 180 }),
  make.text('overruled', t('Overruled rules'), (conflict) => overruledText(t, conflict), {
    width: 260,
    grow: true,
  }),
];

/** Workloads that rules would assign to different projects: which rule decides, and what the others would assign. */
export function MappingConflictTable() {
  const list = useList(CONFLICTS);
  return <ListView of={list} />;
}
