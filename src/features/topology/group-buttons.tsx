'use client';
import { memo, type RefObject } from 'react';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import type { MapLayout } from './lay-out';
import type { MapGroup, MapModel } from './map-model';

const formatGroupName = (t: Translate, { label, expanded, nodes, group }: MapGroup, canExpand: boolean): string => {
  if (expanded) return t('Collapse {name}', { name: label });
  const connections = t('{n, plural, one {# connection} other {# connections}}', { n: nodes[0]?.links ?? 0 });
  if (!canExpand) return `${label}: ${connections}`;
  const workloads = t('{n, plural, one {# workload} other {# workloads}}', { n: group.workloads });
  return `${t('Expand {name}', { name: label })}: ${workloads}, ${connections}`;
};

type Props = {
  model: MapModel;
  layout: MapLayout;
  /** Moves and zooms with the map. */
  plane: RefObject<HTMLDivElement | null>;
  onPress: (groupId: string) => void;
};

/**
 * A button over each group of the drawing, for keyboard and screen reader; pointer events go to the drawing below. Workloads are in
 * the tables.
 */
export const GroupButtons = memo(function GroupButtons({ model, layout, plane, onPress }: Props) {
  const t = useT();
  return (
    <div className="pointer-events-none absolute inset-0 overflow-clip">
      <div ref={plane} className="absolute top-0 left-0 origin-top-left">
        {model.groups.map((group) => {
          const box = layout.groups.get(group.id);
          if (!box) return null;
          const { kind } = group.group;
          return (
            <button
              key={group.id}
              type="button"
              aria-label={formatGroupName(t, group, kind !== 'external' && kind !== 'internal')}
              aria-expanded={kind === 'external' || kind === 'internal' ? undefined : group.expanded}
              onClick={() => onPress(group.id)}
              className="absolute rounded-sm"
              style={{ left: box.x, top: box.y, width: box.width, height: box.height }}
            />
          );
        })}
      </div>
    </div>
  );
});
