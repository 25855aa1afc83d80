'use client';
import { ShieldCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { POLICY_EXPIRIES, POLICY_SORTS } from '@/domain/choices';
import type { PolicyListItem } from '@/domain/policies';
import { ENFORCEMENT_MODES } from '@/domain/policy/choices';
import { SHOWN_STATUSES } from '@/domain/policy/status';
import { POLICY_TIERS } from '@/domain/policy/tier';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { STATUS_LABELS } from '../shared/deployment-labels';
import { MODE_LABELS } from '../shared/enforcement-mode';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, flag, inUrl, searched, typed } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { PROJECT, WORKLOAD } from '../shared/list/sources';
import { useList } from '../shared/list/use-list';
import { AsOfButton, PastNotice } from '../shared/past/as-of';
import { SuggestLink } from '../shared/suggest-link';
import { TIER_LABELS } from '../shared/tier-labels';
import { ApplyPendingButton } from './apply/apply-pending-button';
import { policyColumns } from './policy-columns';

const EXPIRY_LABELS: Record<(typeof POLICY_EXPIRIES)[number], string> = {
  expired: msg('Expired'),
  soon: msg('Within 30 days'),
  later: msg('Later'),
  never: msg('Never'),
};

const POLICIES = declareList({
  from: 'policies.list',
  name: 'policies',
  title: msg('Policies'),
  label: msg('Policies'),
  noun: { one: msg('policy'), many: msg('policies') },
  search: msg('Search policies'),
  sorts: POLICY_SORTS,
  defaultSort: 'order',
  filters: {
    shown_status: choice(msg('Status'), SHOWN_STATUSES, (one) => STATUS_LABELS[one].word),
    enforcement_mode: choice(msg('Mode'), ENFORCEMENT_MODES, (one) => MODE_LABELS[one].label),
    enabled: flag(msg('Enabled'), [
      [true, msg('Enabled')],
      [false, msg('Disabled')],
    ]),
    tier: choice(msg('Evaluation'), POLICY_TIERS, (one) => TIER_LABELS[one].label),
    expiry: choice(msg('Expiry'), POLICY_EXPIRIES, (one) => EXPIRY_LABELS[one]),
    owner: typed(msg('Owner')),
    cluster_id: CLUSTER,
    project_id: searched(msg('Project'), 'id_or_none', PROJECT, msg('Without project')),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    as_of: inUrl('time'),
  },
  common: ['shown_status', 'enforcement_mode'],
  columns: policyColumns,
  rowId: (policy) => policy.id,
  rowPath: (policy) => paths.policy({ policyId: policy.id }),
  add: {
    label: msg('Create policy'),
    permission: 'policy:write',
  },
  empty: {
    icon: <ShieldCheck />,
    title: msg('No policies yet'),
    text: msg(
      'A policy defines which clients may reach which servers and ports. New policies start in audit mode and change no workload until enforced and applied.',
    ),
    link: { label: msg('Show groups'), href: paths.securityGroups() },
  },
});

/** All policies: a one-line summary and the deployment status of each. */
export function PolicyList() {
  const t = useT();
  const router = useRouter();
  const list = useList(POLICIES);
  const asOf = list.state.filters.as_of;
  const showTime = (at: string | null) => list.state.setFilter('as_of', at);
  return (
    <ListView
      of={list}
      summary={<PastNotice at={asOf} onChange={showTime} />}
      {...(asOf === null
        ? {
            actions: (
              <>
                <Link className={buttonClass()} href={paths.recertification()}>
                  {t('Recertification')}
                </Link>
                <SuggestLink />
                <ApplyPendingButton />
              </>
            ),
            onAdd: () => router.push(paths.newPolicy()),
          }
        : {
            onRowOpen: ({ id }: PolicyListItem) => router.push(paths.policy({ policyId: id, as_of: asOf })),
          })}
    >
      <AsOfButton at={asOf} onChange={showTime} />
    </ListView>
  );
}
