'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AddressPolicies as Policies } from '@/domain/ipam/address-policies';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Section } from '@/ui/section';
import { STATUS_LABELS } from '../shared/deployment-labels';
import { DeploymentState } from '../shared/deployment-state';
import { PolicyMode } from '../shared/enforcement-mode';
import { PolicyLink, SecurityGroupLink } from '../shared/entity-links';

type Row = Policies['policies'][number];

const make = createColumnHelper<Row>();
const formatEndpoints = (row: Row, side: 'source' | 'target') =>
  row.touches
    .filter((touch) => touch.side === side)
    .map(({ endpoint }) => endpoint)
    .join(', ');

const policyColumns = (t: Translate) => [
  make.text('name', t('Policy'), (row) => row.name, {
    width: 180,
    grow: true,
    render: (row) => <PolicyLink id={row.policy_id} name={row.name} />,
  }),
  make.mono('from', t('As source in'), (row) => formatEndpoints(row, 'source'), { width: 180, grow: true }),
  make.mono('to', t('As target in'), (row) => formatEndpoints(row, 'target'), { width: 180, grow: true }),
  make.custom('mode', t('Mode'), (row) => <PolicyMode mode={row.enforcement_mode} enabled={row.enabled} />, {
    width: 100,
    csv: (row) => (row.enabled ? row.enforcement_mode : 'disabled'),
  }),
  make.custom('status', t('Status'), (row) => <DeploymentState status={row.deployment_status} reasons={[]} />, {
    width: 130,
    csv: (row) => t(STATUS_LABELS[row.deployment_status ?? 'none'].word),
  }),
];

/** The policies whose endpoints resolve to an address. */
export function AddressPolicies({ addressId }: { addressId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const { data, isPending, error, refetch } = useQuery(trpc.ipAddresses.policies.queryOptions({ id: addressId }));
  const hidden = data?.hidden ?? 0;
  const columns = useMemo(() => policyColumns(t), [t]);
  const reported = t('Policies whose endpoints resolve to this address or its workload; “any” comes last.');
  const platform = data?.platform ?? [];
  const named =
    platform.length > 0 &&
    t('Platform policies with rules on its workload: {names}.', { names: platform.map(({ name }) => name).join(', ') });
  const groups = data?.groups ?? [];
  const tests = data?.tests ?? [];
  const more =
    hidden > 0 && t('{n, plural, one {# more belongs} other {# more belong}} to the platform.', { n: hidden });
  return (
    <Section title={t('Policies')} description={[reported, named, more].filter(Boolean).join(' ')} bare>
      <DataTable
        id="address-policies"
        label={t('Policies for the address')}
        noun={{ one: t('policy'), many: t('policies') }}
        columns={columns}
        rows={data?.policies ?? []}
        rowId={(row) => row.policy_id}
        total={data?.policies.length ?? 0}
        loading={isPending}
        error={error && toFailure(error)}
        onRetry={() => void refetch()}
        height="auto"
        empty={
          <EmptyState title={hidden > 0 ? t('None visible to you') : t('No policies for this address')}>
            {t('A policy is listed here if one of its endpoints resolves to this address or its workload.')}
          </EmptyState>
        }
      />
      {groups.length > 0 && (
        <p className="flex flex-wrap gap-x-2">
          <span className="text-muted">{t('Security groups')}:</span>
          {groups.map((group) => (
            <SecurityGroupLink key={group.security_group_id} id={group.security_group_id} name={group.name} />
          ))}
        </p>
      )}
      {tests.length > 0 && (
        <p className="flex flex-wrap gap-x-2">
          <span className="text-muted">{t('Policy tests')}:</span>
          {tests.map((test) => (
            <Link key={test.policy_test_id} className="link" href={paths.policyTest({ testId: test.policy_test_id })}>
              {test.name}
            </Link>
          ))}
        </p>
      )}
    </Section>
  );
}
