import type { AgentDetail } from '@/domain/agent';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { Notice } from '@/ui/notice';
import { Mono, RelativeTime } from '@/ui/values';

/** Why an agent is stale, as far as the cluster explains it. */
const STALE_REASONS: Record<AgentDetail['node_status'], string> = {
  online: msg('The cluster reports the node as online: the agent is stopped, or it cannot reach Fabric.'),
  offline: msg('The cluster reports the node as offline, so its agent cannot report.'),
  unknown: msg('The state of the node is unknown, too.'),
};

/** What is wrong with the agent as a whole, and what to do. */
export function AgentTrouble({ agent }: { agent: AgentDetail }) {
  const t = useT();
  return (
    <>
      {agent.status === 'silent' && (
        <Notice tone="danger" title={t('Agent is stale')}>
          <div className="flex flex-col gap-2">
            <p>
              {t.rich(
                'Last heartbeat {time}. Traffic on this node since then is unknown, and the values below are old.',
                { time: <RelativeTime at={agent.last_heartbeat_at} /> },
              )}
            </p>
            <p>
              {t(STALE_REASONS[agent.node_status])}{' '}
              {agent.node_status !== 'offline' && t('Check the agent service on the node:')}
            </p>
            {agent.node_status !== 'offline' && (
              <CodeBlock
                code={'systemctl status fabric-agent\njournalctl -u fabric-agent -n 50\nfabric-agent doctor'}
                label={t('Diagnostic commands for the agent')}
              />
            )}
          </div>
        </Notice>
      )}
      {agent.status === 'pending' && (
        <Notice tone="info" title={t('The agent has not reported yet')}>
          {t.rich(
            'The agent enrolled {time}. The first report arrives within a minute. If not, run fabric-agent doctor on the node.',
            { time: <RelativeTime at={agent.enrolled_at} /> },
          )}
        </Notice>
      )}
      {agent.token_replacement && <TokenReplaced replaced={agent.token_replacement} />}
      {agent.outdated && agent.status !== 'silent' && (
        <Notice tone="warn" title={t('Agent update available')}>
          {t('This version still reports. Reinstall the agent to update; settings and log positions are kept.')}
        </Notice>
      )}
    </>
  );
}

/** Another enrollment took the node's token from an agent that reported. */
function TokenReplaced({ replaced }: { replaced: NonNullable<AgentDetail['token_replacement']> }) {
  const t = useT();
  const isSame = replaced.machine_id === replaced.previous_machine_id;
  const facts = {
    time: <RelativeTime at={replaced.at} />,
    token: <Mono>{replaced.enrolment_id}</Mono>,
    user: replaced.user_name ?? t('Unknown'),
  };
  return (
    <Notice tone={isSame ? 'info' : 'warn'} title={t('Token of this node replaced')}>
      {t.rich('Replaced {time} by enrollment token {token} of {user}, while the agent was reporting.', facts)}{' '}
      {isSame
        ? t('The token was replaced on the same machine, as in an agent update.')
        : t('The token was replaced from another machine. If the node was not reinstalled, reinstall the agent.')}
    </Notice>
  );
}
