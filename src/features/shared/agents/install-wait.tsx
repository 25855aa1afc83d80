'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Spinner } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/values';
import { collectorName, listDegradedCollectors } from './agent-state';
import { installProgress } from './install-progress';

/** Events report enrollment and first heartbeat; this is for when the stream is interrupted. */
const POLL_MS = 3_000;

/** What becomes of an installation, from the command to the first heartbeat, as it happens. */
export function InstallWait({ nodeId, enrolledBefore }: { nodeId: string; enrolledBefore: string | null }) {
  const t = useT();
  const trpc = useTRPC();
  const { data: agent } = useQuery({
    ...trpc.agents.get.queryOptions({ id: nodeId }),
    refetchInterval: ({ state }) => (installProgress(state.data, enrolledBefore) === 'reporting' ? false : POLL_MS),
  });
  const progress = installProgress(agent, enrolledBefore);
  if (progress !== 'reporting' || !agent) {
    return (
      <p role="status" className="flex items-center gap-2">
        <Spinner size={16} />
        {progress === 'enrolled'
          ? t('Node enrolled. Waiting for the first report…')
          : t('Waiting for the first report…')}
      </p>
    );
  }
  const lacking = listDegradedCollectors(agent);
  return (
    <Notice tone={lacking.length > 0 ? 'warn' : 'ok'} live title={t('Agent is reporting')}>
      {t.rich('Version {version}, first report {time}.', {
        version: agent.agent_version,
        time: <RelativeTime at={agent.last_heartbeat_at} />,
      })}
      {lacking.length > 0 &&
        ` ${t('Requirements are missing for: {names}. Open the agent to see how to fix this.', {
          names: lacking.map(({ name }) => t(collectorName(name))).join(', '),
        })}`}
    </Notice>
  );
}
