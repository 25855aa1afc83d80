import Link from 'next/link';
import type { AgentDetail } from '@/domain/agent';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Missing } from '@/ui/missing';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { NodeLink } from '../shared/inventory-links';

type Guest = AgentDetail['unconfirmed_guests'][number];

/** Guests of other nodes that the agent reported about. Nothing of it counts until their place is confirmed. */
export function UnconfirmedGuests({ agent }: { agent: AgentDetail }) {
  const t = useT();
  const { waiting, refused } = agent.unconfirmed;
  if (agent.unconfirmed_guests.length === 0) return null;
  return (
    <Section
      title={t('Reports about guests of other nodes')}
      description={t('These flows are in no list and no total until the guest is found on this node.')}
    >
      <div className="flex flex-col gap-3">
        {refused > 0 && (
          <Notice tone="danger" title={t('{n, plural, one {# flow refused} other {# flows refused}}', { n: refused })}>
            {t(
              'The cluster was asked: these guests were on another node. Check what runs on this node, then install its agent again.',
            )}
          </Notice>
        )}
        {waiting > 0 && (
          <Notice
            tone="info"
            title={t('{n, plural, one {# flow awaits confirmation} other {# flows await confirmation}}', {
              n: waiting,
            })}
          >
            {t('The cluster is asked where the guests are. If this stays, check that the cluster can be read.')}
          </Notice>
        )}
        <div className="overflow-x-auto">
          <table className="w-full text-left tabular-nums">
            <thead className="text-muted">
              <tr>
                {[t('Guest'), t('Placed on'), t('Awaiting'), t('Refused'), t('Last seen')].map((label) => (
                  <th key={label} className="pr-4 pb-1 font-normal">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {agent.unconfirmed_guests.map((guest) => (
                <Row key={guest.vmid} guest={guest} />
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </Section>
  );
}

function Row({ guest }: { guest: Guest }) {
  const { vmid, workload_id, workload_name, placed_node_id, placed_node_name } = guest;
  return (
    <tr className="border-t">
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
    </tr>
  );
}
