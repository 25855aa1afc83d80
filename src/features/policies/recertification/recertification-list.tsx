'use client';
import { CalendarCheck } from 'lucide-react';
import { useState } from 'react';
import { RECERTIFICATION_SORTS, RECERTIFICATION_STATUSES } from '@/domain/choices';
import type { Recertification } from '@/domain/recertification';
import { useSession } from '@/lib/browser-session';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageTrail } from '@/ui/page-trail';
import { declareList } from '../../shared/list/declare-list';
import { choice, typed } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { tenantOrNoneFilter } from '../../shared/list/tenant-filter';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { RECERTIFICATION_STATES, recertificationColumns } from './recertification-columns';

const ConfirmPolicyDialog = loadOnOpening(
  () => import('./confirm-policy-dialog').then((module) => module.ConfirmPolicyDialog),
  () => true,
);
const SaveAsChange = loadOnOpening(
  () => import('../../shared/changes/save-as-change').then((module) => module.SaveAsChange),
  () => true,
);

const RECERTIFICATIONS = declareList({
  from: 'recertifications.list',
  name: 'recertifications',
  title: msg('Recertification'),
  label: msg('Policies to confirm'),
  noun: { one: msg('policy'), many: msg('policies') },
  search: msg('Search policies'),
  sorts: RECERTIFICATION_SORTS,
  defaultSort: 'due_at',
  filters: {
    status: choice(msg('Status'), RECERTIFICATION_STATUSES, (one) => RECERTIFICATION_STATES[one].word),
    owner: typed(msg('Owner'), (t) => ({ placeholder: t('Email address, me or none') })),
    tenant_id: tenantOrNoneFilter('policy:read'),
  },
  common: ['status', 'owner'],
  columns: recertificationColumns,
  rowId: (one) => one.id,
  rowPath: (one) => paths.policy({ policyId: one.id }),
  empty: {
    icon: <CalendarCheck />,
    title: msg('No policies to confirm'),
    text: msg('Policies appear here once a recertification period is set for their tenant.'),
  },
});

/** Policies that have to be confirmed once per period: each is confirmed by its owner, or removed by a change. */
export function RecertificationList() {
  const t = useT();
  const list = useList(RECERTIFICATIONS);
  const session = useSession();
  const email = session.status === 'signed_in' ? session.user.email : null;
  const { reason } = usePermissions();
  const [confirming, setConfirming] = useState<Recertification | null>(null);
  const [removing, setRemoving] = useState<Recertification | null>(null);
  const confirmReason = (one: Recertification) => {
    if (one.owner === '') return reason('policy:write', one);
    return one.owner === email ? null : t('{owner} confirms this policy', { owner: one.owner });
  };
  return (
    <>
      <PageTrail crumbs={[{ label: t('Recertification') }]} />
      <ListView
        of={list}
        description={t('Each policy is confirmed once per period by its owner, or removed.')}
        rowActions={(one) => ({
          name: one.name,
          entries: [
            {
              id: 'confirm',
              label: t('Confirm policy'),
              onSelect: () => setConfirming(one),
              disabledReason: confirmReason(one),
            },
            {
              id: 'remove',
              label: t('Remove by a change…'),
              tone: 'danger',
              onSelect: () => setRemoving(one),
              disabledReason: reason('policy:write', one),
            },
          ],
        })}
      />
      {confirming && <ConfirmPolicyDialog of={confirming} onClose={() => setConfirming(null)} />}
      {removing && (
        <SaveAsChange
          item={{ kind: 'policy_delete', policy_id: removing.id, base_version: removing.policy_version }}
          title={t('Remove {name}', { name: removing.name })}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}
