'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent, AgentEnrollmentCreated } from '@/domain/agent';
import { ENROLLMENT_LIMITS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { MultiCombobox } from '@/ui/combobox';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { NumberInput } from '@/ui/number-input';
import type { Option } from '@/ui/option';
import { Select } from '@/ui/select';
import { useKnownClusters } from '../use-cluster-options';
import { usePermissions } from '../use-permissions';
import { EnrollmentCommand } from './enrollment-command';
import { EnrollmentList } from './enrollment-list';

const LIVES = [
  { value: '60', label: msg('1 hour') },
  { value: '480', label: msg('8 hours') },
  { value: '1440', label: msg('1 day') },
  { value: String(ENROLLMENT_LIMITS.minutes.most), label: msg('7 days') },
];

/** An agent that reports keeps its token: it is reinstalled by the command of its node. */
const isReporting = ({ status }: Agent) => status === 'ok' || status === 'degraded';

/** Creates an enrollment token for many nodes, shows the command, and lists the tokens there are. */
export function InstallAgentsContent({ clusterId }: { clusterId: string | null }) {
  const t = useT();
  const clusters = useKnownClusters();
  const [chosen, setChosen] = useState(clusterId);
  const [created, setCreated] = useState<{ enrolment: AgentEnrollmentCreated; nodes: string[] } | null>(null);
  const { reason } = usePermissions();
  const clustersReason = reason('cluster:read');
  if (clustersReason !== null) return <Notice tone="info">{clustersReason}</Notice>;
  if (clusters === null) return <Skeleton className="h-40 w-full" />;
  const cluster = chosen ?? clusters[0]?.value;
  if (cluster === undefined) {
    return (
      <EmptyState
        title={t('No clusters yet')}
        action={
          <Link className={buttonClass()} href={paths.clusters({ add: 'true' })}>
            {t('Add cluster')}
          </Link>
        }
      >
        {t('Agents are installed on the nodes of a cluster.')}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-6">
      {created ? (
        <EnrollmentCommand {...created} onAgain={() => setCreated(null)} />
      ) : (
        <Form
          key={cluster}
          clusterId={cluster}
          clusters={clusters}
          onCluster={setChosen}
          onCreated={(enrolment, nodes) => setCreated({ enrolment, nodes })}
        />
      )}
      <EnrollmentList />
    </div>
  );
}

type FormProps = {
  clusterId: string;
  clusters: Option<string>[];
  onCluster: (id: string) => void;
  onCreated: (enrolment: AgentEnrollmentCreated, nodes: string[]) => void;
};

function Form({ clusterId, clusters, onCluster, onCreated }: FormProps) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.agents.list.queryOptions({ cluster_id: clusterId, limit: 500 }),
    enabled: can('agent:read'),
  });
  const open = data?.items.filter((node) => !isReporting(node));
  const [nodes, setNodes] = useState<Option<string>[]>([]);
  const [uses, setUses] = useState<number | null>(null);
  const [life, setLife] = useState(String(ENROLLMENT_LIMITS.minutes.default));
  const names = nodes.length > 0 ? nodes.map(({ label }) => label) : (open ?? []).map(({ node_name }) => node_name);
  const create = useMutation(
    trpc.agents.createEnrollment.mutationOptions({
      onSuccess: (enrolment) => {
        void queryClient.invalidateQueries(trpc.agents.enrollments.pathFilter());
        onCreated(enrolment, names);
      },
    }),
  );
  const failure = create.error ? toFailure(create.error) : null;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({
          cluster_id: clusterId,
          ...(nodes.length > 0 && { node_ids: nodes.map(({ value }) => value) }),
          ...(uses !== null && { max_uses: uses }),
          expires_in_minutes: Number(life),
        });
      }}
    >
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.detail}
        </Notice>
      )}
      {open?.length === 0 && (
        <Notice tone="ok" title={t('Every node of this cluster has an agent that reports')}>
          {t('Create a token for nodes that join later, or reinstall an agent from its own page.')}
        </Notice>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('Cluster')}</span>
          <Select aria-label={t('Cluster')} value={clusterId} onValueChange={onCluster} options={clusters} />
        </div>
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('Valid for')}</span>
          <Select
            aria-label={t('Valid for')}
            value={life}
            onValueChange={setLife}
            options={LIVES.map(({ value, label }) => ({ value, label: t(label) }))}
          />
        </div>
        <div className="flex flex-col gap-1">
          <span className="font-medium">
            {t('Nodes')} <span className="font-normal text-faint">{t('(optional)')}</span>
          </span>
          <MultiCombobox
            aria-label={t('Nodes')}
            value={nodes}
            onValueChange={setNodes}
            options={(open ?? []).map(({ node_id, node_name }) => ({ value: node_id, label: node_name }))}
            placeholder={t('All nodes without a reporting agent')}
          />
        </div>
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('Number of uses')}</span>
          <NumberInput
            aria-label={t('Number of uses')}
            value={uses ?? (names.length || null)}
            onValueChange={setUses}
            min={1}
            max={ENROLLMENT_LIMITS.uses}
          />
        </div>
      </div>
      <p className="text-pretty text-muted">
        {t('The token cannot replace the token of a node that reported in the last 24 hours.')}
      </p>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" pending={create.isPending}>
          {t('Create command')}
        </Button>
      </div>
    </form>
  );
}
