'use client';
import type { AddressSighting } from '@/domain/ipam/sighting';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Mono, RelativeTime } from '@/ui/values';
import { ClusterLink, NetworkLink, WorkloadLink } from '../shared/entity-links';
import { findSourceLabel } from '../shared/ipam/address-state';

type Column = { title: string; sources: readonly AddressSighting['source'][]; none: string };

/** The three kinds of sources; `observed` has when the guest agent and packets of its workload were last seen, if it is known. */
function listColumns(t: Translate, observed?: { agent: string | null; traffic: string | null }): Column[] {
  const isUnknown = (at: string | null | undefined) => observed !== undefined && at === null;
  return [
    {
      title: t('Configuration'),
      sources: ['config', 'cloudinit', 'sdn'],
      none: t('No configuration, cloud-init or SDN entry names it.'),
    },
    {
      title: t('Guest agent'),
      sources: ['agent'],
      none: isUnknown(observed?.agent)
        ? t('Unknown: no guest agent of its workload was read.')
        : t('No guest agent reports it.'),
    },
    {
      title: t('Observed traffic'),
      sources: ['traffic'],
      none: isUnknown(observed?.traffic)
        ? t('Unknown: no packets of its workload were seen.')
        : t('No packets from it were seen.'),
    },
  ];
}

/** What each source says about an address, side by side: who has it there, since when, and whether still. */
export function SightingList({
  sightings,
  observed,
  withAddress = false,
}: {
  sightings: readonly AddressSighting[];
  observed?: { agent: string | null; traffic: string | null };
  /** Several addresses are listed. */
  withAddress?: boolean;
}) {
  const t = useT();
  return (
    <div className="grid gap-3 lg:grid-cols-3">
      {listColumns(t, observed).map(({ title, sources, none }) => {
        const rows = sightings.filter(({ source }) => sources.includes(source));
        return (
          <section key={title} aria-label={title} className="min-w-0 rounded-lg border bg-surface p-4">
            <h3 className="mb-2 font-semibold">{title}</h3>
            {rows.length === 0 && <p className="text-muted">{none}</p>}
            <ul className="flex flex-col gap-3">
              {rows.map((row) => (
                <li key={row.id} className="min-w-0 [overflow-wrap:anywhere]">
                  <Sighting row={row} withAddress={withAddress} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function Sighting({ row, withAddress }: { row: AddressSighting; withAddress: boolean }) {
  const t = useT();
  const label = findSourceLabel(row.source);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2">
        {withAddress && <Mono>{row.address}</Mono>}
        <WorkloadLink id={row.workload_id} name={row.workload_name} />
        <Mono>{row.nic}</Mono>
        {row.ended_at && <span className="text-muted">{t('(until then)')}</span>}
      </div>
      <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        {label && <span>{t(label)}</span>}
        {row.seen_on && <Mono>{row.seen_on}</Mono>}
        {row.mac && <Mono>{row.mac}</Mono>}
        {row.network_id && row.network_name && <NetworkLink id={row.network_id} name={row.network_name} />}
        {row.vlan_tag !== null && <span>{t('VLAN {vlan}', { vlan: String(row.vlan_tag) })}</span>}
        <ClusterLink id={row.cluster_id} name={row.cluster_name} />
      </div>
      <div className="flex flex-wrap gap-x-2 text-sm text-muted">
        <span>
          {t('First seen')}: <RelativeTime at={row.first_seen_at} />
        </span>
        <span>
          {t('Last seen')}: <RelativeTime at={row.last_seen_at} />
        </span>
      </div>
    </>
  );
}
