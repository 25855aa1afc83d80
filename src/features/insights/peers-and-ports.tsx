import type { InsightsSummary } from '@/domain/insights';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Section } from '@/ui/section';
import { WorkloadLink } from '../shared/entity-links';
import { DraftMenu } from '../shared/policy-draft/draft-actions';
import type { DraftSeed } from '../shared/policy-draft/draft-link';
import type { Narrowing } from './use-traffic-view';

type Props = { workloadId: string; summary: InsightsSummary; expired: boolean; onNarrow: (change: Narrowing) => void };

/** The workload as server if the other end opened most of it, else as client. */
function seedFor(
  workload_id: string,
  { flows, opened_by_peer }: { flows: number; opened_by_peer: number },
  peer: DraftSeed['source'],
): DraftSeed {
  const isServer = 2 * opened_by_peer >= flows;
  return isServer ? { source: peer, destination: { workload_id } } : { source: { workload_id }, destination: peer };
}

const rest = (t: Translate, shown: number, all: number) =>
  all > shown ? t('Top {shown, number} of {all, number} by bytes.', { shown, all }) : undefined;

/** With whom the workload talks most. */
export function TopPeers({ workloadId, summary: { top_peers: peers, peers_total, bytes }, expired, onNarrow }: Props) {
  const t = useT();
  return (
    <Section title={t('Peers')} description={rest(t, peers.length, peers_total)}>
      {peers.length === 0 ? (
        <p className="text-muted">
          {expired ? t('Conversations in this time range expired') : t('None in this time range.')}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {peers.map((peer) => (
            <Bar
              key={peer.ip}
              share={bytes > 0 ? peer.bytes / bytes : 0}
              figures={peer}
              seed={seedFor(workloadId, peer, { workload_id: peer.workload_id, address: peer.ip })}
              name={peer.workload_name ?? peer.ip}
              openLabel={t('Show conversations with {address}', { address: peer.ip })}
              onOpen={() => onNarrow({ address: peer.ip, port: null, protocol: null })}
            >
              {peer.workload_id && peer.workload_name && (
                <WorkloadLink id={peer.workload_id} name={peer.workload_name} />
              )}
              <span className="mono [overflow-wrap:anywhere]">{peer.label}</span>
            </Bar>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Which services it offers and uses most. */
export function TopPorts({ workloadId, summary: { top_ports: ports, ports_total, bytes }, expired, onNarrow }: Props) {
  const t = useT();
  return (
    <Section title={t('Services')} description={rest(t, ports.length, ports_total)}>
      {ports.length === 0 ? (
        <p className="text-muted">
          {expired ? t('Conversations in this time range expired') : t('None in this time range.')}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {ports.map((service) => {
            const name = service.port === null ? service.protocol : `${service.protocol}/${service.port}`;
            return (
              <Bar
                key={name}
                share={bytes > 0 ? service.bytes / bytes : 0}
                figures={service}
                seed={{ ...seedFor(workloadId, service, {}), protocol: service.protocol, port: service.port }}
                name={name}
                openLabel={t('Show conversations on {service}', { service: name })}
                onOpen={() =>
                  onNarrow({
                    address: null,
                    protocol: service.protocol,
                    port: service.port === null ? null : String(service.port),
                  })
                }
              >
                <span className="mono">{name}</span>
              </Bar>
            );
          })}
        </ul>
      )}
    </Section>
  );
}

type BarProps = {
  share: number;
  figures: { bytes: number; conversations: number };
  /** The traffic, for a policy. */
  seed: DraftSeed;
  name: string;
  /** What the button does. */
  openLabel: string;
  onOpen: () => void;
  children: React.ReactNode;
};

function Bar({ share, figures, seed, name, openLabel, onOpen, children }: BarProps) {
  const t = useT();
  return (
    <li className="flex flex-col gap-0.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        {children}
        <span className="ml-auto flex items-baseline gap-3 tabular-nums">
          {formatBytes(figures.bytes)}
          <button type="button" className="link" aria-label={openLabel} onClick={onOpen}>
            {t('{n, plural, one {# conversation} other {# conversations}}', { n: figures.conversations })}
          </button>
          <DraftMenu seed={seed} name={name} />
        </span>
      </div>
      <div aria-hidden="true" className="h-1 overflow-hidden rounded-full bg-surface-3">
        <div className="h-full bg-info-mark" style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </li>
  );
}
