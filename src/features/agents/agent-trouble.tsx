import type { AgentDetail } from '@/domain/agent';
import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { Notice } from '@/ui/notice';
import { Mono, RelativeTime } from '@/ui/values';

/** What is wrong with the agent as a whole, and what to do. */
export function AgentTrouble({ agent }: { agent: AgentDetail }) {
  const t = useT();
  return (
    <>
      {agent.status === 'silent' && (
        <Notice tone="danger" title={t('The agent is silent')}>
          <div className="flex flex-col gap-2">
            <p>
              {t.rich(
                'The last heartbeat came {time}. Since then nothing is known of the traffic on this node; what stands below is old. If the node itself is up, look at the service there:',
                { time: <RelativeTime at={agent.last_heartbeat_at} /> },
              )}
            </p>
            <CodeBlock
              code={'systemctl status fabric-agent\njournalctl -u fabric-agent -n 50\nfabric-agent doctor'}
              label={t('Commands for a silent agent')}
            />
          </div>
        </Notice>
      )}
      {agent.status === 'pending' && (
        <Notice tone="info" title={t('The agent has not reported yet')}>
          {t.rich(
            'It enrolled {time}. The first report comes within a minute; if it does not, run fabric-agent doctor on the node.',
            { time: <RelativeTime at={agent.enrolled_at} /> },
          )}
        </Notice>
      )}
      {agent.token_replacement && <TokenReplaced replaced={agent.token_replacement} />}
      {agent.outdated && agent.status !== 'silent' && (
        <Notice tone="warn" title={t('There is a newer agent')}>
          {t('It reports all the same. Install it again to update; settings and log positions are kept.')}
        </Notice>
      )}
    </>
  );
}

/** Another enrolment took the node's token from an agent that reported. */
function TokenReplaced({ replaced }: { replaced: NonNullable<AgentDetail['token_replacement']> }) {
  const t = useT();
  const isSame = replaced.machine_id === replaced.previous_machine_id;
  const facts = {
    time: <RelativeTime at={replaced.at} />,
    token: <Mono>{replaced.enrolment_id}</Mono>,
    user: replaced.user_name ?? t('Not known'),
  };
  return (
    <Notice tone={isSame ? 'info' : 'warn'} title={t('The node token was replaced')}>
      {t.rich('Replaced {time} by enrolment token {token} of {user}, while the agent was reporting.', facts)}{' '}
      {isSame
        ? t('It was the same machine, as when the agent is updated.')
        : t('It was another machine. If nobody reinstalled the node, install the agent again.')}
    </Notice>
  );
}
