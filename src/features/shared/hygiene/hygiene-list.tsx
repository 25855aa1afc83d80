'use client';
import { BrushCleaning } from 'lucide-react';
import type { HygieneFinding } from '@/domain/hygiene/finding';
import { HARMS, HYGIENE_KINDS, HYGIENE_SORTS } from '@/domain/hygiene/kinds';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../list/declare-list';
import { CLUSTER, choice, searched } from '../list/filters';
import { ListView } from '../list/list-view';
import { POLICY, WORKLOAD } from '../list/sources';
import { useList } from '../list/use-list';
import { hygieneColumns } from './hygiene-columns';
import { HARM_STATES, KIND_LABELS } from './hygiene-labels';
import { HygieneState } from './hygiene-state';

const HygieneDrawer = loadOnOpening(() => import('./hygiene-drawer').then((module) => module.HygieneDrawer));

/** Checking runs every minute, without a notification. */
const REFETCH_MS = 60_000;

const COMMON = {
  from: 'hygiene.list',
  label: msg('Findings'),
  noun: { one: msg('finding'), many: msg('findings') },
  search: msg('Search findings'),
  sorts: HYGIENE_SORTS,
  defaultSort: '-harm',
  common: ['kind', 'harm'],
  columns: hygieneColumns,
  refetchMs: REFETCH_MS,
  rowId: ({ id }: HygieneFinding) => id,
  empty: {
    icon: <BrushCleaning />,
    title: msg('No findings'),
    text: msg(
      'Nothing was proven about the rules that were checked. Rules of workloads that were never read are not checked.',
    ),
  },
} as const;

const FILTERS = {
  kind: choice(msg('Finding'), HYGIENE_KINDS, (one) => KIND_LABELS[one]),
  harm: choice(msg('Harm'), HARMS, (one) => HARM_STATES[one].word),
};

const HYGIENE = declareList({
  ...COMMON,
  name: 'hygiene',
  title: msg('Rule hygiene'),
  filters: {
    ...FILTERS,
    policy_id: searched(msg('Policy'), 'id', POLICY),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    cluster_id: CLUSTER,
  },
});

const OF_POLICY = declareList({ ...COMMON, name: 'hygiene-of-policy', filters: FILTERS });

/** What was proven about rules, the most harmful first. */
export function HygieneList() {
  const t = useT();
  const [findingId, setFindingId] = useUrlValue('finding', URL_TEXT);
  const list = useList(HYGIENE);
  return (
    <>
      <ListView
        of={list}
        description={t('What is proven about rules of policies and unmanaged rules, as last read.')}
        summary={<HygieneState />}
        onRowOpen={({ id }) => void setFindingId(id)}
      />
      <HygieneDrawer findingId={findingId} onClose={() => void setFindingId(null)} />
    </>
  );
}

/** The same about the rules of one policy. */
export function PolicyHygiene({ policyId }: { policyId: string }) {
  const [findingId, setFindingId] = useUrlValue('finding', URL_TEXT);
  const list = useList(OF_POLICY, { within: { policy_id: policyId }, hide: ['policy_name'] });
  return (
    <>
      <ListView
        of={list}
        height="auto"
        summary={<HygieneState policyId={policyId} />}
        onRowOpen={({ id }) => void setFindingId(id)}
      />
      <HygieneDrawer findingId={findingId} onClose={() => void setFindingId(null)} />
    </>
  );
}
