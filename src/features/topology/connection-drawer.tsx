'use client';
import { MAX_SERVICE_WORKLOADS, OUTSIDE } from '@/domain/choices';
import { mergeVerdicts, type SummedVerdict } from '@/domain/summed-verdict';
import type { TopologyService } from '@/domain/topology/topology';
import { formatBytes, formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { buttonClass } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { Link } from '@/ui/link';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { KeyRows } from '@/ui/table/key-rows';
import { RelativeTime } from '@/ui/values';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { WorkloadLink } from '../shared/entity-links';
import { flowVerdictProperties } from '../shared/flow-verdict-properties';
import { formatConversationFilter } from '../shared/flows/conversations-path';
import { DraftButtons, DraftMenu } from '../shared/policy-draft/draft-actions';
import type { DraftSeed } from '../shared/policy-draft/draft-link';
import type { MapLink, MapModel, MapNode } from './map-model';
import { serviceText } from './topology-labels';

type Props = {
  model: MapModel;
  link: MapLink | null;
  time: { range: string | null; since: string | null; until: string | null };
  onClose: () => void;
};

/** One connection: its services, what becomes of each, and the conversations behind it. */
export function ConnectionDrawer({ model, link, time, onClose }: Props) {
  const t = useT();
  const source = link && model.nodes.get(link.source);
  const destination = link && model.nodes.get(link.destination);
  const conversations = source && destination ? getConversationsHref(source, destination, time) : null;
  return (
    <Drawer
      open={Boolean(link && source && destination)}
      onOpenChange={(open) => !open && onClose()}
      title={source && destination ? `${source.label} → ${destination.label}` : t('Connection')}
      footer={
        link &&
        source &&
        destination && (
          <>
            <DraftButtons
              seed={toDraftSeed(link, source, destination)}
              name={`${source.label} → ${destination.label}`}
            />
            {conversations && (
              <Link className={buttonClass()} href={conversations}>
                {t('Show conversations')}
              </Link>
            )}
          </>
        )
      }
    >
      {link && source && destination && <Content link={link} source={source} destination={destination} />}
    </Drawer>
  );
}

type ContentProps = { link: MapLink; source: MapNode; destination: MapNode };

function Content({ link, source, destination }: ContentProps) {
  const t = useT();
  const services = link.edges.flatMap((edge) => edge.services).sort((a, b) => b.bytes - a.bytes);
  const total = link.edges.reduce((sum, edge) => sum + edge.services_total, 0);
  const last = link.edges
    .map((edge) => edge.last_seen_at)
    .sort()
    .at(-1);
  const end = (node: MapNode) =>
    node.workload ? <WorkloadLink id={node.workload.id} name={node.workload.name} /> : node.label;
  const { tone, word, meaning } = EDGE_VERDICT_STYLES[link.verdict];
  const [first] = link.edges;
  return (
    <div className="flex flex-col gap-6">
      <Properties
        items={[
          { label: t('From'), value: end(source) },
          { label: t('To'), value: end(destination) },
          { label: t('Outcome'), value: <Badge tone={tone}>{t(word)}</Badge>, hint: t(meaning) },
          ...(first ? flowVerdictProperties(t, link.edges.reduce<SummedVerdict>(mergeVerdicts, first)) : []),
          {
            label: t('Volume'),
            value: formatBytes(link.bytes),
            hint: t('Both directions. Traffic seen by two nodes is counted once.'),
          },
          {
            label: t('New flows'),
            value: formatCount(link.flows),
            hint: t('Each direction of a conversation is a flow.'),
          },
          { label: t('Last seen'), value: last && <RelativeTime at={last} /> },
        ]}
      />
      {(source.kind === 'group' || destination.kind === 'group') && (
        <p className="text-pretty text-muted">{t('Expand the group to see workloads and their flows.')}</p>
      )}
      <Section title={t('Services')} description={t('By server port and protocol.')} bare>
        <Services services={services} seedOf={(service) => toDraftSeed(link, source, destination, service)} />
        {total > services.length && (
          <p className="text-sm text-faint">
            {t('{n, plural, one {# service} other {# services}} with less traffic not shown.', {
              n: total - services.length,
            })}
          </p>
        )}
      </Section>
    </div>
  );
}

type Side = 'source' | 'destination';

/**
 * One end for a policy: a workload, those that a group has in these services, or the one prefix of them. Anything else is chosen in
 * the editor.
 */
function toDraftEnd(
  { workload, group }: MapNode,
  side: Side,
  services: readonly TopologyService[],
): DraftSeed['source'] {
  if (workload) return { workload_id: workload.id };
  const ends = services.map(({ ends }) => ends?.[side]);
  const ids = ends.map((end) => end?.workload_ids ?? []);
  const all = [...new Set(ids.flat())];
  if (ids.length > 0 && ids.every((list) => list.length > 0) && all.length <= MAX_SERVICE_WORKLOADS) {
    return { workload_ids: all };
  }
  const [prefix, ...others] = new Set(ends.map((end) => end?.prefix ?? null));
  const [only] = group?.prefixes_total === 1 ? group.prefixes : [];
  return { address: (others.length === 0 ? prefix : null) ?? only?.prefix ?? null };
}

/** The traffic of a connection, or of one of its services, for a policy. */
export function toDraftSeed(
  { edges }: MapLink,
  source: MapNode,
  destination: MapNode,
  of?: TopologyService,
): DraftSeed {
  const [action, ...others] = new Set(edges.map((edge) => edge.action));
  const services = of ? [of] : edges.flatMap((edge) => edge.services);
  const isAll = of !== undefined || edges.every((edge) => edge.services_total === edge.services.length);
  const known = isAll ? services : [];
  return {
    source: toDraftEnd(source, 'source', known),
    destination: toDraftEnd(destination, 'destination', known),
    ...(of && { protocol: of.protocol, port: of.port }),
    ...(others.length === 0 && action && { action }),
  };
}

type ServicesProps = { services: readonly TopologyService[]; seedOf: (service: TopologyService) => DraftSeed };

function Services({ services, seedOf }: ServicesProps) {
  const t = useT();
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <thead>
          <tr className="text-sm text-muted">
            <th className="py-1 pr-3 font-medium">{t('Service')}</th>
            <th className="py-1 pr-3 text-right font-medium">{t('Bytes')}</th>
            <th className="py-1 text-right font-medium">{t('New flows')}</th>
            <th>
              <span className="sr-only">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <KeyRows rows={services} rowId={(_, index) => String(index)} className="border-t">
          {(service) => (
            <>
              <td className="mono py-1 pr-3">{serviceText(service)}</td>
              <td className="py-1 pr-3 text-right tabular-nums">{formatBytes(service.bytes)}</td>
              <td className="py-1 text-right tabular-nums">{formatCount(service.flows)}</td>
              <td className="w-8 text-right">
                <DraftMenu seed={seedOf(service)} name={serviceText(service)} />
              </td>
            </>
          )}
        </KeyRows>
      </table>
    </div>
  );
}

type Time = { range?: string | null; since?: string | null; until?: string | null };

/** One end as the filter of conversations has it; null for a group, and for what is inside without a known workload. */
function formatEnd(node: MapNode): string | null {
  if (node.workload) return `vmid:${node.cluster}/${node.workload.vmid}`;
  return node.kind === 'external' ? OUTSIDE : null;
}

/** The same as a filter of its own; null for a group. */
const endFilter = (end: 'source' | 'destination', node: MapNode) => {
  if (node.kind === 'group') return null;
  return node.workload
    ? { [`${end}_workload_id`]: node.workload.id }
    : { [`${end}_workload_id`]: 'none', [end]: node.kind };
};

/** The conversations of a connection, at the same time; null where they cannot be filtered like this. */
export function getConversationsHref(source: MapNode, destination: MapNode, time: Time): string | null {
  const [client, server] = [formatEnd(source), formatEnd(destination)];
  if (client && server) {
    return paths.flows({ filter: formatConversationFilter({ client: [client], server: [server] }), ...time });
  }
  const [from, to] = [endFilter('source', source), endFilter('destination', destination)];
  return from && to && paths.flows({ ...from, ...to, ...time });
}
