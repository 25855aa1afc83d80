'use client';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { DEPLOYMENT_KINDS, DEPLOYMENT_RUN_STATUSES, type Deployment } from '@/domain/deployments';
import { formatCount } from '@/lib/format';
import { useIsLive } from '@/lib/live-updates';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Drawer } from '@/ui/drawer';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { FilterBar } from '@/ui/filter-bar';
import { Progress } from '@/ui/progress';
import { Skeleton } from '@/ui/skeleton';
import { Status } from '@/ui/status';
import { ClusterLink } from '../../shared/inventory-links';
import { useListState } from '../../shared/list-state';
import { useServerList } from '../../shared/use-server-list';
import { DeploymentPanel } from '../apply/deployment-panel';
import { DEPLOYMENT_RUN_WORDS, KIND_WORDS, TRIGGER_WORDS } from '../deployment-run-words';

const LIST = {
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: { status: DEPLOYMENT_RUN_STATUSES, kind: DEPLOYMENT_KINDS },
} as const;
const STATUS_OPTIONS = DEPLOYMENT_RUN_STATUSES.map((value) => ({ value, label: DEPLOYMENT_RUN_WORDS[value].word }));
const KIND_OPTIONS = DEPLOYMENT_KINDS.map((value) => ({ value, label: KIND_WORDS[value] }));
const isActive = ({ status }: Deployment) => status === 'queued' || status === 'running';

const make = columnsOf<Deployment>();

const COLUMNS = [
  make.time('created_at', 'Asked for', (deployment) => deployment.created_at, { sortable: true, width: 120 }),
  make.text('kind', 'What', (deployment) => KIND_WORDS[deployment.kind], { width: 140 }),
  make.custom(
    'status',
    'Result',
    (deployment) => (
      <Status tone={DEPLOYMENT_RUN_WORDS[deployment.status].tone} pulse={deployment.status === 'running'}>
        {DEPLOYMENT_RUN_WORDS[deployment.status].word}
      </Status>
    ),
    { width: 120, csv: (deployment) => deployment.status },
  ),
  make.text('guests', 'Guests', guestCounts, {
    width: 200,
    grow: true,
    render: (deployment) =>
      isActive(deployment) && deployment.progress_total !== null ? (
        <Progress
          label="Guests done"
          showLabel={false}
          done={deployment.progress_done}
          total={deployment.progress_total}
        />
      ) : (
        guestCounts(deployment)
      ),
  }),
  make.number('writes', 'Writes', (deployment) => deployment.writes, { width: 76 }),
  make.text('cluster_name', 'Cluster', (deployment) => deployment.cluster_name, {
    width: 140,
    render: (deployment) => <ClusterLink id={deployment.cluster_id} name={deployment.cluster_name} />,
  }),
  make.number('policy_version', 'Version', (deployment) => deployment.policy_version, { width: 84 }),
  make.text('trigger', 'Because', (deployment) => TRIGGER_WORDS[deployment.trigger], { width: 150 }),
  make.text('problems', 'Problem', (deployment) => deployment.problems[0]?.message, { width: 180, grow: true }),
];

/** `3 done, 1 failed`: guests by what became of them. */
function guestCounts({ guests }: Deployment): string | null {
  const words = { ok: 'written', unchanged: 'right already', partial: 'partly', failed: 'failed', skipped: 'skipped' };
  const parts = Object.entries(words).flatMap(([key, word]) => {
    const n = guests[key as keyof typeof words] ?? 0;
    return n > 0 ? [`${formatCount(n)} ${word}`] : [];
  });
  return parts.join(', ') || null;
}

/** What was done on the clusters for a policy, the newest first; each opens to its guests. */
export function DeploymentsTab({ policyId }: { policyId: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const live = useIsLive();
  const state = useListState(LIST);
  const { filters } = state;
  const [openId, setOpenId] = useQueryState('deployment', parseAsString);
  const list = useServerList({
    name: 'deployments',
    columns: COLUMNS,
    state,
    pathKey: trpc.deployments.list.pathKey(),
    fixed: { policy_id: policyId },
    refetchMs: live ? undefined : 4000,
    fetchPage: (page, signal) =>
      client.deployments.list.query({ ...state.input, policy_id: policyId, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        facets={[
          {
            id: 'status',
            label: 'Result',
            single: true,
            options: STATUS_OPTIONS,
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', DEPLOYMENT_RUN_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'kind',
            label: 'What',
            single: true,
            options: KIND_OPTIONS,
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) =>
              state.setFilter('kind', DEPLOYMENT_KINDS.find((kind) => kind === value) ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="policy-deployments"
        label="Deployments"
        noun={{ one: 'deployment', many: 'deployments' }}
        rowId={(deployment) => deployment.id}
        onRowOpen={(deployment) => void setOpenId(deployment.id)}
        empty={
          <EmptyState title="Never applied">
            Each apply, and each removal of rules, appears here with a result per guest.
          </EmptyState>
        }
      />
      <DeploymentDrawer deploymentId={openId} onClose={() => void setOpenId(null)} />
    </>
  );
}

function DeploymentDrawer({ deploymentId, onClose }: { deploymentId: string | null; onClose: () => void }) {
  const trpc = useTRPC();
  const live = useIsLive();
  const query = useQuery({
    ...trpc.deployments.get.queryOptions({ id: deploymentId ?? '' }),
    enabled: deploymentId !== null,
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? (live ? 3000 : 1000) : false),
  });
  const deployment = deploymentId === null ? undefined : query.data;
  return (
    <Drawer
      open={deploymentId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={deployment ? `${KIND_WORDS[deployment.kind]} of version ${deployment.policy_version}` : 'Deployment'}
      description={deployment && `${TRIGGER_WORDS[deployment.trigger]}, on ${deployment.cluster_name}`}
    >
      {deployment ? (
        <DeploymentPanel deployment={deployment} heading={deployment.cluster_name} onRetried={onClose} />
      ) : query.error ? (
        <ErrorState problem={failureOf(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}
