'use client';
import {
  ArrowDownLeft,
  ArrowUpRight,
  Crosshair,
  Filter,
  FoldVertical,
  RefreshCw,
  UnfoldVertical,
  X,
} from 'lucide-react';
import { useMemo } from 'react';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { TopologyGroup } from '@/domain/topology/topology';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Button, IconButton } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { selectedNodes } from './draw-map';
import type { MapLink, MapModel, MapNode } from './map-model';
import { NodeProperties } from './node-properties';
import { servicesText } from './topology-labels';

type Props = {
  model: MapModel;
  /** A workload, a group or what is outside. */
  id: string;
  onClose: () => void;
  /** Expands or collapses a group. */
  onExpand: (groupId: string, expand: boolean) => void;
  /** Filters the map by the project or tag; undefined when it is filtered like this. */
  onOnly?: ((group: TopologyGroup) => void) | undefined;
  /** Shows the neighbors of the workload only; undefined when that is what is shown. */
  onFocus?: ((workloadId: string) => void) | undefined;
  /** Opens the connection. */
  onOpen: (link: MapLink) => void;
};

/** More than these are read in the table. */
const MOST = 50;

/** Most severe first, then the heaviest. */
const byWeight = (a: MapLink, b: MapLink) =>
  EDGE_VERDICTS.indexOf(a.verdict) - EDGE_VERDICTS.indexOf(b.verdict) || b.bytes - a.bytes || (a.id < b.id ? -1 : 1);

/** What is known about one node or expanded group of the map, and its connections. */
export function NodePanel({ model, id, onClose, onExpand, onOnly, onFocus, onOpen }: Props) {
  const t = useT();
  const node = model.nodes.get(id) ?? null;
  const box = model.groups.find((group) => group.id === id);
  const { links, own } = useMemo(() => {
    const ids = selectedNodes(model, id);
    const found = model.links.filter(({ source, destination }) => ids.has(source) || ids.has(destination));
    return { links: found.sort(byWeight), own: ids };
  }, [model, id]);
  const name = node?.label ?? box?.label ?? '';
  const group = box?.group ?? null;
  const foldable = group !== null && group.kind !== 'external' && group.kind !== 'internal';
  return (
    <aside
      aria-label={t('Details of {name}', { name })}
      className="flex flex-col gap-3 overflow-y-auto rounded-lg border bg-surface p-3 max-lg:max-h-96 lg:absolute lg:inset-0"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 py-1 text-base [overflow-wrap:anywhere]">{name}</h2>
        <IconButton label={t('Close details')} icon={<X size={16} />} onClick={onClose} className="-mt-0.5 -mr-1" />
      </div>
      <NodeProperties node={node} group={group} />
      <div className="flex flex-wrap gap-2 empty:hidden">
        {node?.workload && (
          <Link className={buttonClass({ size: 'sm' })} href={paths.workload({ workloadId: node.id })}>
            {t('Open workload')}
          </Link>
        )}
        {node?.workload && onFocus && (
          <Button size="sm" icon={<Crosshair size={14} />} onClick={() => onFocus(node.id)}>
            {t('Neighbors only')}
          </Button>
        )}
        {foldable && (
          <Button
            size="sm"
            icon={group.expanded ? <FoldVertical size={14} /> : <UnfoldVertical size={14} />}
            onClick={() => onExpand(group.id, !group.expanded)}
          >
            {group.expanded ? t('Collapse') : t('Expand')}
          </Button>
        )}
        {group && onOnly && (group.kind === 'project' || group.kind === 'tag') && (
          <Button size="sm" icon={<Filter size={14} />} onClick={() => onOnly(group)}>
            {t('Filter by this group')}
          </Button>
        )}
      </div>
      <h3 className="text-sm text-muted">
        {t('{n, plural, one {# connection} other {# connections}}', { n: links.length })}
      </h3>
      <ul className="flex flex-col">
        {links.slice(0, MOST).map((link) => (
          <LinkRow key={link.id} model={model} own={own} link={link} onOpen={onOpen} />
        ))}
      </ul>
      {links.length > MOST && (
        <p className="text-sm text-faint">{t('See the Connections table for all connections.')}</p>
      )}
    </aside>
  );
}

type RowProps = Pick<Props, 'model' | 'onOpen'> & { own: ReadonlySet<string>; link: MapLink };

function LinkRow({ model, own, link, onOpen }: RowProps) {
  const t = useT();
  const [from, to] = [own.has(link.source), own.has(link.destination)];
  const ends = [model.nodes.get(link.source), model.nodes.get(link.destination)].filter((end): end is MapNode =>
    Boolean(end),
  );
  const inside = from && to;
  const other = inside
    ? link.source === link.destination
      ? t('Inside the group')
      : ends.map(({ label }) => label).join(' → ')
    : (from ? ends[1] : ends[0])?.label;
  const [edge] = link.edges;
  const { tone, word } = EDGE_VERDICT_STYLES[link.verdict];
  const icon = { size: 14, className: 'shrink-0 text-faint' };
  return (
    <li className="border-t">
      <button
        type="button"
        onClick={() => onOpen(link)}
        className="flex w-full flex-col gap-0.5 rounded-sm py-1.5 text-left hover:bg-surface-2"
      >
        <span className="flex w-full items-center gap-1.5">
          {inside ? (
            <RefreshCw {...icon} aria-hidden />
          ) : from ? (
            <ArrowUpRight {...icon} aria-label={t('To')} />
          ) : (
            <ArrowDownLeft {...icon} aria-label={t('From')} />
          )}
          <span className="min-w-0 flex-1 truncate">{other}</span>
          <Badge tone={tone}>{t(word)}</Badge>
        </span>
        <span className="flex w-full justify-between gap-2 pl-5 text-sm text-muted">
          <span className="mono truncate">{edge && servicesText(t, edge)}</span>
          <span className="tabular-nums">{formatBytes(link.bytes)}</span>
        </span>
      </button>
    </li>
  );
}
