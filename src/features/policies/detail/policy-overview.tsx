'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Policy } from '@/domain/policies';
import { formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { MaybeLink, RelativeTime } from '@/ui/values';
import { REASON_LABELS } from '../../shared/deployment-labels';
import { DeploymentState } from '../../shared/deployment-state';
import { MODE_LABELS } from '../../shared/enforcement-mode';
import { ClusterLink } from '../../shared/entity-links';
import { useEndpointNames } from '../../shared/policy-endpoints/use-endpoint-names';
import { useReadAgain } from '../../shared/record-cache';
import { DIRECTION_LABELS, TIER_LABELS, VISIBILITY_LABELS } from '../../shared/tier-labels';
import { usePermissions } from '../../shared/use-permissions';
import { useReconcile } from '../apply/use-reconcile';
import { allReasons, getDisplayStatus } from '../policy-labels';
import { PolicyGuests } from './policy-guests';

const OperationProgress = loadOnOpening(
  () => import('../apply/operation-progress').then((module) => module.OperationProgress),
  () => true,
);

type Row = Policy['deployments'][number];
const make = createColumnHelper<Row>();

const isBelowUnmanaged = ({ rule_placement, guests }: Row) => rule_placement === 'below' && guests > 0;
const reasonsText = (t: Translate, { reasons }: Row) => reasons.map((reason) => t(REASON_LABELS[reason])).join(' ');

const columnsFor = (t: Translate) => [
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, {
    width: 150,
    render: (row) => <ClusterLink id={row.cluster_id} name={row.cluster_name} />,
  }),
  make.custom('status', t('Status'), (row) => <DeploymentState status={row.status} reasons={row.reasons} />, {
    width: 120,
    csv: (row) => row.status,
  }),
  make.text('reasons', t('Reason'), (row) => reasonsText(t, row), {
    width: 220,
    grow: true,
  }),
  make.number('guests', t('Workloads'), (row) => row.guests),
  make.number('expected', t('Expected'), (row) => row.expected),
  make.number('live', t('Live'), (row) => row.live),
  make.number('missing', t('Missing'), (row) => row.missing),
  make.number('outdated', t('Outdated'), (row) => row.outdated),
  make.number('leftover', t('Leftover'), (row) => row.leftover),
  make.time('read_at', t('Last read'), (row) => row.read_at, { none: t('Never') }),
];

/** Deployment status of the policy: per cluster, and below per guest. @param isPast nothing can be done, and guests are of now */
export function PolicyOverview({ policy, isPast }: { policy: Policy; isPast: boolean }) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  const { definition } = policy;
  const { reason } = usePermissions();
  const [operationId, setOperationId] = useState<string | null>(null);
  const reconcile = useReconcile(policy.id, setOperationId);
  const behind = policy.deployment_status !== null && policy.deployment_status !== 'active';
  const deployed = policy.enabled && definition.enforcement_mode === 'enforced';
  const waits = getDisplayStatus(policy) === 'pending';
  const overridden = policy.tenant_id === null ? policy.deployments.filter(isBelowUnmanaged) : [];
  return (
    <>
      {behind && (
        <Notice
          tone={waits ? 'info' : policy.deployment_status === 'partial' ? 'warn' : 'danger'}
          title={
            waits
              ? t('Not applied yet')
              : deployed
                ? t('Live rules differ from desired rules')
                : t('Leftover rules are live')
          }
          action={
            policy.deployment_status !== 'unresolved' &&
            !isPast && (
              <Button
                size="sm"
                onClick={() => reconcile.mutate({ id: policy.id })}
                pending={reconcile.isPending}
                disabledReason={reason('policy:apply', policy)}
              >
                {deployed ? t('Reconcile') : t('Remove rules')}
              </Button>
            )
          }
        >
          <ul>
            {allReasons(policy).map((reason) => (
              <li key={reason}>{t(REASON_LABELS[reason])}</li>
            ))}
          </ul>
        </Notice>
      )}
      {overridden.length > 0 && (
        <Notice tone="warn" title={t('Unmanaged rules can override this policy')}>
          {t('These clusters evaluate unmanaged rules before managed rules: {clusters}.', {
            clusters: overridden.map(({ cluster_name }) => cluster_name).join(', '),
          })}
        </Notice>
      )}
      {policy.expiry_problem !== null && (
        <Notice tone="warn" title={t('Expired rules are not removed')}>
          {policy.expiry_problem}
        </Notice>
      )}
      {operationId !== null && (
        <Section title={deployed ? t('Reconciling policy') : t('Removing rules')}>
          <OperationProgress operationId={operationId} />
        </Section>
      )}
      <Section>
        <Properties
          columns={2}
          items={[
            { label: t('From'), value: <Endpoints list={definition.sources} /> },
            { label: t('Direction'), value: t(DIRECTION_LABELS[definition.direction].label) },
            { label: t('To'), value: <Endpoints list={definition.targets} /> },
            {
              label: t('Default policy'),
              value: definition.default_action === 'drop' ? t('Dropped') : t('As set on the workload'),
            },
            {
              label: t('Enforcement'),
              value: t(MODE_LABELS[definition.enforcement_mode].label),
              hint: t(MODE_LABELS[definition.enforcement_mode].description),
            },
            {
              label: t('Evaluation'),
              value: t(TIER_LABELS[policy.tier].label),
              hint: t(TIER_LABELS[policy.tier].description),
            },
            { label: t('Priority'), value: formatCount(policy.priority) },
            { label: t('Tenant'), value: policy.tenant_name ?? t('Whole installation') },
            ...(policy.tenant_id === null
              ? []
              : [{ label: t('Project'), value: policy.project_name ?? t('Whole tenant') }]),
            ...(policy.tenant_id === null
              ? [
                  {
                    label: t('Visible to tenants'),
                    value: t(VISIBILITY_LABELS[policy.tenant_visibility].label),
                    hint: t(VISIBILITY_LABELS[policy.tenant_visibility].description),
                  },
                ]
              : []),
            { label: t('Owner'), value: policy.owner || t('None') },
            { label: t('Ticket'), value: <MaybeLink text={policy.ticket} /> },
            { label: t('Expires'), value: <RelativeTime at={policy.expires_at} none={t('Never')} /> },
            { label: t('Changed'), value: <RelativeTime at={policy.updated_at} /> },
          ]}
        />
      </Section>
      <Section title={t('Clusters')} actions={!isPast && <ReadNow policyId={policy.id} />} bare>
        <DataTable
          id="policy-clusters"
          label={t('Status per cluster')}
          noun={{ one: t('cluster'), many: t('clusters') }}
          columns={columns}
          rows={policy.deployments}
          rowId={(row) => row.cluster_id}
          total={policy.deployments.length}
          loading={false}
          error={null}
          height="auto"
          empty={
            <EmptyState title={t('On no cluster')}>
              {definition.enforcement_mode === 'audit'
                ? t('A policy in audit mode has no rules on any workload.')
                : t('No endpoint of the policy resolves to a workload.')}
            </EmptyState>
          }
        />
      </Section>
      {!isPast && (
        <>
          <h2 className="text-base">{t('Workloads')}</h2>
          <PolicyGuests policyId={policy.id} />
        </>
      )}
    </>
  );
}

function Endpoints({ list }: { list: readonly string[] }) {
  const nameEndpoint = useEndpointNames(list);
  return (
    <ul className="mono">
      {list.map((endpoint) => (
        <li key={endpoint}>{nameEndpoint(endpoint)}</li>
      ))}
    </ul>
  );
}

/** Asks the clusters now instead of showing what was last read. */
function ReadNow({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const read = useMutation({
    mutationFn: () => readAgain(trpc.policies.get.queryOptions({ id: policyId, fresh: 'true' })),
    onSuccess: (policy) => {
      queryClient.setQueryData(trpc.policies.get.queryKey({ id: policyId }), policy);
      void queryClient.invalidateQueries(trpc.policies.guests.pathFilter());
      void queryClient.invalidateQueries(trpc.policies.list.pathFilter());
    },
    onError: (error) => {
      const { title, detail } = toFailure(error);
      showToast('danger', { id: 'read-now', title: t('Could not read the workloads'), description: detail ?? title });
    },
  });
  return (
    <Button size="sm" icon={<RefreshCw size={14} />} onClick={() => read.mutate()} pending={read.isPending}>
      {t('Read workloads now')}
    </Button>
  );
}
