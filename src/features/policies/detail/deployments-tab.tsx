'use client';
import { useQuery } from '@tanstack/react-query';
import { DEPLOYMENT_KINDS, DEPLOYMENT_RUN_STATUSES } from '@/domain/choices';
import type { Deployment } from '@/domain/deployments';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { createColumnHelper } from '@/ui/columns';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Progress } from '@/ui/progress';
import { Status } from '@/ui/status';
import { DEPLOYMENT_RUN_LABELS, KIND_LABELS, TRIGGER_LABELS } from '../../shared/deployment-run-labels';
import { DeploymentPanel } from '../../shared/deployments/deployment-panel';
import { ClusterLink } from '../../shared/entity-links';
import { declareList } from '../../shared/list/declare-list';
import { choice } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';

const DEPLOYMENTS = declareList({
  from: 'deployments.list',
  name: 'deployments',
  id: 'policy-deployments',
  label: msg('Deployments'),
  noun: { one: msg('deployment'), many: msg('deployments') },
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: {
    status: choice(msg('Result'), DEPLOYMENT_RUN_STATUSES, (one) => DEPLOYMENT_RUN_LABELS[one].word),
    kind: choice(msg('Operation'), DEPLOYMENT_KINDS, (one) => KIND_LABELS[one]),
  },
  columns: (t) => columnsFor(t),
  rowId: (deployment) => deployment.id,
  empty: {
    title: msg('Never applied'),
    text: msg('Each apply and each removal of rules appears here, with a result per workload.'),
  },
});
const isActive = ({ status }: Deployment) => status === 'queued' || status === 'running';

const make = createColumnHelper<Deployment>();

const columnsFor = (t: Translate) => [
  make.time('created_at', t('Requested'), (deployment) => deployment.created_at, { sortable: true }),
  make.text('kind', t('Operation'), (deployment) => t(KIND_LABELS[deployment.kind]), { width: 140 }),
  make.custom(
    'status',
    t('Result'),
    (deployment) => (
      <Status tone={DEPLOYMENT_RUN_LABELS[deployment.status].tone} pulse={deployment.status === 'running'}>
        {t(DEPLOYMENT_RUN_LABELS[deployment.status].word)}
      </Status>
    ),
    { width: 120, csv: (deployment) => deployment.status },
  ),
  make.text('guests', t('Workloads'), (deployment) => guestCounts(t, deployment), {
    width: 200,
    grow: true,
    render: (deployment) =>
      isActive(deployment) && deployment.progress_total !== null ? (
        <Progress
          label={t('Workloads done')}
          showLabel={false}
          done={deployment.progress_done}
          total={deployment.progress_total}
        />
      ) : (
        guestCounts(t, deployment)
      ),
  }),
  make.number('writes', t('Writes'), (deployment) => deployment.writes),
  make.text('cluster_name', t('Cluster'), (deployment) => deployment.cluster_name, {
    width: 140,
    render: (deployment) => <ClusterLink id={deployment.cluster_id} name={deployment.cluster_name} />,
  }),
  make.number('policy_version', t('Version'), (deployment) => deployment.policy_version),
  make.text('trigger', t('Trigger'), (deployment) => t(TRIGGER_LABELS[deployment.trigger]), { width: 150 }),
  make.text('problems', t('Problem'), (deployment) => deployment.problems[0]?.message, { width: 180, grow: true }),
];

const GUEST_COUNTS = {
  ok: msg('{n, number} written'),
  unchanged: msg('{n, number} unchanged'),
  partial: msg('{n, number} partial'),
  failed: msg('{n, number} failed'),
  skipped: msg('{n, number} skipped'),
};

/** `3 written, 1 failed`: guests by what became of them. */
function guestCounts(t: Translate, { guests }: Deployment): string | null {
  const parts = Object.entries(GUEST_COUNTS).flatMap(([key, text]) => {
    const n = guests[key as keyof typeof GUEST_COUNTS] ?? 0;
    return n > 0 ? [t(text, { n })] : [];
  });
  return parts.join(', ') || null;
}

/** What was done on the clusters for a policy, the newest first; each opens to its guests. */
export function DeploymentsTab({ policyId }: { policyId: string }) {
  const live = useIsLive();
  const [openId, setOpenId] = useUrlValue('deployment', URL_TEXT);
  const list = useList(DEPLOYMENTS, { within: { policy_id: policyId }, refetchMs: live ? undefined : 4000 });
  return (
    <>
      <ListView of={list} onRowOpen={(deployment) => void setOpenId(deployment.id)} />
      <DeploymentDrawer deploymentId={openId} onClose={() => void setOpenId(null)} />
    </>
  );
}

function DeploymentDrawer({ deploymentId, onClose }: { deploymentId: string | null; onClose: () => void }) {
  const t = useT();
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
      title={
        deployment
          ? t(deployment.kind === 'apply' ? 'Apply of version {version}' : 'Removal of version {version} rules', {
              version: deployment.policy_version,
            })
          : t('Deployment')
      }
      description={
        deployment &&
        t('{trigger}, on {cluster}', {
          trigger: t(TRIGGER_LABELS[deployment.trigger]),
          cluster: deployment.cluster_name,
        })
      }
    >
      {deployment ? (
        <DeploymentPanel deployment={deployment} heading={deployment.cluster_name} onRetried={onClose} />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}
