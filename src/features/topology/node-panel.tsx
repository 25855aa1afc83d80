'use client';
import { ArrowDownLeft, ArrowUpRight, Crosshair, X } from 'lucide-react';
import { useMemo } from 'react';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Button, IconButton } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Properties } from '@/ui/properties';
import { Mono } from '@/ui/values';
import { KIND_LABELS, WorkloadState } from '../shared/inventory-states';
import type { MapLink, MapModel, MapNode } from './map-model';
import { nodeName, servicesText } from './topology-labels';
import { VERDICT_LOOKS } from './verdict-look';

type Props = {
  model: MapModel;
  node: MapNode;
  onSelect: (nodeId: string | null) => void;
  /** Shows the neighbours of the workload only; undefined when that is what is shown. */
  onFocus?: (workloadId: string) => void;
  /** Opens the connection. */
  onOpen: (link: MapLink) => void;
};

/** More than these are read in the table. */
const MOST = 50;

function Facts({ node }: { node: MapNode }) {
  const t = useT();
  const { workload, peers } = node;
  if (workload) {
    return (
      <Properties
        items={[
          { label: t('Status'), value: <WorkloadState status={workload.status} /> },
          { label: t('Kind'), value: `${t(KIND_LABELS[workload.kind])}, VMID ${workload.vmid}` },
          {
            label: t('Addresses'),
            value: workload.addresses.length > 0 && <Mono>{workload.addresses.join(', ')}</Mono>,
          },
          { label: t('Project'), value: workload.project_name },
          { label: t('Tags'), value: workload.tags.join(', ') },
        ]}
      />
    );
  }
  const prefixes = peers.flatMap((peer) => peer.prefixes).sort((a, b) => b.bytes - a.bytes);
  const total = peers.reduce((sum, peer) => sum + peer.prefixes_total, 0);
  return (
    <>
      <p className="text-pretty text-muted">
        {node.kind === 'external'
          ? t('Addresses outside all known prefixes, by network.')
          : t('Addresses in known prefixes that match no known workload.')}
      </p>
      <ul className="flex flex-col">
        {prefixes.slice(0, 10).map(({ prefix, bytes }) => (
          <li key={prefix} className="flex justify-between gap-2 py-0.5">
            <Mono>{prefix}</Mono>
            <span className="text-muted tabular-nums">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
      {total > 10 && <p className="text-sm text-faint">{t('{n, number} more.', { n: total - 10 })}</p>}
    </>
  );
}

/** What is known of one node of the map, and whom it talks to. */
export function NodePanel({ model, node, onSelect, onFocus, onOpen }: Props) {
  const t = useT();
  const links = useMemo(
    () =>
      model.links
        .filter(({ source, destination }) => source === node.id || destination === node.id)
        .sort(
          (a, b) =>
            EDGE_VERDICTS.indexOf(a.verdict) - EDGE_VERDICTS.indexOf(b.verdict) ||
            b.bytes - a.bytes ||
            (a.id < b.id ? -1 : 1),
        ),
    [model, node],
  );
  const name = nodeName(model, node);
  return (
    <aside
      aria-label={t('Details of {name}', { name })}
      className="flex w-full shrink-0 flex-col gap-3 overflow-y-auto rounded-lg border bg-surface p-3 max-lg:max-h-96 lg:w-80"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 py-1 text-base [overflow-wrap:anywhere]">{name}</h2>
        <IconButton
          label={t('Close details')}
          icon={<X size={16} />}
          onClick={() => onSelect(null)}
          className="-mt-0.5 -mr-1"
        />
      </div>
      <Facts node={node} />
      {node.workload && (
        <div className="flex flex-wrap gap-2">
          <Link className={buttonClass({ size: 'sm' })} href={paths.workload({ workloadId: node.id })}>
            {t('Open workload')}
          </Link>
          {onFocus && (
            <Button size="sm" icon={<Crosshair size={14} />} onClick={() => onFocus(node.id)}>
              {t('Neighbors only')}
            </Button>
          )}
        </div>
      )}
      <h3 className="text-sm text-muted">
        {t('{n, plural, one {# connection} other {# connections}}', { n: links.length })}
      </h3>
      <ul className="flex flex-col">
        {links.slice(0, MOST).map((link) => {
          const outgoing = link.source === node.id;
          const other = model.nodes.get(outgoing ? link.destination : link.source);
          if (!other) return null;
          const [edge] = link.edges;
          const { tone, word } = VERDICT_LOOKS[link.verdict];
          return (
            <li key={link.id} className="border-t">
              <button
                type="button"
                onClick={() => onOpen(link)}
                className="flex w-full flex-col gap-0.5 rounded-sm py-1.5 text-left hover:bg-surface-2"
              >
                <span className="flex w-full items-center gap-1.5">
                  {outgoing ? (
                    <ArrowUpRight size={14} className="shrink-0 text-faint" aria-label={t('To')} />
                  ) : (
                    <ArrowDownLeft size={14} className="shrink-0 text-faint" aria-label={t('From')} />
                  )}
                  <span className="min-w-0 flex-1 truncate">{nodeName(model, other)}</span>
                  <Badge tone={tone}>{t(word)}</Badge>
                </span>
                <span className="flex w-full justify-between gap-2 pl-5 text-sm text-muted">
                  <span className="mono truncate">{edge && servicesText(t, edge)}</span>
                  <span className="tabular-nums">{formatBytes(link.bytes)}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {links.length > MOST && (
        <p className="text-sm text-faint">{t('See the Connections table for all connections.')}</p>
      )}
    </aside>
  );
}
