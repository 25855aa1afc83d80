'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SecurityGroupUsage } from '@/domain/security-group';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PolicyMode } from '../shared/enforcement-mode';
import { PolicyLink } from '../shared/entity-links';
import { QueryView } from '../shared/query-view';

type Row = SecurityGroupUsage['policies'][number];

const make = createColumnHelper<Row>();

function rolesText(t: Translate, { references }: Row): string {
  const isSource = references.some(({ side }) => side === 'source');
  const isTarget = references.some(({ side }) => side === 'target');
  return isSource && isTarget ? t('source and target') : isSource ? t('source') : t('target');
}

const columnsFor = (t: Translate) => [
  make.text('name', t('Policy'), (row) => row.name, {
    width: 180,
    grow: true,
    render: (row) => <PolicyLink id={row.policy_id} name={row.name} />,
  }),
  make.custom('mode', t('Mode'), (row) => <PolicyMode mode={row.enforcement_mode} enabled={row.enabled} />, {
    width: 110,
    csv: (row) => (row.enabled ? row.enforcement_mode : 'disabled'),
  }),
  make.text('as', t('Used as'), (row) => rolesText(t, row), { width: 150 }),
];

/** The policies that name a group. */
export function GroupUsage({ groupId }: { groupId: string }) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  const trpc = useTRPC();
  const query = useQuery(trpc.securityGroups.usage.queryOptions({ id: groupId }));
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-32 w-full" />}>
      {({ policies, hidden }) => (
        <>
          {hidden > 0 && (
            <Notice
              tone="info"
              title={t('{n, plural, one {# more policy uses} other {# more policies use}} this group', { n: hidden })}
            >
              {t('These policies belong to tenants that are not visible to you.')}
            </Notice>
          )}
          <DataTable
            id="group-usage"
            label={t('Policies that use the group')}
            noun={{ one: t('policy'), many: t('policies') }}
            columns={columns}
            rows={policies}
            rowId={(row) => row.policy_id}
            total={policies.length}
            loading={false}
            error={null}
            height="auto"
            empty={
              <EmptyState title={hidden > 0 ? t('None visible to you') : t('No policies use this group')}>
                {t('Edit a policy and choose this group as source or target.')}
              </EmptyState>
            }
          />
        </>
      )}
    </QueryView>
  );
}
