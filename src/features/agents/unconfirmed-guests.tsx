'use client';
import { useQuery } from '@tanstack/react-query';
import type { AgentDetail } from '@/domain/agent';
import { formatCount, formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { KeyRows } from '@/ui/table/key-rows';
import { Missing, Mono, RelativeTime } from '@/ui/values';
import { NodeLink } from '../shared/entity-links';
import { QueryView } from '../shared/query-view';

type Guest = AgentDetail['unconfirmed_guests'][number];

/** Guests of other nodes that the agent reported about. Nothing of it counts until their place is confirmed. */
export function UnconfirmedGuests({ agent }: { agent: AgentDetail }) {
  const t = useT();
  const { waiting, refused } = agent.unconfirmed;
  if (agent.unconfirmed_guests.length === 0) return null;
  return (
    <Section
      title={t('Reports for workloads elsewhere')}
      description={t('These flows appear in no list or total until the workload is found on this node.')}
    >
      <div className="flex flex-col gap-3">
        {refused > 0 && (
          <Notice
            tone="danger"
            title={t('{n, plural, one {# flow rejected} other {# flows rejected}}', { n: refused })}
          >
            {t(
              'According to the cluster, these workloads were on another node. Check what runs on this node, then reinstall its agent.',
            )}
          </Notice>
        )}
        {waiting > 0 && (
          <Notice
            tone="info"
            title={t('{n, plural, one {# flow pending confirmation} other {# flows pending confirmation}}', {
              n: waiting,
            })}
          >
            {t(
              'The cluster is being queried for the location of the workloads. If this persists, check that the cluster can be read.',
            )}
          </Notice>
        )}
        <div className="overflow-x-auto">
          <table className="w-full text-left tabular-nums">
            <thead className="text-muted">
              <tr>
                {[t('Workload'), t('Actual node'), t('Pending'), t('Rejected'), t('Last seen')].map((label) => (
                  <th key={label} className="pr-4 pb-1 font-normal">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <KeyRows rows={agent.unconfirmed_guests} rowId={({ vmid }) => String(vmid)} className="border-t">
              {(guest) => <Cells guest={guest} />}
            </KeyRows>
          </table>
        </div>
        <LatestFlows nodeId={agent.node_id} />
      </div>
    </Section>
  );
}

/** The flows that were received last; the API lists all of them. */
const LATEST = 20;

function LatestFlows({ nodeId }: { nodeId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.agents.unconfirmed.queryOptions({ node_id: nodeId, limit: LATEST }));
  const end = (address: string, port: number | null) => (port === null ? address : `${address} ${port}`);
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-24" />}>
      {({ items, total }) => (
        <details>
          <summary className="cursor-pointer">
            {t('Latest {shown} of {total} flows', { shown: formatCount(items.length), total: formatCount(total) })}
          </summary>
          <ul className="mt-2 flex flex-col gap-1 tabular-nums">
            {items.map((flow) => (
              <li key={flow.id} className="flex flex-wrap items-baseline gap-x-2">
                <span className="text-muted">{formatDateTime(flow.observed_at)}</span>
                <Mono>
                  {`${flow.interface ?? flow.vmid}: ${end(flow.source_ip, flow.source_port)} → ${end(flow.destination_ip, flow.destination_port)} ${flow.protocol}`}
                </Mono>
                <Badge tone={flow.state === 'refused' ? 'danger' : 'warn'}>
                  {flow.state === 'refused' ? t('Rejected') : t('Pending')}
                </Badge>
              </li>
            ))}
          </ul>
        </details>
      )}
    </QueryView>
  );
}

function Cells({ guest }: { guest: Guest }) {
  const { vmid, workload_id, workload_name, placed_node_id, placed_node_name } = guest;
  return (
    <>
      <td className="py-1 pr-4">
        {workload_name === null ? (
          vmid
        ) : (
          <Link className="link" href={paths.workload({ workloadId: workload_id })}>
            {`${workload_name} (${vmid})`}
          </Link>
        )}
      </td>
      <td className="py-1 pr-4">
        {placed_node_id && placed_node_name ? <NodeLink id={placed_node_id} name={placed_node_name} /> : <Missing />}
      </td>
      <td className="py-1 pr-4">{formatCount(guest.waiting)}</td>
      <td className="py-1 pr-4">{formatCount(guest.refused)}</td>
      <td className="py-1">
        <RelativeTime at={guest.last_observed_at} />
      </td>
    </>
  );
}
