import type { AgentDetail } from '@/domain/agent';
import { CodeBlock } from '@/ui/code-block';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/relative-time';

/** What is wrong with the agent as a whole, and what to do. */
export function AgentTrouble({ agent }: { agent: AgentDetail }) {
  return (
    <>
      {agent.status === 'silent' && (
        <Notice tone="danger" title="The agent is silent">
          <div className="flex flex-col gap-2">
            <p>
              The last heartbeat came <RelativeTime at={agent.last_heartbeat_at} />. Since then nothing is known of the
              traffic on this node; what stands below is old. If the node itself is up, look at the service there:
            </p>
            <CodeBlock
              code={'systemctl status fabric-agent\njournalctl -u fabric-agent -n 50\nfabric-agent doctor'}
              label="Commands for a silent agent"
            />
          </div>
        </Notice>
      )}
      {agent.status === 'pending' && (
        <Notice tone="info" title="The agent has not reported yet">
          It enrolled <RelativeTime at={agent.enrolled_at} />. The first report comes within a minute; if it does not,
          run fabric-agent doctor on the node.
        </Notice>
      )}
      {agent.outdated && agent.status !== 'silent' && (
        <Notice tone="warn" title="There is a newer agent">
          It reports all the same. Install it again to update; settings and log positions are kept.
        </Notice>
      )}
    </>
  );
}
