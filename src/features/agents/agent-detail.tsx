'use client';
import { useQuery } from '@tanstack/react-query';
import { Download, RadioTower } from 'lucide-react';
import { useState } from 'react';
import type { AgentDetail as Detail } from '@/domain/agent';
import { DAY_MS } from '@/domain/durations';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { AGENT_STATES, staleSince } from '../shared/agents/agent-state';
import { InstallAgentDialog, type InstallTarget } from '../shared/agents/install-agent-dialog';
import { DetailPage } from '../shared/detail-page';
import { EvidenceContent } from '../shared/evidence/evidence-content';
import { QueryView } from '../shared/query-view';
import { FlowsLink } from '../shared/traffic-links';
import { usePermissions } from '../shared/use-permissions';
import { listFirewallProperties, listIdentityProperties, listVisibilityProperties } from './agent-properties';
import { AgentTrouble } from './agent-trouble';
import { Collectors } from './collectors';
import { Heartbeats } from './heartbeats';
import { UnconfirmedGuests } from './unconfirmed-guests';

/** Heartbeats bring no events of their own. */
const REFRESH_MS = 10_000;

/** The agent of one node: whether it reports, what it sees, and what it lacks. */
export function AgentDetail({ nodeId }: { nodeId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.agents.get.queryOptions({ id: nodeId }), refetchInterval: REFRESH_MS });
  return (
    <DetailPage query={query} title={(agent) => t('Agent of {node}', { node: agent.node_name })}>
      {(agent) => <Content agent={agent} />}
    </DetailPage>
  );
}

function Content({ agent }: { agent: Detail }) {
  const t = useT();
  const { reason } = usePermissions();
  const [target, setTarget] = useState<InstallTarget | null>(null);
  const { tone, word } = AGENT_STATES[agent.status ?? 'none'];
  const install = (
    <Button
      variant={agent.status === null || agent.outdated ? 'primary' : 'secondary'}
      icon={<Download size={14} />}
      onClick={() => setTarget(agent)}
      disabledReason={reason('agent:install')}
    >
      {agent.status === null ? t('Install agent') : agent.outdated ? t('Update agent') : t('Reinstall agent')}
    </Button>
  );
  return (
    <>
      <PageTrail crumbs={[{ label: agent.node_name }]} />
      <PageHeader
        title={t('Agent of {node}', { node: agent.node_name })}
        badge={<Status tone={tone}>{t(word)}</Status>}
        actions={
          <>
            <FlowsLink filter={{ node_id: agent.node_id }} />
            {agent.status !== null && install}
          </>
        }
      />
      <AgentTrouble agent={agent} />
      {agent.status === null ? (
        <Section>
          <EmptyState icon={<RadioTower />} title={t('No agent on this node')} action={install}>
            {t(
              "Without an agent, workload traffic and the node's firewall state are unknown. Installation takes one command on the node.",
            )}
          </EmptyState>
        </Section>
      ) : (
        <Reports agent={agent} />
      )}
      <InstallAgentDialog target={target} onClose={() => setTarget(null)} />
    </>
  );
}

/** How far the evidence of the last day reaches. */
function NodeEvidence({ nodeId }: { nodeId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const query = useQuery({
    ...trpc.agents.visibility.queryOptions({ id: nodeId, since }),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  });
  return (
    <Section title={t('Evidence of the last day')}>
      <QueryView query={query} skeleton={<Skeleton className="h-28 w-full" />}>
        {(visibility) => <EvidenceContent visibility={visibility} />}
      </QueryView>
    </Section>
  );
}

function Reports({ agent }: { agent: Detail }) {
  const t = useT();
  const { diagnostics, firewall, ...counts } = agent.reported;
  const asOf = staleSince(agent);
  const time = <RelativeTime at={agent.last_heartbeat_at} />;
  const from =
    agent.last_heartbeat_at &&
    (asOf
      ? t.rich('Last reported {time}. The current state is unknown.', { time })
      : t.rich('Reported {time}.', { time }));
  return (
    <>
      <Section>
        <Properties columns={2} items={listIdentityProperties(t, agent)} />
      </Section>
      {diagnostics && (
        <Section title={t('Collectors')} description={from} bare>
          <Collectors diagnostics={diagnostics} asOf={asOf} />
        </Section>
      )}
      {agent.last_heartbeat_at && (
        <Section title={t('Node firewall')} description={asOf ? from : (firewall?.detail ?? from)}>
          <Properties columns={2} items={listFirewallProperties(t, firewall, agent.nftables_ruleset_hash, asOf)} />
        </Section>
      )}
      {diagnostics && (
        <Section title={asOf ? t('Last report') : t('Observed traffic')} description={asOf && from}>
          <Properties columns={2} items={listVisibilityProperties(t, diagnostics, counts, asOf)} />
        </Section>
      )}
      <NodeEvidence nodeId={agent.node_id} />
      <UnconfirmedGuests agent={agent} />
      <Section title={t('Heartbeats of the last day')} bare>
        <Heartbeats agent={agent} />
      </Section>
    </>
  );
}
