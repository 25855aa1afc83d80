'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/lib/trpc';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/relative-time';
import { Spinner } from '@/ui/spinner';
import { collectorName, lackingCollectors } from './agent-words';
import { installProgress } from './install-progress';

/** Events tell of enrolment and first heartbeat; this is for when the stream is interrupted. */
const POLL_MS = 3_000;

/** What becomes of an installation, from the command to the first heartbeat, as it happens. */
export function InstallWait({ nodeId, enrolledBefore }: { nodeId: string; enrolledBefore: string | null }) {
  const trpc = useTRPC();
  const { data: agent } = useQuery({
    ...trpc.agents.get.queryOptions({ node_id: nodeId }),
    refetchInterval: ({ state }) => (installProgress(state.data, enrolledBefore) === 'reporting' ? false : POLL_MS),
  });
  const progress = installProgress(agent, enrolledBefore);
  if (progress !== 'reporting' || !agent) {
    return (
      <p role="status" className="flex items-center gap-2">
        <Spinner size={16} />
        {progress === 'enrolled'
          ? 'The node has enrolled. Waiting for the first report…'
          : 'Waiting for the first report…'}
      </p>
    );
  }
  const lacking = lackingCollectors(agent);
  return (
    <Notice tone={lacking.length > 0 ? 'warn' : 'ok'} live title="The agent reports">
      Version {agent.agent_version}, first report <RelativeTime at={agent.last_heartbeat_at} />.
      {lacking.length > 0 &&
        ` Something is missing for: ${lacking.map(({ name }) => collectorName(name)).join(', ')}. Open the agent to see the remedy.`}
    </Notice>
  );
}
